"""The command `grade` and its options: which exercises, which seed, and what the card says."""

import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from graders.engine.load.rubric import load_rubric
from graders.engine.report.console import make_console
from graders.engine.report.terminal import print_card
from graders.engine.score.card import card_from_json
from tests.command_line import ALL_PASSED, NOT_ALL_PASSED, ROOT, CommandLine, grade

RUBRIC = load_rubric(ROOT / "grading.yaml")
SLUGS = list(RUBRIC.exercises)
TOKEN_POS = "ex02_token_pos"
SCHEMA = json.loads((ROOT / "graders" / "card.schema.json").read_text(encoding="utf-8"))

Card = dict[str, Any]
CardOf = Callable[..., Card]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the references in exercises/; nobody changes it."""
    folder = tmp_path_factory.mktemp("answers")
    shutil.copytree(ROOT / "reference", folder / "exercises", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def strict_card(answers: Path, card_of: CardOf) -> Card:
    """The references' card, hidden checks included, under a seed that no other test has."""
    return card_of(answers, "--hidden", "--seed", 4_711, ends=ALL_PASSED)


@pytest.fixture(scope="module")
def card_of(command_line: CommandLine) -> CardOf:
    """``card_of(folder, *arguments, ends)``: grades a folder, and returns the card that `--json` wrote."""

    def card_of(folder: Path, *arguments: object, ends: int) -> Card:
        path = folder / "card.json"
        path.unlink(missing_ok=True)
        done = command_line.grade(folder, *arguments, "--json", path.name)
        assert (done.returncode, done.stderr) == (ends, "")
        card: Card = json.loads(path.read_text(encoding="utf-8"))
        return card

    return card_of


def without_seconds(card: Card) -> Card:
    for exercise in card["exercises"]:
        for check in exercise["checks"]:
            del check["seconds"]
    return card


def write_answer(folder: Path, old: str, new: str) -> str:
    """Write the reference of exercise 2 with one text replaced, and return its text."""
    text = (ROOT / "reference" / f"{TOKEN_POS}.py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    text = text.replace(old, new)
    (folder / "exercises").mkdir()
    (folder / "exercises" / f"{TOKEN_POS}.py").write_text(text, encoding="utf-8")
    return text


def test_trace_shows_frames_of_the_students_file_only(tmp_path: Path, card_of: CardOf) -> None:
    text = write_answer(tmp_path, "self.tok(token_ids)", "self.tok(token_ids.float())")
    line = text[: text.index("self.tok(token_ids.float())")].count("\n") + 1
    card = card_of(tmp_path, "--trace", "-e", TOKEN_POS, ends=NOT_ALL_PASSED)
    (raised,) = (check["got"] for check in card["exercises"][0]["checks"] if check["verdict"] == "error")
    frames = re.findall(r"^.*\bline \d+, in .*$", raised, re.MULTILINE)
    assert len(frames) == 1, "forward is the only function of the file that was running"
    assert frames[0].endswith(f"line {line}, in forward")
    assert "graders" not in raised
    assert "site-packages" not in raised


def test_the_same_seed_gives_the_same_card(tmp_path: Path, card_of: CardOf) -> None:
    write_answer(tmp_path, "torch.arange(length,", "torch.arange(1, length + 1,")
    options = ["--seed", 5, "-e", TOKEN_POS]
    first = card_of(tmp_path, *options, ends=NOT_ALL_PASSED)
    # In a process of its own, where the order of a set and all that this one has loaded by now are other.
    assert grade(tmp_path, *options, "--json", "again.json").returncode == NOT_ALL_PASSED
    again = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
    assert first["grader"]["seed"] == 5
    assert without_seconds(first) == without_seconds(again)


def test_another_seed_gives_the_references_all_points_but_those_that_a_person_gives(strict_card: Card) -> None:
    checks = [check for exercise in strict_card["exercises"] for check in exercise["checks"]]
    waiting = sum(check["max_points"] for check in checks if check["visibility"] == "person")
    assert strict_card["points"] == strict_card["max_points"] - waiting
    assert strict_card["bonus"]["points"] == strict_card["bonus"]["max_points"] > 0
    assert strict_card["total"] == strict_card["max_points"], "a bonus makes up for what is lost, and no more"
    assert [exercise["slug"] for exercise in strict_card["exercises"]] == SLUGS


def test_the_references_are_evidence_for_every_objective(strict_card: Card) -> None:
    assert [objective["name"] for objective in strict_card["objectives"]] == list(RUBRIC.objectives)
    assert all(objective["passed"] == objective["checks"] > 0 for objective in strict_card["objectives"])


def test_a_line_for_an_objective_fits_on_a_wide_terminal(strict_card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    printed = io.StringIO()
    print_card(card_from_json(json.dumps(strict_card)), make_console(printed))
    block = printed.getvalue().partition("Objectives")[2].partition("\n\n")[0]
    assert len(block.splitlines()) == 1 + len(RUBRIC.objectives)


def test_the_card_is_as_its_schema_says(strict_card: Card) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(strict_card)


def test_a_hidden_run_draws_a_seed_and_says_which(answers: Path, command_line: CommandLine) -> None:
    done = command_line.grade(answers, "--hidden", "-e", TOKEN_POS, "--json", "drawn.json")
    assert (done.returncode, done.stderr) == (ALL_PASSED, "")
    seed = json.loads((answers / "drawn.json").read_text(encoding="utf-8"))["grader"]["seed"]
    assert seed > 0, "0 is the seed of runs for practice"
    assert f"--seed {seed}" in done.stdout


@pytest.mark.parametrize(
    ("options", "graded"),
    [(["-e", SLUGS[2], "-e", SLUGS[0]], [SLUGS[0], SLUGS[2]]), (["-e", "ex02"], [TOKEN_POS])],
    ids=["two exercises", "the start of a name"],
)
def test_only_the_exercises_asked_for_are_graded(
    options: list[str], graded: list[str], answers: Path, card_of: CardOf
) -> None:
    card = card_of(answers, *options, ends=ALL_PASSED)
    assert [exercise["slug"] for exercise in card["exercises"]] == graded
