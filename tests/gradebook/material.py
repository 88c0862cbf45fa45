"""What tests of the gradebook put into it: cards of so many points, and a class of a few."""

import datetime
import sqlite3
from contextlib import closing
from pathlib import Path

from graders.engine.gradebook.attempts import Came, Graded, add_attempts, digest
from graders.engine.gradebook.file import Gradebook, make_gradebook, open_gradebook
from graders.engine.gradebook.people import put_roster
from graders.engine.gradebook.settings import Settings, keep_settings
from graders.engine.judge.outcome import Verdict
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.roster import Extension, Roster, RosterRow
from graders.engine.score.card import Card, card_to_json, make_card
from graders.engine.score.class_folder import ClassExercise, ClassSettings, card_path, entry_path
from graders.engine.score.marks import Entry
from graders.engine.score.results import Answer, CheckResult, ExerciseResult
from tests.made_by import STRICT, class_entry

DEADLINE = datetime.datetime(2026, 12, 18, 22, 59, tzinfo=datetime.UTC)
POLICY = LatePolicy(deadline=DEADLINE, grace_minutes=15, percent_per_day=10, at_most_percent=50)
SLUG, WORTH = "ex01_plain", 20
ADA = RosterRow("ada", "0042", "Lovelace, Ada", "ada@example.org", "A", None)
BEN = RosterRow("ben-b", "0043", "Ben Björk", "Ben.B@example.org", "B", Extension(hours=48))
CLEO = RosterRow("cleo", "", "Cleo", "", "", None)
CLASS = Roster((ADA, BEN, CLEO))


def after(**span: float) -> datetime.datetime:
    return DEADLINE + datetime.timedelta(**span)


def card(student: str, points: int, *, work: str = "a", seconds: float = 0.1, words: bool = False) -> Card:
    """The card of work that earned so many of twenty points, the last two of them by a text if there are words."""
    found = [_check("done", Verdict.PASS, points, seconds), _check("open", Verdict.FAIL, WORTH - points, seconds)]
    checks = tuple(check for check in found if check is not None)
    if words:
        text = Answer(file="words.md", sha256="c" * 64)
        checks += (_made("words", Verdict.WAITING, 2, seconds, "person", text),)
    exercise = ExerciseResult(
        slug=SLUG,
        title="Plain",
        bonus=False,
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        file=f"{SLUG}.py",
        sha256=work * 64,
        notes=(),
        checks=checks,
    )
    return make_card([exercise], [("o", "An objective")], STRICT, student, bonus_beyond_maximum=False)


def _check(name: str, verdict: Verdict, worth: int, seconds: float) -> CheckResult | None:
    return _made(name, verdict, worth, seconds, "visible", None) if worth else None


def _made(
    name: str, verdict: Verdict, worth: int, seconds: float, visibility: str, answer: Answer | None
) -> CheckResult:
    return CheckResult.model_validate(
        {
            "id": name,
            "title": name,
            "objective": "o",
            "visibility": visibility,
            "verdict": verdict,
            "points": worth if verdict is Verdict.PASS else 0,
            "max_points": worth,
            "expected": "",
            "got": "",
            "hint": "",
            "where": None,
            "seconds": seconds,
            "output": "",
            "answer": answer,
            "mark": None,
        }
    )


def mark(student: str, points: int, *, check: str = "open", day: int = 1, note: str = "why") -> Entry:
    return Entry(
        student=student,
        exercise=SLUG,
        check=check,
        points=points,
        note=note,
        date=datetime.date(2026, 12, day),
        sha256="a" * 64,
    )


def graded(made: Card, at: datetime.datetime | None = None) -> Graded:
    assert made.student is not None
    return Graded(made.student, at, "a folder", None, card_to_json(made))


def give(book: Gradebook, made: Card, at: datetime.datetime | None = None) -> Came:
    """Add one card, and return what it was to the gradebook."""
    ((_, came),) = add_attempts(book, [graded(made, at)], "tests")
    return came


def new_gradebook(path: Path) -> Path:
    """Make a gradebook with the class and the late policy in it."""
    make_gradebook(path, "tests")
    with open_gradebook(path) as book:
        keep_settings(book, Settings(WORTH, POLICY), "tests")
        put_roster(book, CLASS, "tests")
    return path


def tamper(path: Path, *statements: str) -> None:
    """Change a gradebook as somebody could who has another program, and leave its triggers as they were."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)


def class_folder(folder: Path, *cards: tuple[Card, datetime.datetime | None], nothing: tuple[str, ...] = ()) -> Path:
    """Write a class folder with these cards, and with students of whom nothing could be graded."""
    for name in ("cards", "entries"):
        (folder / name).mkdir(parents=True)
    settings = ClassSettings(
        version=1,
        title="autumn",
        seed=5,
        hidden=True,
        mode="strict",
        course="c" * 64,
        grader="1.0",
        torch="2.13.0",
        python="3.11.2",
        exercises=(ClassExercise(slug=SLUG, title="Plain", max_points=WORTH, bonus=False),),
        deadline=None,
        shard=None,
    )
    (folder / "class.json").write_text(settings.model_dump_json(), encoding="utf-8")
    for made, at in cards:
        assert made.student is not None
        text = card_to_json(made)
        card_path(folder, made.student).write_bytes(text.encode("utf-8"))
        _write_entry(folder, made.student, at, digest(text))
    for student in nothing:
        _write_entry(folder, student, None, None)
    return folder


def _write_entry(folder: Path, student: str, at: datetime.datetime | None, sha256: str | None) -> None:
    said = "" if sha256 else "no file that could be read"
    entry = class_entry(student, sha256, source=f"submissions/{student}", handed_in_at=at, key=None, said=said)
    entry_path(folder, student).write_text(entry.model_dump_json(), encoding="utf-8")
