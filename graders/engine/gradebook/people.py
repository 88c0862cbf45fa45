"""The roster in a gradebook: who is in the class, added to and brought up to date from files, and never shortened."""

from collections.abc import Iterable
from dataclasses import dataclass

from graders.engine.clean import one_line
from graders.engine.errors import UsageError
from graders.engine.gradebook.failures import as_ours
from graders.engine.gradebook.file import Gradebook, changing
from graders.engine.gradebook.schema import ROSTER
from graders.engine.load.moments import moment
from graders.engine.load.roster import Extension, Roster, RosterRow

_KEYS = ("login", "id", "email")


@dataclass(frozen=True, slots=True)
class Changes:
    """What a file brought: a line for each student that is new, and for each that has changed; and who is not in it."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    absent: tuple[str, ...]


def roster(book: Gradebook) -> Roster:
    """Return all students, in the order in which they came."""
    return Roster(tuple(row for _, row in _numbered(book)))


def put_roster(book: Gradebook, file: Roster, who: str) -> Changes:
    """Add the students of a file, and bring those who are there up to date; whoever is not in it stays.

    A student is known by login, id or e-mail, whichever comes first. Raises UsageError where two would have the same
    one then, or where a row is about two students at once; nothing is changed in that case.
    """
    added, changed, seen = [], [], set()
    with changing(book, who) as log:
        there = dict(_numbered(book))
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
    absent = [row.student for number, row in there.items() if number not in seen]
    return Changes(tuple(added), tuple(changed), tuple(absent))


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


def _numbered(book: Gradebook) -> list[tuple[int, RosterRow]]:
    rows = book.connection.execute(f"SELECT number, {', '.join(ROSTER)} FROM roster ORDER BY number")
    with as_ours(book.path):
        return [
            (number, RosterRow(login, id_, name, email, section, extension_of(extension)))
            for number, login, id_, name, email, section, extension in rows
        ]


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


def _require_apart(rows: Iterable[RosterRow]) -> None:
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


def _what_changed(former: RosterRow, row: RosterRow) -> str:
    before, after = _facts(former), _facts(row)
    parts = [f"{name} {before[name] or 'nothing'} -> {after[name] or 'nothing'}" for name in ROSTER
             if before[name] != after[name]]  # fmt: skip
    return f"{row.student}: {', '.join(parts)}"
