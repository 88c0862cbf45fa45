"""Annotations of cards, read as GitHub's runner reads commands: what they say, how many, and that no text steers."""

import json
import re
from collections import Counter

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.report.annotations import annotations
from graders.engine.score.card import Card
from graders.engine.score.results import Where
from tests.conftest import Golden
from tests.report.hostile import hostile_cards
from tests.report.situations import FAILED, SITUATIONS, check, every_verdict, exercise, graded, one, practice, solved

KEYS = ["title", "file", "line"]


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """Return command, properties and message as the runner takes them; an account of our own of what it does."""
    match = re.match(r"\s*::([^:]+?)(?: (.*?))?::(.*)$", line, flags=re.DOTALL)
    assert match, line
    command, listed, message = match.groups()
    pairs = [pair.split("=", 1) for pair in (listed or "").split(",") if "=" in pair]
    return command, {name.strip(): unescaped(value, True) for name, value in pairs}, unescaped(message, False)


def unescaped(text: str, in_property: bool) -> str:
    signs = {"%0D": "\r", "%0A": "\n", **({"%3A": ":", "%2C": ","} if in_property else {}), "%25": "%"}
    for code, sign in signs.items():
        text = text.replace(code, sign)
    return text


@pytest.mark.parametrize("name", ["untouched", "fail", "notebook", "bonus_up_to_the_maximum", "broken", "withheld"])
def test_situation(name: str, golden: Golden) -> None:
    golden("annotations", name, "".join(f"{line}\n" for line in annotations(SITUATIONS[name])))


def test_every_verdict(golden: Golden) -> None:
    golden("annotations", "every_verdict", "".join(f"{line}\n" for line in annotations(every_verdict())))


def test_the_last_two_tell_the_points() -> None:
    for card in [*SITUATIONS.values(), solved(), graded(3, bonus=True)]:
        *_, complete, report = map(parsed, annotations(card))
        assert complete[:2] == ("notice", {"title": "Autograding complete"})
        assert report[:2] == ("notice", {"title": "Autograding report"})
        told = json.loads(report[2])
        assert complete[2] == f"Points {told['totalPoints']}/{told['maxPoints']}"
        if card.withheld is None:
            assert told == {"totalPoints": card.total, "maxPoints": card.max_points or card.bonus.max_points}


def places(card: Card) -> list[tuple[str, dict[str, str], str]]:
    return [each for each in map(parsed, annotations(card)) if not each[1]["title"].startswith("Autograding")]


def test_the_worst_ten_places_are_errors() -> None:
    fails = [check(f"part {n}", Verdict.FAIL, 1 + n % 5, got="nothing") for n in range(30)]
    todos = [check(f"blank {n}", Verdict.TODO, 9, got="TODO 1") for n in range(30)]
    found = places(one(*todos, *fails))
    assert [command for command, _, _ in found] == ["error"] * 10
    worths = [int(re.search(r"\(0/(\d)\)", message)[1]) for _, _, message in found]  # type: ignore[index]
    assert worths == [5] * 6 + [4] * 4


def test_what_is_still_to_do_comes_where_there_is_room() -> None:
    fails = [check(f"part {n}", Verdict.FAIL, got="nothing") for n in range(7)]
    todos = [check(f"blank {n}", Verdict.TODO, got="TODO 1") for n in range(30)]
    assert Counter(command for command, _, _ in places(one(*fails, *todos))) == {"error": 7, "notice": 3}
    assert Counter(command for command, _, _ in places(one(*todos))) == {"notice": 8}


def test_no_more_than_a_step_may_have() -> None:
    for card in [*SITUATIONS.values(), *hostile_cards(20)]:
        levels = Counter(parsed(line)[0] for line in annotations(card))
        assert set(levels) <= {"error", "warning", "notice"}
        assert max(levels.values()) <= 10


def test_a_place_is_a_line_of_a_file() -> None:
    ((command, properties, message),) = places(one(FAILED))
    assert (command, properties["file"], properties["line"]) == ("error", "exercises/ex02_token_pos.py", "31")
    assert properties["title"] == "FAIL: row p of the position table is added at place p"
    assert message.split("\n")[1:] == [
        "expected: row 0 at place 0",
        "got: row 1 at place 0; every place is one row late",
        "hint: Count positions from 0, since the table's first row is row 0.",
    ]


def test_a_cell_is_told_in_the_message() -> None:
    ((_, properties, message),) = [each for each in places(SITUATIONS["notebook"]) if each[0] == "error"]
    assert properties["file"] == "positional_embedding.ipynb"
    assert "line" not in properties
    assert message.startswith("cell 5, line 3: ")


@pytest.mark.parametrize(
    "file",
    [
        "a,line=1::x.py",
        "a%2Cline=1.py",
        "a\n::error::x.py",
        "a\r\n::add-mask::0.py",
        "a:b,c%d.py",
        "::stop-commands::x",
        "##[error]x.py",
        "100%",
    ],
)
def test_a_path_steers_nothing(file: str) -> None:
    failed = check("a part", Verdict.FAIL, got="nothing", line=7)
    (line, *_) = annotations(practice(exercise("ex02_token_pos", "Learned positions", failed, file=file)))
    assert line.splitlines() == [line]
    command, properties, message = parsed(line)
    assert (command, list(properties), properties["line"]) == ("error", KEYS, "7")
    shown = properties["file"].replace("## [", "##[")
    assert shown.encode().decode("unicode_escape") == file or shown.replace(": :", "::") == file
    assert message == "ex02_token_pos, a_part (0/1)\ngot: nothing"


def test_no_text_of_a_hostile_card_is_a_command() -> None:
    for card in hostile_cards(60):
        for line in annotations(card):
            assert line.splitlines() == [line]
            assert "##[" not in line
            command, properties, message = parsed(line)
            assert command in ("error", "warning", "notice")
            assert list(properties) == [key for key in KEYS if key in properties]
            assert properties.get("line", "1").isdigit()
            assert not [part for part in message.split("\n") if part.lstrip().startswith("::")]


def test_without_a_file_the_line_is_told_in_the_message() -> None:
    lost = exercise("ex02_token_pos", "Learned positions", FAILED).model_copy(update={"file": None})
    ((_, properties, message),) = places(practice(lost))
    assert list(properties) == ["title"]
    assert message.startswith("line 31: ex02_token_pos")
    assert FAILED.where == Where(line=31, cell=None)
