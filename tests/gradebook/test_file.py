"""The file of a gradebook: what is none is refused, nothing runs that others put into it, and damage is named."""

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graders.engine.errors import CourseError, UsageError
from graders.engine.gradebook import file
from graders.engine.gradebook.file import make_gradebook, open_gradebook
from graders.engine.gradebook.finals import finals
from graders.engine.gradebook.log import entries
from graders.engine.gradebook.marks import add_marks, marks_in_force
from graders.engine.gradebook.people import put_roster
from graders.engine.gradebook.proof import problems
from graders.engine.gradebook.schema import APPLICATION_ID, SCHEMA
from graders.engine.load.roster import Extension, Roster, RosterRow
from tests.gradebook.material import after, card, give, mark, new_gradebook, tamper
from tests.gradebook.newer import NEWER


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a gradebook with something of everything in it."""
    path = new_gradebook(tmp_path_factory.mktemp("full") / "class.sqlite")
    with open_gradebook(path) as book:
        give(book, card("ada", 12), after(hours=-1))
        give(book, card("ada", 11), after(hours=-1))
        give(book, card("ben-b", 8), after(hours=5))
        add_marks(book, [mark("ada", 3), mark("ada", 4, day=2), mark("ben-b", 1)], "tests")
        put_roster(book, Roster((RosterRow("cleo", "", "Cleo", "", "", Extension(hours=9)),)), "tests")
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, full: bytes) -> Path:
    place = tmp_path / "class.sqlite"
    place.write_bytes(full)
    return place


def found(path: Path) -> list[str]:
    with open_gradebook(path) as book:
        return list(problems(book))


def test_a_gradebook_is_one_file_in_wal_mode(path: Path) -> None:
    assert found(path) == []
    assert os.listdir(path.parent) == [path.name]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA.version,)
        assert all(strict for *_, strict in connection.execute("PRAGMA table_list").fetchall() if _[1][:6] != "sqlite")


def test_nothing_is_made_over_a_file_that_is_there(path: Path, full: bytes) -> None:
    with pytest.raises(UsageError, match="is there already"):
        make_gradebook(path, "tests")
    assert path.read_bytes() == full


def test_where_nothing_can_be_written_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be made"):
        make_gradebook(tmp_path / "nowhere" / "class.sqlite", "tests")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is no gradebook"),
        (b"student,points\nada,3\n", "is no gradebook"),
        (b"SQLite format 3\x00" + bytes(200), "is no gradebook"),
        (None, "there is no"),
    ],
)
def test_what_is_no_gradebook_is_refused(tmp_path: Path, content: bytes | None, words: str) -> None:
    place = tmp_path / "file"
    if content is not None:
        place.write_bytes(content)
    with pytest.raises(UsageError, match=words), open_gradebook(place):
        pass
    assert os.listdir(tmp_path) == ([] if content is None else ["file"])


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE log (number INTEGER)")
    with pytest.raises(UsageError, match="is no gradebook"), open_gradebook(place):
        pass


def test_a_folder_or_a_pipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no file"), open_gradebook(tmp_path):
        pass
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(UsageError, match="is no file"), open_gradebook(tmp_path / "pipe"):
            pass


# ------------------------------------------------------------ what others put into it


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON marks BEGIN UPDATE settings SET max_points = 1; END",
        "CREATE TEMP TRIGGER evil AFTER INSERT ON marks BEGIN SELECT 1; END; CREATE TABLE more (a)",
        "CREATE VIEW more AS SELECT * FROM marks",
        "CREATE TABLE more (a)",
        "CREATE INDEX evil ON marks (note)",
        "DROP TRIGGER marks_stays_on_delete",
        "ALTER TABLE marks ADD COLUMN evil TEXT",
        "DROP TABLE gradings",
        "DROP TABLE roster; CREATE VIEW roster AS SELECT 1",
    ],
)
def test_other_tables_triggers_and_views_are_refused(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(statement)
    with pytest.raises(CourseError, match="other tables, triggers or views"), open_gradebook(path):
        pass


def test_functions_that_touch_the_system_do_not_run_from_a_file(path: Path) -> None:
    with open_gradebook(path) as book:
        assert book.connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError):
            book.connection.execute("SELECT load_extension('libm.so.6')")


def data_says_the_same(path: Path, full: bytes) -> bool:
    """Whether a file has, row by row, what the whole one has: the damage was where nothing is written."""
    other = path.with_name("whole.sqlite")
    other.write_bytes(full)
    with closing(sqlite3.connect(path)) as ours, closing(sqlite3.connect(other)) as theirs:
        return list(ours.iterdump()) == list(theirs.iterdump())


@pytest.mark.parametrize("place", range(60))
def test_damage_of_any_kind_is_said_in_words(path: Path, full: bytes, place: int) -> None:
    draw = random.Random(place)
    data = bytearray(full)
    if place % 6 == 0:
        data = data[: draw.randrange(100, len(data))]
    else:
        for _ in range(draw.choice([1, 3, 40])):
            data[draw.randrange(len(data))] = draw.randrange(256)
    path.write_bytes(data)
    said = ""
    try:
        with open_gradebook(path) as book:
            said = "\n".join(problems(book))
            finals(book)
    except (CourseError, UsageError) as error:
        said = str(error)
    assert said or data_says_the_same(path, full)
    assert "Traceback" not in said


def test_text_that_is_none_is_damage(path: Path) -> None:
    tamper(path, "UPDATE marks SET note = CAST(x'ff41' AS TEXT) WHERE number = 1")
    with pytest.raises(CourseError, match="is damaged"):
        found(path)


# ------------------------------------------------------------ what was changed by others


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE marks SET points = 5 WHERE number = 2", "marks: what came with entry"),
        ("UPDATE marks SET note = 'x' WHERE number = 1", "marks: what came with entry"),
        ("DELETE FROM marks WHERE number = 1", "marks: what entry"),
        ("UPDATE attempts SET handed_in_at = '2026-01-01T00:00:00+00:00'", "attempts: what came with entry"),
        ("UPDATE gradings SET card = (SELECT card FROM gradings ORDER BY number DESC LIMIT 1)", "gradings: what came"),
        ("DELETE FROM gradings WHERE number = 1", "gradings: what entry"),
        ("UPDATE cards SET card = replace(card, '\"seconds\": 0.1', '\"seconds\": 0.2')", "is not the digest"),
        ("UPDATE cards SET card = '{}'", "is none: "),
        ("DELETE FROM cards", "refers to cards, where there is no such row"),
        ("DELETE FROM roster WHERE number = 2", "roster: what entry"),
        ("UPDATE roster SET extension = '99' WHERE number = 1", "roster: what came with entry"),
        ("UPDATE roster SET extension = 'never' WHERE number = 1", "can't be counted"),
        (
            "UPDATE roster SET extension = '', logged = (SELECT number FROM log WHERE what = 'roster' AND "
            "student = 'cleo' AND former IS NULL) WHERE login = 'cleo'",
            "brought for cleo is gone",
        ),
        ("UPDATE settings SET late = NULL", "settings: what came with entry"),
        ("DELETE FROM settings", "brought for the course is gone"),
        ("UPDATE settings SET late = '{}'", "can't be counted"),
        ("UPDATE log SET who = 'me' WHERE number = 3", "log: entry 3 is not as it was written"),
        ("UPDATE log SET new = '{}' WHERE number = 3", "log: entry 3 is not as it was written"),
        ("DELETE FROM log WHERE number = 3", "log: after entry 2 comes 4"),
        ("DELETE FROM log WHERE number = (SELECT max(number) FROM log)", "refers to log, where there is no such row"),
        ("UPDATE log SET number = number + 1000", "log: after entry 0 comes"),
    ],
)
def test_a_change_behind_our_back_is_found(path: Path, statement: str, words: str) -> None:
    tamper(path, statement)
    try:
        said = "\n".join(found(path))
    except CourseError as error:
        said = str(error)
    assert words in said


def test_two_entries_cannot_change_places(path: Path) -> None:
    tamper(
        path,
        "UPDATE log SET number = -1 WHERE number = 3",
        "UPDATE log SET number = 3 WHERE number = 4",
        "UPDATE log SET number = 4 WHERE number = -1",
    )
    assert "log: entry 3 does not follow the one before" in found(path)


# ------------------------------------------------------------ versions, and other processes


def test_a_newer_file_than_this_program_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA.version + 1}")
    with pytest.raises(CourseError, match=r"is of version 2, and this program knows 1 at most; use a newer version"):
        found(path)


def test_a_file_of_no_version_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 0")
    with pytest.raises(CourseError, match="damaged"):
        found(path)


def test_an_older_file_is_brought_up_with_all_that_is_in_it(path: Path) -> None:
    with open_gradebook(path) as book:
        before = dict(finals(book)), marks_in_force(book)
    with open_gradebook(path, NEWER) as book:
        assert (dict(finals(book)), marks_in_force(book)) == before
        assert book.connection.execute("SELECT * FROM groups").fetchall() == [
            ("ada", "A"),
            ("ben-b", "B"),
            ("cleo", ""),
        ]
        assert list(entries(book.connection))[-1].what == "new version"
        assert list(problems(book)) == []
    with open_gradebook(path, NEWER) as book:  # once is enough
        assert sum(entry.what == "new version" for entry in entries(book.connection)) == 1
    with pytest.raises(CourseError, match="use a newer version"):
        found(path)


def test_what_an_older_file_should_not_have_does_not_run_while_it_is_brought_up(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER evil AFTER INSERT ON log BEGIN UPDATE settings SET max_points = 1; END")
    with pytest.raises(CourseError, match="other tables, triggers or views"), open_gradebook(path, NEWER):
        pass


def test_who_waits_too_long_for_another_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "WAIT_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with open_gradebook(path) as book, pytest.raises(CourseError, match="another process has been writing"):
            add_marks(book, [mark("cleo", 3)], "tests")
        other.execute("ROLLBACK")
    assert found(path) == []


def test_who_may_not_write_is_told(path: Path) -> None:
    with open_gradebook(path) as book:
        book.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(CourseError, match="cannot be used"):
            add_marks(book, [mark("cleo", 3)], "tests")
    assert found(path) == []
