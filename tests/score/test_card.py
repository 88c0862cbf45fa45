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
    "answer": None,
    "mark": None,
}
TEXT: dict[str, Any] = {
    **CHECK,
    "id": "discussion",
    "objective": "limits",
    "visibility": "person",
    "verdict": "waiting",
    "points": 0,
    "answer": {"file": "exercises/ex01_words.md", "sha256": "b" * 64},
}
MARK: dict[str, Any] = {"points": 1, "note": "Half of it.", "date": "2026-12-01", "answer_changed": False}
CARD: dict[str, Any] = {
    "version": 1,
    "student": "ann",
    "points": 2,
    "max_points": 15,
    "bonus": {"points": 0, "max_points": 0},
    "bonus_beyond_maximum": False,
    "late": None,
    "total": 2,
    "objectives": [
        {"name": "implement", "title": "Implement it", "passed": 1, "checks": 1, "undecided": 0},
    ],
    "grader": {
        "version": "0.1.0",
        "seed": 7,
        "commit": None,
        "torch": "2.13.0",
        "python": "3.11.7",
        "hidden": False,
        "mode": "practice",
        "sandbox": {"user": "nobody", "landlock_abi": 7, "layers": ["landlock", "seccomp"], "missing": []},
    },
    "withheld": None,
    "exercises": [
        {
            "slug": "ex01_waves",
            "title": "Waves",
            "bonus": False,
            "points": 2,
            "max_points": 15,
            "file": "exercises/ex01_waves.py",
            "sha256": "a" * 64,
            "notes": [],
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
    assert list(json.loads(text)) == list(CARD)
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
        ("exercises.0.checks.0.where", {"line": 0, "cell": None}, "greater than or equal to 1"),
        ("exercises.0.checks.0.where", {"line": 1, "cell": 0}, "greater than or equal to 1"),
        ("exercises.0.checks.0.output", "x" * 2001, "at most 2000 characters"),
        ("total", 3, "of 2/15 points 2 count in total, not 3"),
        ("bonus.points", 1, "the exercises add up to 2/15 points, not 2/15 points and 1/0 bonus points"),
        ("bonus.max_points", 5, "the exercises add up to 2/15 points, not 2/15 points and 0/5 bonus points"),
        ("exercises.0.bonus", True, "add up to 0/0 points and 2/15 bonus points, not 2/15 points"),
        ("student", "", "at least 1 character"),
        ("student", "  ", "a name has letters"),
        ("student", "ann\x1b[31m", "no control or invisible characters"),
        ("student", "Zoe\u0308", "accents composed"),
        ("student", "x" * 201, "at most 200 characters"),
        ("objectives", [], "the checks have objectives that are not listed: implement"),
        ("objectives", CARD["objectives"] * 2, "objective listed more than once: implement"),
        ("objectives.0.passed", 0, "objective implement: its figures do not follow from the checks"),
        ("objectives.0.checks", 2, "objective implement: its figures do not follow from the checks"),
        ("objectives.0.name", "limits", "not listed: implement"),
        ("exercises.0.checks.0.objective", "", "objective implement: its figures do not follow from the checks"),
        ("exercises.0.checks.0.visibility", "person", "what a person grades has an answer, and nothing else has"),
        ("exercises.0.checks.0.answer", TEXT["answer"], "what a person grades has an answer, and nothing else has"),
        ("exercises.0.checks.0.mark", MARK, "the verdict pass stands with a mark; only marked has one"),
        ("exercises.0.checks.0.verdict", "marked", "the verdict marked stands with no mark; only marked has one"),
        ("grader.hidden", True, "hidden checks ran, so the mode is strict or external, not practice"),
        ("grader.sandbox.landlock_abi", -1, "greater than or equal to 0"),
    ],
)
def test_a_card_that_contradicts_itself_is_refused(path: str, value: object, message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        card_from_json(card_with(path, value))


@pytest.mark.parametrize("verdict", sorted(set(Verdict) - {Verdict.PASS, Verdict.BROKEN, Verdict.MARKED}))
def test_other_verdicts_earn_nothing(verdict: Verdict) -> None:
    with pytest.raises(ValidationError, match=f"the verdict {verdict} earns 0 of 2 points, not 2"):
        card_from_json(card_with("exercises.0.checks.0.verdict", verdict))


def test_a_broken_check_keeps_its_points_and_says_nothing_about_an_objective() -> None:
    undecided = [{**CARD["objectives"][0], "passed": 0, "checks": 0, "undecided": 1}]
    broken = {**CARD["exercises"][0], "checks": [{**CHECK, "verdict": "broken"}]}
    card = card_from_json(json.dumps({**CARD, "objectives": undecided, "exercises": [broken]}))
    assert card.points == 2


def card_of(*checks: dict[str, Any], **objectives: tuple[int, int, int]) -> str:
    """The JSON of a card with these checks, and with passed, checks and undecided of each objective."""
    points = sum(check["points"] for check in checks)
    listed = [
        {"name": name, "title": name, "passed": passed, "checks": of, "undecided": undecided}
        for name, (passed, of, undecided) in objectives.items()
    ]
    exercise = {**CARD["exercises"][0], "points": points, "checks": checks}
    whole = {"points": points, "total": points, "objectives": listed, "exercises": [exercise]}
    return json.dumps({**CARD, **whole})


def test_a_text_waits_for_a_person_and_counts_for_no_objective_until_then() -> None:
    card = card_from_json(card_of(CHECK, TEXT, implement=(1, 1, 0), limits=(0, 0, 1)))
    assert (card.points, card.exercises[0].checks[1].verdict) == (2, Verdict.WAITING)
    with pytest.raises(ValidationError, match="objective limits: its figures do not follow from the checks"):
        card_from_json(card_of(CHECK, TEXT, implement=(1, 1, 0), limits=(0, 1, 0)))


@pytest.mark.parametrize(("points", "passed"), [(0, 0), (1, 0), (2, 1)])
def test_a_mark_earns_the_points_that_a_person_gave_and_is_evidence_if_it_is_full(points: int, passed: int) -> None:
    text = {**TEXT, "verdict": "marked", "points": points, "mark": {**MARK, "points": points}}
    card = card_from_json(card_of(CHECK, text, implement=(1, 1, 0), limits=(passed, 1, 0)))
    assert (card.points, card.total) == (2 + points, 2 + points)


@pytest.mark.parametrize(
    ("points", "mark", "message"),
    [
        (2, MARK, "the verdict marked earns 1 of 2 points, not 2"),
        (3, {**MARK, "points": 3}, "the verdict marked earns 3 of 2 points, not 3"),
        (1, {**MARK, "points": -1}, "greater than or equal to 0"),
        (1, {**MARK, "points": 1.0}, "valid integer"),
        (1, {**MARK, "note": "x" * 1001}, "at most 1000 characters"),
        (1, {**MARK, "note": "a\x07b"}, "character 2 is a control character"),
        (1, {**MARK, "date": "yesterday"}, "valid date"),
        (1, {**MARK, "date": 20_000}, "valid date"),
    ],
)
def test_a_mark_that_contradicts_the_card_or_itself_is_refused(points: int, mark: dict[str, Any], message: str) -> None:
    text = {**TEXT, "verdict": "marked", "points": points, "mark": mark}
    with pytest.raises(ValidationError, match=re.escape(message)):
        card_from_json(card_of(CHECK, text, implement=(1, 1, 0), limits=(0, 1, 0)))


@pytest.mark.parametrize("verdict", ["pass", "fail", "broken", "blocked", "timeout"])
def test_no_machine_decides_about_a_text(verdict: str) -> None:
    text = {**TEXT, "verdict": verdict, "points": 2 if verdict in ("pass", "broken") else 0}
    with pytest.raises(ValidationError, match="a person grades it, so its verdict cannot be"):
        card_from_json(card_of(CHECK, text, implement=(1, 1, 0), limits=(0, 1, 0)))


def with_bonus(points: int, bonus: int, total: int, beyond: bool, *, of: int = 100) -> str:
    """The JSON of a card with so many points of ``of``, and a bonus of 20 points at most."""
    checks = [
        {
            **CHECK,
            "id": f"{verdict}_{worth}",
            "verdict": verdict,
            "points": worth * (verdict == "pass"),
            "max_points": worth,
        }
        for verdict, worth in (("pass", points), ("fail", of - points))
        if worth
    ]
    extra = [{**CHECK, "id": "far", "points": bonus, "max_points": bonus}] if bonus else []
    exercises = [
        {**CARD["exercises"][0], "points": points, "max_points": of, "checks": checks},
        {**CARD["exercises"][0], "slug": "ex06_far", "bonus": True, "points": bonus, "max_points": 20, "checks": extra},
    ]
    passed = bool(points) + bool(bonus)
    objectives = [{**CARD["objectives"][0], "passed": passed, "checks": len(checks) + len(extra)}]
    return json.dumps(
        {
            **CARD,
            "points": points,
            "max_points": of if of else 0,
            "bonus": {"points": bonus, "max_points": 20},
            "bonus_beyond_maximum": beyond,
            "total": total,
            "objectives": objectives,
            "exercises": exercises if of else exercises[1:],
        }
    )


@pytest.mark.parametrize(
    ("points", "bonus", "beyond", "total"),
    [
        (40, 12, False, 52),
        (40, 12, True, 52),
        (93, 7, False, 100),
        (93, 12, False, 100),
        (93, 12, True, 105),
        (100, 20, False, 100),
        (100, 20, True, 120),
        (100, 0, False, 100),
    ],
)
def test_bonus_points_fill_up_to_the_maximum_or_go_beyond_it_where_the_rubric_says_so(
    points: int, bonus: int, beyond: bool, total: int
) -> None:
    card = card_from_json(with_bonus(points, bonus, total, beyond))
    assert (card.points, card.bonus.points, card.total) == (points, bonus, total)
    for other in (total - 1, total + 1):
        with pytest.raises(ValidationError, match=f"{total} count in total, not {other}"):
            card_from_json(with_bonus(points, bonus, other, beyond))


@pytest.mark.parametrize("beyond", [False, True])
def test_on_a_card_of_bonus_exercises_only_their_points_count_as_they_are(beyond: bool) -> None:
    card = card_from_json(with_bonus(0, 12, 12, beyond, of=0))
    assert (card.points, card.max_points, card.total) == (0, 0, 12)
    assert (card.bonus.points, card.bonus.max_points) == (12, 20)


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


def test_a_card_of_a_release_without_late_policies_is_one_that_is_not_late() -> None:
    older = {key: value for key, value in CARD.items() if key != "late"}
    assert card_from_json(json.dumps(older)) == card_from_json(json.dumps(CARD))


@pytest.mark.parametrize("sandbox", [{"missing": ["landlock"]}, {"layers": []}])
def test_a_strict_card_had_every_layer(sandbox: dict[str, Any]) -> None:
    grader = {**CARD["grader"], "mode": "strict", "sandbox": {**CARD["grader"]["sandbox"], **sandbox}}
    with pytest.raises(ValidationError, match="every layer of the sandbox held"):
        card_from_json(card_with("grader", grader))


def test_a_machine_that_lacks_layers_is_for_practice_or_somebody_answers_for_it() -> None:
    sandbox = {**CARD["grader"]["sandbox"], "layers": [], "missing": ["landlock"]}
    for mode in ("practice", "external"):
        card = card_from_json(card_with("grader", {**CARD["grader"], "mode": mode, "sandbox": sandbox}))
        assert card.grader.sandbox.missing == ("landlock",)


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
