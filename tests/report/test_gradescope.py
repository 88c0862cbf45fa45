"""Gradescope's results.json of cards: documented fields only, hidden checks hidden, and true when it is read again."""

import json
from typing import Any

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.report.gradescope import gradescope, gradescope_refusal
from graders.engine.score.card import Card
from graders.engine.score.late import late_in_words
from graders.engine.score.sharing import Policy
from tests.conftest import Golden
from tests.report.gradescope_model import Results, Test
from tests.report.hostile import hostile_cards
from tests.report.situations import SITUATIONS, every_verdict, graded, handed_in, solved

CARDS = [*SITUATIONS.values(), every_verdict(), graded(4, bonus=True), solved(), *hostile_cards(30)]


def read(card: Card, policy: Policy = "band") -> Results:
    return Results.model_validate_json(gradescope(card, policy))


def listed(card: Card, policy: Policy) -> list[Test]:
    return read(card, policy).tests or []


def test_every_verdict(golden: Golden) -> None:
    golden("formats", "gradescope", gradescope(every_verdict(), "band"))


def test_points_and_verdicts_are_the_cards() -> None:
    for card in CARDS:
        results = read(card)
        assert results.score == card.total
        facts = results.extra_data or {}
        assert [facts["points"], facts["max_points"], facts["total"]] == [card.points, card.max_points, card.total]
        assert facts["bonus"] == card.bonus.model_dump()
        assert facts["withheld"] == (card.withheld.model_dump() if card.withheld else None)
        assert facts["late"] == (card.late.model_dump(mode="json") if card.late else None)
        checks = [(exercise, check) for exercise in card.exercises for check in exercise.checks]
        for test, (exercise, check) in zip(results.tests or [], checks, strict=True):
            assert (test.score, test.max_score) == (check.points, check.max_points)
            assert test.extra_data == {"exercise": exercise.slug, "check": check.id, "verdict": check.verdict}
            passed = None if check.verdict is Verdict.WAITING else check.points == check.max_points
            assert test.status == {None: None, True: "passed", False: "failed"}[passed]


def test_the_order_is_the_cards_wherever_numbers_are_sorted_as_texts() -> None:
    for card in CARDS:
        numbers = [test.number for test in listed(card, "band")]
        assert sorted(set(numbers), key=str) == numbers


def test_hidden_checks_are_seen_once_scores_are_published() -> None:
    shown = {check.visibility: test.visibility for check, test in pairs(graded(3), "band")}
    assert shown == {"visible": "visible", "hidden": "after_published"}
    shown = {check.visibility: test.visibility for check, test in pairs(graded(3), "points")}
    assert shown == {"visible": "visible", "hidden": "visible"}
    assert {test.visibility for check, test in pairs(SITUATIONS["text_waiting"], "band")} == {"visible"}


def pairs(card: Card, policy: Policy) -> list[tuple[Any, Test]]:
    checks = [check for exercise in card.exercises for check in exercise.checks]
    return list(zip(checks, listed(card, policy), strict=True))


@pytest.mark.parametrize("policy", ["none", "band"])
def test_nothing_that_students_see_at_once_tells_what_a_hidden_check_found(policy: Policy) -> None:
    def seen(card: Card) -> str:
        results = json.loads(gradescope(card, policy))
        tests = [test for test in results.pop("tests") if test["visibility"] == "visible"]
        # The score is hidden as long as a test is, and further data are for later runs.
        return json.dumps([tests, {key: results[key] for key in results if key not in ("score", "extra_data")}])

    assert "secret" not in seen(graded(3))
    assert (seen(graded(0)) == seen(graded(6))) == (policy == "none")
    assert read(graded(3), policy).stdout_visibility == "hidden"


@pytest.mark.parametrize("name", ["late", "late_after_an_extension", "in_time"])
def test_how_late_something_was_is_said_above_the_tests(name: str) -> None:
    card = SITUATIONS[name]
    assert card.late
    assert f"Late: {late_in_words(card.late)}." in (read(card).output or "")


def test_what_is_taken_off_does_not_tell_what_hidden_checks_found() -> None:
    cards = [handed_in(graded(passed), 23, 9) for passed in (4, 6)]
    assert len({card.late.points for card in cards if card.late}) == 2
    assert len({read(card).output for card in cards}) == 1


def test_texts_are_shown_as_they_stand() -> None:
    results = read(SITUATIONS["hostile_text"])
    assert {results.output_format, results.test_output_format, results.test_name_format} == {"text"}
    (test,) = results.tests or []
    assert test.output_format is None
    assert "\x1b" not in (test.output or "")


def test_a_submission_without_anything_to_grade_has_no_points_and_a_reason() -> None:
    results = Results.model_validate_json(gradescope_refusal("Nothing was graded: no file \x1b[31m\u202e"))
    assert (results.score, results.tests) == (0, [])
    assert results.output == r"Nothing was graded: no file \x1b[31m\u202e"
