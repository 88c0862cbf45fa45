"""The log of a gradebook: this module adds entries, reads them, and proves that none was changed or taken out.

Each entry has the digest of itself and of the one before. Whoever writes the file with other programs could make all
of them anew; against mishaps and edits by hand it holds.
"""

import datetime
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graders.engine.clean import one_line

BEGINNING = "0" * 64
LONGEST_WHO = 200
Facts = Mapping[str, str | int | None]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One change: when, by whom, what, about which student, and the facts before and after."""

    number: int
    at: str
    who: str
    what: str
    student: str | None
    former: str | None
    new: str | None
    previous: str
    digest: str

    @property
    def expected_digest(self) -> str:
        """The digest that follows from everything else."""
        return _digest([self.number, self.at, self.who, self.what, self.student, self.former, self.new, self.previous])


@dataclass(frozen=True, slots=True)
class Log:
    """Where the changes of a transaction are written down, with the name of whoever makes them."""

    connection: sqlite3.Connection
    who: str

    def add(self, what: str, student: str | None, former: Facts | None, new: Facts | None) -> int:
        """Write an entry, and return its number, by which the row that it tells of refers to it."""
        last = self.connection.execute("SELECT number, digest FROM log ORDER BY number DESC LIMIT 1").fetchone()
        number, previous = (1, BEGINNING) if last is None else (last[0] + 1, last[1])
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        told = [number, at, one_line(self.who)[:LONGEST_WHO], what, student, as_text(former), as_text(new), previous]
        self.connection.execute("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*told, _digest(told)))
        return int(number)


def as_text(facts: Facts | None) -> str | None:
    """Return facts as the log keeps them, always in the same order."""
    return None if facts is None else json.dumps(facts, ensure_ascii=False, sort_keys=True)


def entries(connection: sqlite3.Connection) -> Iterator[LogEntry]:
    """Yield all entries, the oldest first."""
    for row in connection.execute("SELECT * FROM log ORDER BY number"):
        yield LogEntry(*row)


def breaks(found: Iterator[LogEntry]) -> Iterator[str]:
    """Yield a line for each entry that is not as it was written, or does not follow the one before."""
    number, previous = 0, BEGINNING
    for entry in found:
        if entry.number != number + 1:
            yield f"log: after entry {number} comes {entry.number}"
        if entry.previous != previous:
            yield f"log: entry {entry.number} does not follow the one before"
        if entry.digest != entry.expected_digest:
            yield f"log: entry {entry.number} is not as it was written"
        number, previous = entry.number, entry.digest


def _digest(told: list[str | int | None]) -> str:
    return hashlib.sha256(json.dumps(told, ensure_ascii=True).encode("ascii")).hexdigest()
