"""Results for GitHub Classroom's reporter, read as it reads them; what it makes of them is written here anew."""

import base64
import json
import re
from typing import Any

import pytest

from graders.engine.report.annotations import annotations
from graders.engine.report.classroom import LATE, SURPLUS, classroom
from graders.engine.score.card import Card
from tests.conftest import Golden
from tests.report.hostile import hostile_cards
from tests.report.situations import SITUATIONS, every_verdict, graded, solved

CARDS = [*SITUATIONS.values(), every_verdict(), graded(4, bonus=True), solved(), *hostile_cards(30)]
NEEDED = {"name", "status", "score", "message", "test_code", "filename", "line_no", "duration"}


def read(card: Card) -> dict[str, Any]:
    """Return what the reporter finds in the variable of a runner."""
    text = classroom(card)
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*\n", text)
    results = json.loads(base64.b64decode(text).decode("utf-8"))
    assert isinstance(results["tests"], list)
    return results


def notices(runners: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return title and message of the notices for some runners. One without a maximum isn't counted."""
    counted = [results for results in runners if results["max_score"]]
    points = sum(test["score"] for results in counted for test in results["tests"])
    whole = sum(results["max_score"] for results in counted)
    if not whole:
        return []
    report = json.dumps({"totalPoints": points, "maxPoints": whole}, separators=(",", ":"))
    return [("Autograding complete", f"Points {points}/{whole}"), ("Autograding report", report)]


def printed(results: dict[str, Any]) -> list[str]:
    """Return the lines that the reporter prints, raw, where the machine that runs the workflow reads along."""
    text = "".join(
        f"✅ {test['name']}\n\n" if test["status"] == "pass" else f"❌ {test['name']}\n\nError: {test['message']}\n\n"
        for test in results["tests"]
    )
    return text.split("\n")


def test_its_notices_are_those_that_we_print_ourselves() -> None:
    for card in CARDS:
        ours = [line for line in annotations(card) if line.startswith("::notice title=Autograding ")]
        assert [f"::notice title={title}::{message}" for title, message in notices([read(card)])] == ours


def test_points_are_the_cards() -> None:
    for card in CARDS:
        results = read(card)
        checks = [check for exercise in card.exercises for check in exercise.checks]
        rows = [(test["score"], test["status"]) for test in results["tests"] if test["name"] not in (SURPLUS, LATE)]
        assert rows == [(check.points, "pass" if check.points == check.max_points else "fail") for check in checks]
        if not card.withheld:
            assert sum(test["score"] for test in results["tests"]) == card.total
            assert results["max_score"] == (card.max_points or card.bonus.max_points)


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("fail", "Points 1/24"),
        ("bonus_up_to_the_maximum", "Points 40/40"),
        ("bonus_beyond_the_maximum", "Points 47/40"),
        ("bonus_only", "Points 4/20"),
        ("withheld", "Points 2/5"),
        ("withheld_with_bonus", "Points 2/5"),
        ("text_marked", "Points 2/3"),
        ("in_time", "Points 5/5"),
        ("late", "Points 32/40"),
        ("late_after_an_extension", "Points 7/11"),
    ],
)
def test_the_points_of_a_situation(name: str, figures: str) -> None:
    assert notices([read(SITUATIONS[name])])[0][1] == figures


def test_the_job_fails_where_the_student_has_something_to_mend() -> None:
    assert read(SITUATIONS["fail"])["status"] == "fail"
    assert read(SITUATIONS["untouched"])["status"] == "fail"
    assert read(SITUATIONS["text_marked"])["status"] == "fail"
    assert read(solved())["status"] == "pass"
    assert read(SITUATIONS["hidden_run_waiting"])["status"] == "pass"
    assert read(SITUATIONS["broken"])["status"] == "pass"


def test_all_fields_are_there_and_numbers_are_integers() -> None:
    for card in CARDS:
        for test in read(card)["tests"]:
            assert set(test) == NEEDED
            assert {type(test[name]) for name in ("score", "line_no", "duration")} == {int}


def test_a_line_is_one_of_a_file() -> None:
    lines = {name: [test["line_no"] for test in read(SITUATIONS[name])["tests"]] for name in ("fail", "notebook")}
    assert lines == {"fail": [0, 31], "notebook": [0]}
    assert [test["line_no"] for test in read(SITUATIONS["without_file"])["tests"]] == [0]


def test_nothing_that_the_reporter_prints_is_a_command() -> None:
    for card in CARDS:
        for line in printed(read(card)):
            assert "##[" not in line
            assert not line.lstrip().startswith("::")


def test_every_verdict(golden: Golden) -> None:
    golden("formats", "classroom", json.dumps(read(every_verdict()), indent=2, ensure_ascii=False) + "\n")


def test_what_a_person_gave_in_full_is_passed() -> None:
    assert [test["status"] for test in read(SITUATIONS["text_marked_in_full"])["tests"]] == ["pass", "pass"]
    assert [test["status"] for test in read(SITUATIONS["text_marked"])["tests"]] == ["pass", "fail"]
