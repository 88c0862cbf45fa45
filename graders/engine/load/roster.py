"""The roster: who is in the class, by which names other systems know them, and who has more time than others."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from graders.engine.clean import one_line
from graders.engine.errors import UsageError
from graders.engine.load.moments import Moment, moment
from graders.engine.load.person import require_person
from graders.engine.load.table import Row, Table, read_table

COLUMNS = ("login", "id", "name", "email", "section", "extension")
MOST_HOURS = 100_000

# What Moodle takes out of a name when it makes a folder's name of it.
_NOT_IN_FILES = re.compile(r"[&<>\"`|':\\/]")

_NAMED_BY = ("login", "id", "email", "name")
_WHAT = "a roster: CSV with a first line login,id,name,email,section,extension and one for each student"


class Extension(BaseModel):
    """More time for one student: so many hours after the deadline, or until a moment of their own."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    hours: Annotated[int, Field(ge=1, le=MOST_HOURS)] | None = None
    until: Moment | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.hours is None) == (self.until is None):
            raise ValueError("an extension is a number of hours or a moment, one of the two")
        return self


@dataclass(frozen=True, slots=True)
class RosterRow:
    """A student; what the roster does not say is empty."""

    login: str
    id: str
    name: str
    email: str
    section: str
    extension: Extension | None

    @property
    def student(self) -> str:
        """The name under which marks are kept: the login, or else the first that there is of the others."""
        return self.login or self.id or self.email or self.name


@dataclass(frozen=True)
class Roster:
    """All students, in the order of the file, and what of the file was not read."""

    rows: tuple[RosterRow, ...]
    unread: tuple[str, ...] = ()

    def find(self, text: str) -> RosterRow | None:
        """The only student with that login, id, e-mail or full name, in capitals or not; the first kind that fits."""
        wanted = _folded(text)
        for index in self._by:
            if wanted in index:
                return index[wanted]
        return None

    def find_name(self, name: str) -> RosterRow | None:
        """The only student of that full name: for names that students choose, which may be somebody else's login."""
        return self._by[-1].get(_folded(name))

    def is_shared(self, text: str) -> bool:
        """Whether this is the name of several, so that nobody is found by it."""
        wanted = _folded(text)
        return any(wanted in index and index[wanted] is None for index in self._by) or len(self.named(text)) > 1

    def named(self, squeezed: str) -> tuple[RosterRow, ...]:
        """All whose name this is in small letters without blanks, whichever part of it stands first."""
        return self._squeezed.get(squeezed, ())

    @cached_property
    def _by(self) -> tuple[Mapping[str, RosterRow | None], ...]:
        found: list[dict[str, RosterRow | None]] = []
        for column in _NAMED_BY:
            index: dict[str, RosterRow | None] = {}
            for row in self.rows:
                for name in _forms(column, getattr(row, column)):
                    # Two of the same name are none: nobody knows who is meant.
                    index[name] = None if index.get(name, row) is not row else row
            found.append(index)
        return tuple(found)

    @cached_property
    def _squeezed(self) -> Mapping[str, tuple[RosterRow, ...]]:
        index: dict[str, tuple[RosterRow, ...]] = {}
        for row in self.rows:
            for name in _turned(row.name):
                index[name] = (*index.get(name, ()), row)
        return index


def read_roster(path: Path) -> Roster:
    """The roster in a file; raises UsageError, which names line and column."""
    table = read_table(path, _WHAT, COLUMNS, ())
    rows = tuple(_row(table, row) for row in table.rows)
    for column in ("login", "id", "email"):
        _require_once(table, column, [_folded(getattr(row, column)) for row in rows])
    _require_once(table, "login, id, email or name", [_folded(row.student) for row in rows])
    return Roster(rows, table.unread)


def squeezed(name: str) -> str:
    """A name as Canvas puts it before a file's: small letters with their marks, digits, and nothing between them."""
    kept = (character for character in name if unicodedata.category(character)[0] in "LM" or character.isdecimal())
    return "".join(kept).lower()


def _row(table: Table, row: Row) -> RosterRow:
    cells = {column: table.parsed(row, column, require_person) or "" for column in COLUMNS[:-1]}
    if not any(cells[column] for column in _NAMED_BY):
        raise table.wrong(row, "login", "neither login nor id, name or email; expected one of them")
    if cells["email"] and not re.fullmatch(r"[^@\s]+@[^@\s]+", cells["email"]):
        raise table.wrong(row, "email", f'"{one_line(cells["email"])}" is no e-mail address; expected name@place')
    return RosterRow(**cells, extension=table.parsed(row, "extension", _extension))


def _extension(text: str) -> Extension:
    if re.fullmatch(r"[0-9]+", text):
        if not 1 <= int(text[:20]) <= MOST_HOURS:
            raise ValueError(f"{text[:20]} hours; expected 1 to {MOST_HOURS}, or nothing")
        return Extension(hours=int(text))
    try:
        return Extension(until=moment(text))
    except ValueError as error:
        raise ValueError(f"{error}, or a number of hours as 48") from error


def _require_once(table: Table, column: str, names: Sequence[str]) -> None:
    seen: dict[str, Row] = {}
    for name, row in zip(names, table.rows, strict=True):
        if not name:
            continue
        if name in seen:
            raise UsageError(
                f'{table.label}:{row.line}: {column}: "{one_line(name)}" stands in line {seen[name].line} as well; '
                "expected each student once"
            )
        seen[name] = row


def _folded(text: str) -> str:
    try:
        return require_person(re.sub(r"\s+", " ", text)).casefold()
    except ValueError:
        return ""  # what no person could have is nobody's


def _forms(column: str, name: str) -> Iterator[str]:
    """How that may be written: a name also without the comma that puts the family first."""
    if not name:
        return
    yield _folded(name)
    if column == "name":
        yield _folded(_NOT_IN_FILES.sub("", name))
    family, comma, given = name.partition(",")
    if column == "name" and comma and given.strip():
        yield _folded(f"{given.strip()} {family}")


def _turned(name: str) -> set[str]:
    words = name.replace(",", " ").split()
    return {squeezed("".join(words[place:] + words[:place])) for place in range(min(len(words), 8))} - {""}
