"""A claim is held against what grading found: by the visible checks that both have, and by nothing else."""

from pathlib import Path

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.load.rubric import Rubric
from graders.engine.score.card import Card
from graders.engine.score.claims import claim_differs
from graders.engine.score.scoring import NO_MARKS
from tests.github import small_course

SHA = "a" * 40


@pytest.fixture
def rubric(tmp_path: Path) -> Rubric:
    return small_course.rubric(tmp_path, small_course.FULL)


def card(rubric: Rubric, *failed: str, hidden: bool = True) -> Card:
    return small_course._scored(rubric, hidden, set(failed), "2", SHA, "ada", NO_MARKS)


def test_the_same_points_are_no_difference_whatever_hidden_checks_found(rubric: Rubric) -> None:
    claimed = card(rubric, "large", hidden=False)
    assert claim_differs(claimed, card(rubric, "large", "negative", "last")) is None


def test_a_forged_claim_is_told_in_points_and_checks(rubric: Rubric) -> None:
    words = claim_differs(card(rubric, hidden=False), card(rubric, "large", "first"))
    assert words == (
        "its own run claims 4 points for visible checks, grading anew gives 1; they differ in ex01_sum large, "
        "ex02_words first"
    )


def test_less_is_a_difference_too(rubric: Rubric) -> None:
    assert "claims 1 points" in str(claim_differs(card(rubric, "large", "first", hidden=False), card(rubric)))


def with_check(card: Card, old: str, **new: object) -> Card:
    """Return a card on which a check is another; nothing else is counted anew."""
    exercises = tuple(
        exercise.model_copy(
            update={
                "checks": tuple(check.model_copy(update=new) if check.id == old else check for check in exercise.checks)
            }
        )
        for exercise in card.exercises
    )
    return card.model_copy(update={"exercises": exercises})


def test_checks_of_another_release_are_not_compared(rubric: Rubric) -> None:
    claimed = with_check(card(rubric, hidden=False), "large", id="\x1b[2J of a former release")
    assert claim_differs(claimed, card(rubric, "large")) is None


@pytest.mark.parametrize("verdict", [Verdict.BROKEN, Verdict.MARKED])
def test_what_our_fault_or_a_person_decided_is_not_compared(verdict: Verdict, rubric: Rubric) -> None:
    assert (
        claim_differs(card(rubric, "large", hidden=False), with_check(card(rubric), "large", verdict=verdict)) is None
    )


def test_names_are_shown_on_one_line_and_not_endlessly(rubric: Rubric) -> None:
    name = "\x1b[2J\n::error::" + "x" * 180
    words = claim_differs(
        with_check(card(rubric, hidden=False), "large", id=name), with_check(card(rubric, "large"), "large", id=name)
    )
    assert words is not None
    assert words.isprintable()
    assert len(words) < 300
