"""People's marks in a gradebook: only ever added to, the newest for each check in force."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from graders.engine.gradebook.failures import as_ours
from graders.engine.gradebook.file import Gradebook, changing
from graders.engine.gradebook.schema import MARK
from graders.engine.score.marks import Entry

_COLUMNS = ", ".join(MARK)


@dataclass(frozen=True, slots=True)
class MarksCame:
    """What a book of marks brought: new marks, marks that another one gives way to, and such as are older than ours."""

    added: tuple[Entry, ...]
    replaced: tuple[tuple[Entry, Entry], ...]
    outdated: tuple[tuple[Entry, Entry], ...]


def add_marks(book: Gradebook, marks: Iterable[Entry], who: str) -> MarksCame:
    """Add marks, all or none. One that differs from the newest is in force from then on, and the older one stays.

    A mark of an earlier day than the newest is not added: it is from an old copy of the book of marks.
    """
    added: list[Entry] = []
    replaced: list[tuple[Entry, Entry]] = []
    outdated: list[tuple[Entry, Entry]] = []
    with changing(book, who) as log:
        newest = {entry.key: entry for entry in marks_in_force(book)}
        for entry in marks:
            former = newest.get(entry.key)
            if former == entry:
                continue
            if former is not None and entry.date < former.date:
                outdated.append((former, entry))
                continue
            facts = _facts(entry)
            logged = log.add("mark", entry.student, None if former is None else _facts(former), facts)
            book.connection.execute(
                f"INSERT INTO marks ({_COLUMNS}, logged) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*facts.values(), logged)
            )
            newest[entry.key] = entry
            if former is None:
                added.append(entry)
            else:
                replaced.append((former, entry))
    return MarksCame(tuple(added), tuple(replaced), tuple(outdated))


def marks_in_force(book: Gradebook) -> list[Entry]:
    """Return the newest mark for each check of each student."""
    rows = book.connection.execute(
        f"SELECT {_COLUMNS} FROM marks WHERE number IN "
        "(SELECT max(number) FROM marks GROUP BY student, exercise, check_id) ORDER BY number"
    )
    with as_ours(book.path):
        return [_entry(*row) for row in rows]


def _entry(student: str, exercise: str, check: str, points: int, note: str, date: str, sha256: str | None) -> Entry:
    return Entry(
        student=student,
        exercise=exercise,
        check=check,
        points=points,
        note=note,
        date=datetime.date.fromisoformat(date),
        sha256=sha256,
    )


def _facts(entry: Entry) -> dict[str, str | int | None]:
    values = (
        entry.student,
        entry.exercise,
        entry.check,
        entry.points,
        entry.note,
        entry.date.isoformat(),
        entry.sha256,
    )
    return dict(zip(MARK, values, strict=True))
