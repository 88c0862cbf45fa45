"""What goes wrong with a gradebook's file, in words for people: SQLite's errors, and what this program never wrote."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.errors import CourseError, shown_path

WAIT_SECONDS = 20.0
LONGEST_REASON = 200


@contextmanager
def as_ours(path: Path) -> Iterator[None]:
    """Turn the ValueError of what is read and was not written by this program into a CourseError."""
    try:
        yield
    except ValueError as error:
        raise CourseError(
            f"the gradebook {shown_path(path)} has something in it that is not of this program "
            f"({one_line(str(error))[:LONGEST_REASON]}); `grade gradebook check` says what was changed"
        ) from error


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a CourseError that says what to do."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # What the module itself refuses has no code: a text that is no UTF-8, in a table or within a message.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        words = _WORDS.get(code, _DAMAGED)
        raise CourseError(words.format(path=shown_path(path), error=one_line(str(error)))) from error


_DAMAGED = (
    "the gradebook {path} is damaged ({error}). It was left as it is: bring back a copy of it, or ask somebody who "
    "knows SQLite (`PRAGMA integrity_check`)"
)
_UNWRITTEN = (
    "the gradebook {path} cannot be used ({error}); nothing was changed. SQLite has to write in its folder, also for "
    "reading: see to the rights of file and folder, or copy the gradebook elsewhere"
)
_WORDS = {
    sqlite3.SQLITE_BUSY: f"another process has been writing the gradebook {{path}} for {WAIT_SECONDS:.0f} seconds; "
    "nothing was changed. Wait for its end, and try again",
    sqlite3.SQLITE_FULL: "the disk is full, so the gradebook {path} is as it was; make room, and try again",
    sqlite3.SQLITE_IOERR: "the gradebook {path} cannot be read or written ({error}); nothing was changed. See to disk "
    "and room",
    sqlite3.SQLITE_READONLY: _UNWRITTEN,
    sqlite3.SQLITE_CANTOPEN: _UNWRITTEN,
    sqlite3.SQLITE_PERM: _UNWRITTEN,
    sqlite3.SQLITE_CONSTRAINT: "the gradebook {path} refused a change that contradicts it ({error}); nothing was "
    "changed. Run `grade gradebook check`",
}


def damaged(path: Path) -> CourseError:
    """Return what to raise for a file that SQLite reads, and that is of no gradebook as they are."""
    return CourseError(_DAMAGED.format(path=shown_path(path), error="it contradicts itself"))
