"""Tests of the card: what it accepts, what it refuses, and that its JSON comes back the same."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from graders.engine.judge.outcome import Verdict
from graders.engine.score.card import Card, card_from_json, card_schema, card_to_json

ROOT = Path(__file__).parents[2]
CHECK: dict[str, Any] = {
    "id": "constructor",
    "title": "the module is built",
    "objective": "implement",
    "visibility": "visible",
    "verdict": "pass",
    "points": 2,
    "max_points": 2,
    "expected": "",
    "got": "",
    "hint": "",
    "where": None,
    "seconds": 0.25,
    "output": "",
}
CARD: dict[str, Any] = {
    "version": 1,
    "points": 2,
    "max_points": 15,
    "grader": {
        "version": "0.1.0",
        "seed": 7,
        "torch": "2.13.0",
        "python": "3.11.7",
        "hidden": False,
        "mode": "practice",
    },
    "exercises": [
        {
            "slug": "ex01_waves",
            "title": "Waves",
            "points": 2,
            "max_points": 15,
            "file": "exercises/ex01_waves.py",
            "sha256": "a" * 64,
            "checks": [CHECK],
        }
    ],
}


def card_with(path: str = "", value: object = None) -> str:
    """The JSON of a sound card whose field at ``path``, such as ``exercises.0.points``, is ``value``."""
    card = copy.deepcopy(CARD)
    if path:
        *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        place: Any = card
        for key in parents:
            place = place[key]
        place[last] = value
    return json.dumps(card)


def test_a_card_survives_the_way_through_json() -> None:
    card = card_from_json(card_with("exercises.0.checks.0.title", "Größe in rad: π"))
    text = card_to_json(card)
    assert card_from_json(text) == card
    assert "Größe in rad: π" in text
    assert text.endswith("}\n")
    assert list(json.loads(text)) == ["version", "points", "max_points", "grader", "exercises"]
    assert card_to_json(card_from_json(text)) == text


def test_a_card_does_not_change() -> None:
    card = card_from_json(card_with())
    with pytest.raises(ValidationError, match="frozen"):
        card.points = 15


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("version", 2, "Input should be 1"),
        ("version", True, "Input should be 1"),
        ("version", 1.0, "Input should be 1"),
        ("extra", 1, "Extra inputs are not permitted"),
        ("points", 3, "the exercises add up to 2/15 points, not 3/15"),
        ("max_points", 16, "the exercises add up to 2/15 points, not 2/16"),
        ("points", 2.5, "valid integer"),
        ("points", "2", "valid integer"),
        ("points", True, "valid integer"),
        ("exercises", [], "at least 1 item"),
        ("exercises.0.points", 1, "ex01_waves: its checks earn 2 points, not 1"),
        ("exercises.0.max_points", 1, "worth 2 points, more than the 1 of the whole exercise"),
        ("exercises.0.max_points", 0, "greater than or equal to 1"),
        ("exercises.0.sha256", "abc", "match pattern"),
        ("exercises.0.checks", [CHECK, CHECK], "check listed more than once: constructor"),
        ("exercises.0.checks.0.points", -1, "greater than or equal to 0"),
        ("exercises.0.checks.0.points", 1, "the verdict pass earns 2 of 2 points, not 1"),
        ("exercises.0.checks.0.points", 3, "the verdict pass earns 2 of 2 points, not 3"),
        ("exercises.0.checks.0.verdict", "superb", "verdict"),
        ("exercises.0.checks.0.visibility", "hidden", "a practice card lists hidden checks"),
        ("exercises.0.checks.0.where", {"line": 0}, "greater than or equal to 1"),
        ("exercises.0.checks.0.output", "x" * 2001, "at most 2000 characters"),
        ("grader.mode", "strict", "hidden is False, so the mode is 'practice', not 'strict'"),
        ("grader.hidden", True, "hidden is True, so the mode is 'strict', not 'practice'"),
    ],
)
def test_a_card_that_contradicts_itself_is_refused(path: str, value: object, message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        card_from_json(card_with(path, value))


@pytest.mark.parametrize("verdict", sorted(set(Verdict) - {Verdict.PASS, Verdict.BROKEN}))
def test_other_verdicts_earn_nothing(verdict: Verdict) -> None:
    with pytest.raises(ValidationError, match=f"the verdict {verdict} earns 0 of 2 points, not 2"):
        card_from_json(card_with("exercises.0.checks.0.verdict", verdict))


def test_a_broken_check_keeps_its_points() -> None:
    card = card_from_json(card_with("exercises.0.checks.0.verdict", "broken"))
    assert card.points == 2


def test_a_card_in_which_no_check_ran_is_an_error() -> None:
    with pytest.raises(ValidationError, match="no check ran"):
        card_from_json(card_with("exercises.0", {**CARD["exercises"][0], "points": 0, "checks": []}))


def test_one_exercise_may_be_without_checks() -> None:
    other = {**CARD["exercises"][0], "slug": "ex02_all_hidden", "points": 0, "checks": []}
    card = card_from_json(json.dumps({**CARD, "max_points": 30, "exercises": [CARD["exercises"][0], other]}))
    assert (card.points, card.max_points) == (2, 30)


def test_an_exercise_comes_once() -> None:
    twice = {**CARD, "points": 4, "max_points": 30, "exercises": CARD["exercises"] * 2}
    with pytest.raises(ValidationError, match="exercise listed more than once: ex01_waves"):
        card_from_json(json.dumps(twice))


def test_a_strict_card_lists_every_point() -> None:
    grader = {**CARD["grader"], "hidden": True, "mode": "strict"}
    with pytest.raises(ValidationError, match="those listed are worth 2 of 15 points"):
        card_from_json(card_with("grader", grader))


def test_not_a_number_is_no_duration() -> None:
    with pytest.raises(ValidationError, match="finite number"):
        card_from_json(card_with("exercises.0.checks.0.seconds", float("nan")))


def test_the_kept_schema_is_up_to_date() -> None:
    kept = (ROOT / "graders" / "card.schema.json").read_text(encoding="utf-8")
    assert kept == card_schema(), (
        "graders/card.schema.json is old; write it anew with: "
        "python -m graders.engine.score.card > graders/card.schema.json"
    )


def test_the_module_prints_the_schema() -> None:
    command = [sys.executable, "-m", "graders.engine.score.card"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(printed.stdout) == Card.model_json_schema()
