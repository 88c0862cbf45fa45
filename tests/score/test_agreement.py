"""Whether a card can be of a course: all that the course makes can, and none with another check, name or point."""

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graders.engine.load.roster import Extension
from graders.engine.score.agreement import disagreements
from graders.engine.score.card import Card, card_from_json, card_to_json
from graders.engine.score.late import with_late
from graders.engine.score.marks import Entry
from tests.github.small_course import FULL, PUBLIC, card, practice_card, rubric

SHA = "a" * 40
ESSAY = {
    ("ex02_words", "essay"): Entry(
        student="ada",
        exercise="ex02_words",
        check="essay",
        points=1,
        note="short",
        date=datetime.date(2026, 11, 1),
        sha256=None,
    )
}
VISIBLE_MARKED = {
    ("ex01_sum", "small"): ESSAY["ex02_words", "essay"].model_copy(update={"exercise": "ex01_sum", "check": "small"})
}


@pytest.mark.parametrize("kind", [FULL, PUBLIC], ids=["full", "public"])
@pytest.mark.parametrize("policy", ["none", "band", "points"])
@pytest.mark.parametrize("marks", [{}, ESSAY, VISIBLE_MARKED], ids=["no mark", "an essay's", "another's"])
def test_every_card_of_the_course_agrees_with_its_rubrics(
    tmp_path: Path, kind: dict[str, str], policy: str, marks: dict[tuple[str, str], Entry]
) -> None:
    made = card(rubric(tmp_path, FULL), SHA, "ada", policy, marks=marks)
    assert disagreements(made, rubric(tmp_path, kind)) == []
    assert disagreements(practice_card(rubric(tmp_path, FULL), SHA, "ada"), rubric(tmp_path, kind)) == []


@pytest.mark.parametrize("kind", [FULL, PUBLIC], ids=["full", "public"])
def test_a_card_of_one_exercise_agrees(tmp_path: Path, kind: dict[str, str]) -> None:
    whole = rubric(tmp_path, FULL)
    one = whole.model_copy(update={"exercises": {"ex01_sum": whole.exercises["ex01_sum"]}})
    assert disagreements(card(one, SHA, "ada"), rubric(tmp_path, kind)) == []


EDITS = [
    ("title: Sums", "title: Products", "exercise ex01_sum: expected the title Products, got Sums"),
    ("    bonus: true\n", "", "exercise ex02_words: expected the bonus False, got True"),
    ("ex01_sum", "ex01_add", "exercise ex01_sum: grading.yaml has none of this name"),
    ("small: 1, large: 2", "small: 2, large: 1", "exercise ex01_sum: check small: expected 2 points, got 1"),
    ("large: 2", "huge: 2", "exercise ex01_sum: check large: grading.yaml has none of this name that is visible"),
    ("large: 2", "huge: 2", "exercise ex01_sum: it lists no huge, and says nothing of leaving checks out"),
    ("large: 2", "large: 2, more: 1", "exercise ex01_sum: expected the max_points 9, got 8"),
    ("count: Count things", "count: Count others", "objective count: grading.yaml has none of this title"),
    ("version: 1", "version: 1\nbonus_beyond_maximum: true", "bonus_beyond_maximum is another in grading.yaml"),
    ("points: 2", "points: 1", "exercise ex02_words: check essay: expected 1 points, got 2"),
    ("essay:", "letter:", "exercise ex02_words: check essay: grading.yaml has none of this name that is person"),
]


@pytest.mark.parametrize(("old", "new", "words"), EDITS)
def test_what_a_rubric_has_otherwise_is_said(tmp_path: Path, old: str, new: str, words: str) -> None:
    made = card(rubric(tmp_path, FULL), SHA, "ada", "points")
    assert words in disagreements(made, rubric(tmp_path, FULL, edit=(old, new)))
    assert words in disagreements(made, rubric(tmp_path, PUBLIC, edit=(old, new)))


LATE = "late: {deadline: 2026-12-18T23:59:00+01:00, grace_minutes: 5, percent_per_day: 10, at_most_percent: 50}"


def late_card(tmp_path: Path) -> Card:
    """A whole card of work that came a day late."""
    whole = rubric(tmp_path, FULL, edit=("version: 1", f"version: 1\n{LATE}"))
    assert whole.late
    handed_in_at = whole.late.deadline + datetime.timedelta(hours=5)
    return with_late(card(whole, SHA, "ada", "points"), whole.late, handed_in_at, Extension(hours=2))


@pytest.mark.parametrize("kind", [FULL, PUBLIC], ids=["full", "public"])
def test_what_being_late_costs_is_the_rubrics(tmp_path: Path, kind: dict[str, str]) -> None:
    made = late_card(tmp_path)
    assert disagreements(made, rubric(tmp_path, kind, edit=("version: 1", f"version: 1\n{LATE}"))) == []
    assert disagreements(made, rubric(tmp_path, kind)) == ["late: grading.yaml takes nothing off for being late"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("12-18", "12-19", "the deadline 2026-12-19 23:59:00+01:00, got 2026-12-18 22:59:00+00:00"),
        ("minutes: 5", "minutes: 6", "the grace_minutes 6, got 5"),
        ("day: 10", "day: 20", "the percent_per_day 20, got 10"),
        ("percent: 50", "percent: 60", "the at_most_percent 60, got 50"),
    ],
)
def test_another_late_policy_is_said(tmp_path: Path, old: str, new: str, words: str) -> None:
    made = late_card(tmp_path)
    other = rubric(tmp_path, FULL, edit=("version: 1", f"version: 1\n{LATE.replace(old, new)}"))
    assert disagreements(made, other) == [f"late: expected {words}"]


def test_hidden_checks_have_names_where_the_rubric_names_them(tmp_path: Path) -> None:
    made = card(rubric(tmp_path, FULL), SHA, "ada", "points")
    other = rubric(tmp_path, FULL, edit=("empty: 2", "full: 2"))
    assert "exercise ex01_sum: check empty: grading.yaml has none of this name that is hidden" in disagreements(
        made, other
    )


def test_a_hidden_check_may_not_have_the_name_of_another(tmp_path: Path) -> None:
    made = card(rubric(tmp_path, FULL, edit=("empty: 2", "small2: 2")), SHA, "ada", "points")
    public = rubric(tmp_path, PUBLIC, edit=("large: 2", "small2: 2"))
    assert "exercise ex01_sum: check small2 is hidden, but grading.yaml has another one of this name" in disagreements(
        made, public
    )


def changed(made: Card, change: Callable[[dict[str, Any]], None]) -> Card:
    data = json.loads(card_to_json(made))
    change(data)
    return card_from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("kind", "checks", "expected"),
    [(FULL, 2, "3"), (FULL, 4, "3"), (PUBLIC, 1, "2 to 6"), (PUBLIC, 7, "2 to 6")],
)
def test_as_many_checks_are_withheld_as_there_are(
    tmp_path: Path, kind: dict[str, str], checks: int, expected: str
) -> None:
    made = changed(
        card(rubric(tmp_path, FULL), SHA, "ada"), lambda data: data["withheld"].__setitem__("checks", checks)
    )
    assert disagreements(made, rubric(tmp_path, kind)) == [f"withheld: expected {expected} checks, got {checks}"]


def test_names_on_a_card_are_shown_harmless(tmp_path: Path) -> None:
    made = changed(
        card(rubric(tmp_path, FULL), SHA, "ada"),
        lambda data: data["exercises"][0].__setitem__("slug", "x\n::error::\x1b[2J"),
    )
    (line,) = disagreements(made, rubric(tmp_path, FULL))
    assert line.isprintable()
