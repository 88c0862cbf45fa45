"""The roster in a gradebook: who is in the class, added to and brought up to date from files, and never shortened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graders.engine.clean import one_line
from graders.engine.errors import UsageError
from graders.engine.gradebook.failures import as_ours
from graders.engine.gradebook.file import Gradebook, changing
from graders.engine.gradebook.names import Known, known
from graders.engine.gradebook.schema import ROSTER
from graders.engine.load.moments import moment
from graders.engine.load.roster import Extension, Roster, RosterRow

_KEYS = ("login", "id", "email")


@dataclass(frozen=True, slots=True)
class Changes:
    """What a file brought: students that are new, a line for each that has changed, and who is not in it.

    `moved` has a line for each name whose attempts and marks are another student's from now on.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    absent: tuple[str, ...]
    moved: tuple[str, ...]


def roster(book: Gradebook) -> Roster:
    """Return all students, in the order in which they came."""
    return everybody(book).roster


def everybody(book: Gradebook) -> Known:
    """Return all students by the names that they have and had."""
    return known(book, {logged: row for _, logged, row in _numbered(book)})


def put_roster(book: Gradebook, file: Roster, who: str) -> Changes:
    """Add the students of a file, and bring those who are there up to date; whoever is not in it stays.

    A student is known by login, id or e-mail, whichever comes first. Raises UsageError where two would have the same
    one then, or where a row is about two students at once; nothing is changed in that case.
    """
    added, changed, seen = [], [], set()
    with changing(book, who) as log:
        before = dict(_owners(book))
        there = {number: row for number, _, row in _numbered(book)}
        for row in file.rows:
            number = _place(there, row)
            if number in seen:
                raise UsageError(f"two rows of the roster are about {one_line(row.student)}; keep one of them")
            former = None if number is None else there[number]
            if former == row:
                seen.add(number)
                continue
            new = _facts(row)
            logged = log.add("roster", row.student, None if former is None else _facts(former), new)
            place = max(there, default=0) + 1 if number is None else number
            values = (place, *new.values(), logged)
            book.connection.execute("INSERT OR REPLACE INTO roster VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            there[place] = row
            seen.add(place)
            if former is None:
                added.append(row.student)
            else:
                changed.append(_what_changed(former, row))
        _require_apart(tuple(there.values()))
        moved = _moved(before, dict(_owners(book)), there)
    absent = [row.student for number, row in there.items() if number not in seen]
    return Changes(tuple(added), tuple(changed), tuple(absent), tuple(moved))


def extension_text(extension: Extension | None) -> str:
    """Return an extension as the roster writes it."""
    if extension is None:
        return ""
    return str(extension.hours) if extension.until is None else extension.until.isoformat()


def extension_of(text: str) -> Extension | None:
    """Return the extension in a gradebook's text; raises ValueError for anything else."""
    if not text:
        return None
    return Extension(hours=int(text)) if text.isdecimal() else Extension(until=moment(text))


def _numbered(book: Gradebook) -> list[tuple[int, int, RosterRow]]:
    """Return the rows with their numbers and the entries of the log that they came with."""
    rows = book.connection.execute(f"SELECT number, logged, {', '.join(ROSTER)} FROM roster ORDER BY number")
    with as_ours(book.path):
        return [
            (number, logged, RosterRow(login, id_, name, email, section, extension_of(extension)))
            for number, logged, login, id_, name, email, section, extension in rows
        ]


def _owners(book: Gradebook) -> Iterator[tuple[str, int]]:
    """Yield each name that there are attempts or marks under, with the number of the student whose they are."""
    numbers = {row: number for number, _, row in _numbered(book)}
    people = everybody(book)
    for (name,) in book.connection.execute("SELECT student FROM attempts UNION SELECT student FROM marks").fetchall():
        row = people.owner(name)
        if row is not None:
            yield name, numbers[row]


def _moved(before: Mapping[str, int], now: Mapping[str, int], there: Mapping[int, RosterRow]) -> Iterator[str]:
    for name, number in before.items():
        if now.get(name) != number:
            owner = there[now[name]].student if name in now else "nobody"
            yield f"what is there under {name} counts for {owner}, and no more for {there[number].student}"


def _facts(row: RosterRow) -> dict[str, str]:
    return {name: getattr(row, name) for name in ROSTER[:-1]} | {"extension": extension_text(row.extension)}


def _place(there: dict[int, RosterRow], row: RosterRow) -> int | None:
    """Return the number of the row that is about the same student, if there is one."""
    for key in _KEYS if any(getattr(row, key) for key in _KEYS) else ("name",):
        value = getattr(row, key).casefold()
        found = [number for number, other in there.items() if value and getattr(other, key).casefold() == value]
        if found:
            return found[0]
    return None


def _require_apart(rows: tuple[RosterRow, ...]) -> None:
    """Raise UsageError where two students have one login, id or e-mail: nobody could tell whose attempt one is."""
    for key in _KEYS:
        seen: dict[str, RosterRow] = {}
        for row in rows:
            value = getattr(row, key).casefold()
            other = seen.setdefault(value, row)
            if value and other is not row:
                raise UsageError(
                    f"{one_line(other.student)} and {one_line(row.student)} would both have the {key} "
                    f'"{one_line(getattr(row, key))}"; mend the roster. Nothing was changed'
                )
    everyone = Roster(rows)
    for row in rows:
        if everyone.find(row.student) is not row:
            raise UsageError(
                f'"{one_line(row.student)}" is all that tells a student of the roster apart, and a name of another '
                "one too; give a login to both. Nothing was changed"
            )


def _what_changed(former: RosterRow, row: RosterRow) -> str:
    before, after = _facts(former), _facts(row)
    parts = [f"{name} {before[name] or 'nothing'} -> {after[name] or 'nothing'}" for name in ROSTER
             if before[name] != after[name]]  # fmt: skip
    return f"{row.student}: {', '.join(parts)}"
