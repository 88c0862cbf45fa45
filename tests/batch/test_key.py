"""Tests of the key: everything that decides a card changes it, and nothing else does."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graders.engine.batch.key import course_digest, submission_key
from graders.engine.batch.plan import in_shard
from graders.engine.load.course import Course
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.rubric import Limits, Rubric, load_rubric
from graders.engine.load.submission import CellSpan, ExerciseFile, Submission, Written
from graders.engine.run.isolation import Mode
from graders.engine.score.class_folder import Shard
from tests.batch.small_class import SLUG, make_course

FILE = ExerciseFile(SLUG, f"exercises/{SLUG}.py", b"x = 1\n", "1" * 64)
SUBMISSION = Submission("ada", (FILE,), ())


def key(submission: Submission = SUBMISSION, student: str = "ada", seed: int = 1, mode: Mode = Mode.STRICT) -> str:
    return submission_key("c" * 64, seed, True, mode, student, submission)


@pytest.mark.parametrize(
    "changed",
    [
        {"source": b"x = 2\n"},
        {"label": "positional.ipynb"},
        {"problem": "too large"},
        {"neighbours": ("torch",)},
        {"cells": (CellSpan(1, 1),)},
        {"wanted": ("Lookup",)},
        {"notes": ("from a notebook",)},
        {"written": (Written("essay", "essay.md", "2" * 64),)},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_every_part_of_a_file_decides(changed: dict[str, object]) -> None:
    assert key(replace(SUBMISSION, files=(replace(FILE, **changed),))) != key()  # type: ignore[arg-type]


def test_student_commit_seed_and_mode_decide_and_a_label_of_this_machine_does_not() -> None:
    others = [key(student="bob"), key(replace(SUBMISSION, commit="a" * 40)), key(seed=2), key(mode=Mode.EXTERNAL)]
    assert len({key(), *others}) == 5
    assert key(replace(SUBMISSION, label="elsewhere/ada", notes=("a remark",))) == key()


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(make_course(tmp_path / "course"))


def digest(course: Course, rubric: Rubric | None = None, hidden: bool = True) -> str:
    return course_digest(course, rubric or load_rubric(course.rubric), [SLUG], hidden)


def append(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")


def changed_hidden(course: Course) -> None:
    append(course.checks(SLUG, "hidden"))


def changed_visible(course: Course) -> None:
    append(course.checks(SLUG, "visible"))


def changed_reference(course: Course) -> None:
    append(course.references / f"{SLUG}.py")


def given(course: Course) -> None:
    course.given(SLUG).write_text("y = 1\n", encoding="utf-8")


def imported(course: Course) -> None:
    course.given(SLUG).with_name("shared.py").write_text("z = 1\n", encoding="utf-8")
    path = course.checks(SLUG, "visible")
    path.write_text(f"from graders.{SLUG} import shared\n{path.read_text(encoding='utf-8')}", encoding="utf-8")


@pytest.mark.parametrize("change", [changed_hidden, changed_visible, changed_reference, given, imported])
def test_every_file_that_judges_decides(course: Course, change: Callable[[Course], None]) -> None:
    before = digest(course)
    change(course)
    assert digest(course) != before


def test_what_checks_import_decides(course: Course) -> None:
    imported(course)
    before = digest(course)
    append(course.given(SLUG).with_name("shared.py"))
    assert digest(course) != before


def test_the_rubrics_points_and_limits_decide_and_its_late_policy_does_not(course: Course) -> None:
    rubric = load_rubric(course.rubric)
    policy = LatePolicy.model_validate({"deadline": "2026-12-01T12:00+00:00", "percent_per_day": 10})
    assert digest(course, rubric.model_copy(update={"late": policy})) == digest(course)
    assert digest(course, rubric.model_copy(update={"limits": Limits(seconds=2, memory_mib=512)})) != digest(course)
    exercise = rubric.exercises[SLUG].model_copy(update={"hidden": {"values": 4, "gradient": 2, "mode": 1}})
    assert digest(course, rubric.model_copy(update={"exercises": {SLUG: exercise}})) != digest(course)


def test_hidden_checks_decide_only_where_they_run(course: Course) -> None:
    before = digest(course, hidden=False)
    changed_hidden(course)
    assert digest(course, hidden=False) == before


def test_the_engine_decides_as_far_as_cards_come_out_of_it(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deciding = ("clean.py", "judge/session.py", "run/worker/boot.py", "score/card.py")
    for name in (*deciding, "cli/app.py", "report/words.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.setattr("graders.engine.batch.key.ENGINE", tmp_path)
    before = digest(course)
    for name in ("cli/app.py", "report/words.py"):
        append(tmp_path / name)
        assert digest(course) == before
    for name in deciding:
        append(tmp_path / name)
        assert digest(course) != before, name
        before = digest(course)


def test_shards_are_a_division_of_the_class_by_name_alone() -> None:
    students = [f"student-{number}" for number in range(400)]
    parts = [{name for name in students if in_shard(name, Shard(number=number, of=4))} for number in range(1, 5)]
    assert sorted(name for part in parts for name in part) == sorted(students)
    assert min(map(len, parts)) > 60
    assert {name for name in students if in_shard(name, None)} == set(students)
