"""The file of a gradebook: made whole, opened as what a stranger may have written, and changed all at once or not.

SQLite keeps what is committed through any end of a process, and lets one process write at a time. A file is used only
if its tables, triggers and views are ours to the letter, so that no statement runs that somebody else has put there.
"""

import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from graders.engine.errors import CourseError, UsageError, shown_path
from graders.engine.gradebook.failures import WAIT_SECONDS, damaged, in_words
from graders.engine.gradebook.log import Log
from graders.engine.gradebook.schema import APPLICATION_ID, SCHEMA, Schema

LONGEST_VALUE = 64_000_000
_PRAGMAS = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    "foreign_keys = ON",
    "recursive_triggers = ON",  # or else INSERT OR REPLACE deletes rows behind their triggers
    "synchronous = FULL",
)
MAGIC = b"SQLite format 3\x00"
_PLACE_OF_APPLICATION_ID = slice(68, 72)


@dataclass(frozen=True, slots=True)
class Gradebook:
    """A gradebook that is open; the other modules of this package read and change it."""

    path: Path
    connection: sqlite3.Connection


def make_gradebook(path: Path, who: str, schema: Schema = SCHEMA) -> None:
    """Make an empty gradebook; raises UsageError if something lies there already, or nothing can be written there."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with in_words(draft), closing(_connect(draft, "rwc")) as connection:
            with _transaction(connection):
                for statement in schema.statements:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {schema.version}")
                Log(connection, who).add("made", None, None, {"version": schema.version})
            connection.execute("PRAGMA journal_mode = WAL")
        os.link(draft, path)  # unlike a rename, this overwrites nothing
    except FileExistsError:
        raise UsageError(f"{shown_path(path)} is there already; expected a name for a new gradebook") from None
    except (CourseError, OSError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else "SQLite can't write there"
        raise UsageError(f"{shown_path(path)} cannot be made: {reason}; give a place that can be written") from error
    finally:
        for rest in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + rest).unlink(missing_ok=True)


@contextmanager
def open_gradebook(path: Path, schema: Schema = SCHEMA) -> Iterator[Gradebook]:
    """Open a gradebook, and bring one of an older version to ours first.

    Raises UsageError for what is no gradebook, CourseError for one that is damaged or of a newer version.
    """
    _require_ours(path)
    with in_words(path), closing(_connect(path, "rw")) as connection:
        _bring_up(path, connection, schema)
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != ("ok",):
            raise damaged(path)
        yield Gradebook(path, connection)


@contextmanager
def changing(book: Gradebook, who: str) -> Iterator[Log]:
    """Change a gradebook: everything within takes place together, or nothing does. Yields the log to write to."""
    with in_words(book.path), _transaction(book.connection):
        yield Log(book.connection, who)


@contextmanager
def reading(book: Gradebook) -> Iterator[None]:
    """Read a gradebook as it is at one moment, whatever others add meanwhile."""
    with in_words(book.path):
        book.connection.execute("BEGIN")
        try:
            yield
        finally:
            if book.connection.in_transaction:  # some errors have ended it
                book.connection.execute("ROLLBACK")


def _require_ours(path: Path) -> None:
    """Raise UsageError for what no SQLite should be let loose on: another's file, or none."""
    shown = shown_path(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UsageError(f"{shown} is no file; give the gradebook that `grade gradebook init` made")
        with open(path, "rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        raise UsageError(f"there is no {shown}; `grade gradebook init {shown}` makes a gradebook") from None
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}") from error
    if not head.startswith(MAGIC) or head[_PLACE_OF_APPLICATION_ID] != APPLICATION_ID.to_bytes(4):
        raise UsageError(f"{shown} is no gradebook; give one that `grade gradebook init` made")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    # Transactions are begun and ended here, and not by the module.
    address = f"file:{quote(os.path.abspath(path))}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # IMMEDIATE: what is read within is not overtaken by another process before it is written.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors have ended it
            connection.execute("ROLLBACK")
        raise


def _bring_up(path: Path, connection: sqlite3.Connection, schema: Schema) -> None:
    """Make a file of an older version one of this, step by step; raises CourseError if it is of none that is known."""
    if _version(connection) > schema.version:
        raise CourseError(
            f"the gradebook {shown_path(path)} is of version {_version(connection)}, and this program knows "
            f"{schema.version} at most; use a newer version of this program"
        )
    if _version(connection) < schema.version:
        if schema.before is None:
            raise damaged(path)
        _bring_up(path, connection, schema.before)
        with _transaction(connection):
            if _version(connection) < schema.version:  # or else another process was faster
                for statement in schema.steps:
                    connection.execute(statement)
                versions = {"version": schema.version - 1}, {"version": schema.version}
                Log(connection, "grade").add("new version", None, *versions)
                connection.execute(f"PRAGMA user_version = {schema.version}")
    _require_schema(path, connection, schema)


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _require_schema(path: Path, connection: sqlite3.Connection, schema: Schema) -> None:
    """Raise CourseError unless the file has what this version has; of a version that came meanwhile, that is newer."""
    with closing(sqlite3.connect(":memory:")) as ours:
        for statement in schema.statements:
            ours.execute(statement)
        if _objects(connection) != _objects(ours) and _version(connection) == schema.version:
            raise CourseError(
                f"the gradebook {shown_path(path)} has other tables, triggers or views than this program makes, and "
                "none of them is used. Bring back a copy of it"
            )


def _objects(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
