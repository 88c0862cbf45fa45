"""Tests of cards for others to read: nothing that a hidden check or a person found is on them."""

import datetime

import pytest
from pydantic import ValidationError

from graders.engine.errors import UsageError
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.rubric import ExerciseRubric, Limits, PersonItem, Rubric
from graders.engine.load.submission import ExerciseFile
from graders.engine.score.card import Card, Withheld, card_from_json, card_to_json
from graders.engine.score.marks import Entry
from graders.engine.score.scoring import score
from graders.engine.score.sharing import share
from tests.made_by import PRACTICE, STRICT

SECRETS = {f"secret{number}": 1 for number in range(6)}
TEXT = PersonItem(title="Weigh it", objective="weigh", points=2, file="ex02_words.md", criteria=["1 point: a reason"])
RUBRIC = Rubric(
    version=1,
    limits=Limits(seconds=5.0, memory_mib=1024),
    objectives={"see": "See it.", "weigh": "Weigh it."},
    exercises={
        "ex01_plain": ExerciseRubric(slug="ex01_plain", title="Plain", visible={"seen": 2}, hidden=SECRETS),
        "ex02_extra": ExerciseRubric(
            slug="ex02_extra", title="Extra", bonus=True, visible={"seen": 1}, hidden={"far": 9}, person={"words": TEXT}
        ),
    },
)
FILES = [ExerciseFile(slug, f"{slug}.py", b"pass\n", "a" * 64) for slug in RUBRIC.exercises]
MARK = Entry(
    student="ann",
    exercise="ex02_extra",
    check="seen",
    points=1,
    note="Only for you.",
    date=datetime.date(2026, 11, 30),
    sha256="a" * 64,
)


def card(passed: int, *, marked: bool = False) -> Card:
    """The card of someone who passed so many of the six hidden checks of exercise 1, and none of exercise 2."""
    outcomes = [Outcome(slug, "seen", "what is seen", "see", "visible", Verdict.PASS) for slug in RUBRIC.exercises]
    outcomes += [
        Outcome("ex01_plain", name, "a secret title", "see", "hidden", Verdict.PASS if place < passed else Verdict.FAIL)
        for place, name in enumerate(SECRETS)
    ]
    outcomes.append(Outcome("ex02_extra", "far", "a secret title", "see", "hidden", Verdict.FAIL))
    marks = {("ex02_extra", "seen"): MARK} if marked else {}
    return score(RUBRIC, FILES, outcomes, STRICT, "ann", marks)


@pytest.mark.parametrize(
    ("passed", "band"), [(0, "few"), (1, "few"), (2, "some"), (3, "some"), (4, "most"), (6, "most")]
)
def test_a_band_says_in_which_third_the_hidden_points_lie(passed: int, band: str) -> None:
    assert share(card(passed), "band").withheld == Withheld(checks=7, max_points=15, band=band)


@pytest.mark.parametrize("policy", ["none", "band"])
def test_what_is_hidden_leaves_no_trace_but_its_worth(policy: str) -> None:
    cards = [share(card(passed), policy) for passed in (4, 5)]
    assert cards[0] == cards[1]
    text = card_to_json(cards[0])
    assert "secret" not in text
    assert "far" not in text
    assert card_from_json(text) == cards[0]
    assert (cards[0].points, cards[0].max_points, cards[0].grader.hidden) == (2, 8, False)
    assert [objective.checks for objective in cards[0].objectives] == [2, 1]


def test_without_a_band_the_share_is_not_told() -> None:
    assert share(card(0), "none") == share(card(6), "none")


def test_what_a_person_gave_is_left_out_as_well() -> None:
    shared = share(card(3, marked=True), "band")
    assert "Only for you" not in card_to_json(shared)
    assert [check.id for exercise in shared.exercises for check in exercise.checks] == ["seen", "words"]
    assert shared.withheld == Withheld(checks=8, max_points=16, band="some")


def test_under_points_a_card_is_shown_as_it_is() -> None:
    assert share(card(3, marked=True), "points") == card(3, marked=True)


def test_what_is_shared_stays_as_it_is() -> None:
    assert share(share(card(3), "band"), "none") == share(card(3), "band")


def test_a_card_without_anything_to_withhold_is_shown_as_it_is() -> None:
    outcomes = [Outcome(slug, "seen", "what is seen", "see", "visible", Verdict.PASS) for slug in RUBRIC.exercises]
    practice = score(RUBRIC, FILES, outcomes, PRACTICE, "ann")
    assert share(practice, "band") == practice


def test_marks_on_a_card_without_hidden_checks_are_not_for_others() -> None:
    outcomes = [Outcome(slug, "seen", "what is seen", "see", "visible", Verdict.PASS) for slug in RUBRIC.exercises]
    practice = score(RUBRIC, FILES, outcomes, PRACTICE, "ann", {("ex02_extra", "seen"): MARK})
    with pytest.raises(UsageError, match="share one that `--hidden` made"):
        share(practice, "band")


def test_a_card_of_hidden_checks_alone_is_not_for_others() -> None:
    alone = [exercise.model_copy(update={"checks": exercise.checks[1:2]}) for exercise in card(3).exercises]
    with pytest.raises(UsageError, match="nothing that others may read"):
        share(card(3).model_copy(update={"exercises": tuple(alone)}), "band")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("withheld", Withheld(checks=7, max_points=14, band=None), "15 points are not listed, but 14 withheld"),
        ("grader", STRICT, "lists every check"),
        ("grader", PRACTICE, "says so as a card without them"),
    ],
)
def test_a_card_that_withholds_says_so_truly(field: str, value: object, words: str) -> None:
    wrong = share(card(3), "band").model_copy(update={field: value})
    with pytest.raises(ValidationError, match=words):
        card_from_json(card_to_json(wrong))
