"""What a gradebook's file is made of: its tables, what may never change in them, and how an older file becomes newer.

`log` has an entry for every change, and each other row names the entry that it came with. Of what counts for a score
only the roster and the settings can be changed; all else is added to, and the newest is in force.
"""

from dataclasses import dataclass

APPLICATION_ID = 0x47724264
"""By which SQLite's header says whose file this is."""

ROSTER = ("login", "id", "name", "email", "section", "extension")
NAMES = ("login", "id", "name", "email")
SETTINGS = ("max_points", "late")
ATTEMPT = ("student", "content", "handed_in_at", "source", "commit_sha")
GRADING = ("attempt", "card")
MARK = ("student", "exercise", "check_id", "points", "note", "date", "sha256")

_TABLES = (
    """CREATE TABLE log (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    student TEXT,
    former TEXT,
    new TEXT,
    previous TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE
) STRICT""",
    """CREATE TABLE settings (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    max_points INTEGER NOT NULL CHECK (max_points > 0),
    late TEXT,
    logged INTEGER NOT NULL UNIQUE REFERENCES log (number)
) STRICT""",
    """CREATE TABLE roster (
    number INTEGER PRIMARY KEY,
    login TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    section TEXT NOT NULL,
    extension TEXT NOT NULL,
    logged INTEGER NOT NULL UNIQUE REFERENCES log (number)
) STRICT""",
    """CREATE TABLE cards (
    sha256 TEXT PRIMARY KEY,
    card TEXT NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE attempts (
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    content TEXT NOT NULL,
    handed_in_at TEXT,
    source TEXT NOT NULL,
    commit_sha TEXT,
    logged INTEGER NOT NULL UNIQUE REFERENCES log (number)
) STRICT""",
    "CREATE UNIQUE INDEX attempts_once ON attempts (student, content, ifnull(handed_in_at, ''))",
    """CREATE TABLE gradings (
    number INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempts (number),
    card TEXT NOT NULL REFERENCES cards (sha256),
    logged INTEGER NOT NULL UNIQUE REFERENCES log (number)
) STRICT""",
    "CREATE INDEX gradings_of_attempts ON gradings (attempt, number)",
    """CREATE TABLE marks (
    number INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    exercise TEXT NOT NULL,
    check_id TEXT NOT NULL,
    points INTEGER NOT NULL CHECK (points >= 0),
    note TEXT NOT NULL,
    date TEXT NOT NULL,
    sha256 TEXT,
    logged INTEGER NOT NULL UNIQUE REFERENCES log (number)
) STRICT""",
    "CREATE INDEX marks_of_checks ON marks (student, exercise, check_id, number)",
)
ADDED_TO_ONLY = ("log", "cards", "attempts", "gradings", "marks")
_KEPT = tuple(
    f"CREATE TRIGGER {table}_stays_on_{event.lower()} BEFORE {event} ON {table} "
    f"BEGIN SELECT raise(ABORT, 'the {table} of a gradebook are only ever added to'); END"
    for table in ADDED_TO_ONLY
    for event in ("UPDATE", "DELETE")
)


@dataclass(frozen=True, slots=True)
class Schema:
    """A version of the file: the statements that make a new one, and those that make one of the version before.

    Both have to leave the same tables, indexes and triggers, word for word: a file is used only if it has those.
    """

    version: int
    statements: tuple[str, ...]
    before: "Schema | None" = None
    steps: tuple[str, ...] = ()


SCHEMA = Schema(version=1, statements=(*_TABLES, *_KEPT))
