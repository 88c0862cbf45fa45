"""Students work in the course's own folders: what they change there is graded, and no stub is lost by it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOT_ALL_PASSED, ROOT, CommandLine, command

TOKEN_POS, NOTEBOOK = "ex02_token_pos.py", "positional_embedding.ipynb"

Graded = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of this course, as a student has it."""
    for name in ("exercises", "graders", "reference"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "grading.yaml", tmp_path)
    return tmp_path


@pytest.fixture
def graded(course: Path, command_line: CommandLine) -> Graded:
    """``graded(*arguments, ends)``: grades the course's own exercises, and returns what the card says of each."""

    def graded(*arguments: object, ends: int) -> dict[str, dict[str, Any]]:
        done = command_line.grade(course, "exercises", "--course", ".", "--json", "card.json", *arguments)
        assert (done.returncode, done.stderr) == (ends, ""), done.stdout + done.stderr
        card = json.loads((course / "card.json").read_text(encoding="utf-8"))
        return {exercise["slug"]: exercise for exercise in card["exercises"]}

    return graded


def test_a_file_that_is_filled_in_counts_and_the_untouched_notebook_does_not(course: Path, graded: Graded) -> None:
    shutil.copy(course / "reference" / TOKEN_POS, course / "exercises")
    found = graded("-e", "ex02", ends=ALL_PASSED)["ex02_token_pos"]
    assert (found["points"], found["file"], found["notes"]) == (10, f"exercises/{TOKEN_POS}", [])


def test_a_broken_file_costs_its_own_exercise_alone(course: Path, graded: Graded) -> None:
    shutil.copy(course / "reference" / TOKEN_POS, course / "exercises")
    path = course / "exercises" / "ex01_sinusoidal.py"
    path.write_text(path.read_text(encoding="utf-8") + "\ndef (\n", encoding="utf-8")
    found = graded("-e", "ex01", "-e", "ex02", ends=NOT_ALL_PASSED)
    assert found["ex01_sinusoidal"]["checks"][0]["got"].startswith("SyntaxError: invalid syntax in `def (`")
    assert found["ex02_token_pos"]["points"] == 10


def test_written_answers_and_the_discussion_count_where_they_were_written(course: Path, graded: Graded) -> None:
    for path in (course / "reference").glob("ex07*"):
        shutil.copy(path, course / "exercises")
    found = graded("-e", "ex07", ends=ALL_PASSED)["ex07_knowledge_check"]
    verdicts = {check["id"]: check["verdict"] for check in found["checks"]}
    assert verdicts == {"form": "pass", "discussion": "waiting"}
    assert found["file"] == "exercises/ex07_knowledge_check.yaml"


def test_the_notebook_counts_where_it_holds_the_work(course: Path, graded: Graded) -> None:
    path = course / "exercises" / NOTEBOOK
    book = json.loads(path.read_text(encoding="utf-8"))
    (cell,) = (cell for cell in book["cells"] if "ex02_token_pos" in cell["metadata"].get("tags", []))
    cell["source"] = (course / "reference" / TOKEN_POS).read_text(encoding="utf-8")
    path.write_text(json.dumps(book), encoding="utf-8")
    found = graded("-e", "ex02", ends=ALL_PASSED)["ex02_token_pos"]
    assert (found["points"], found["file"]) == (10, f"exercises/{NOTEBOOK}")


def test_the_command_writes_notebook_and_record_as_they_were(course: Path) -> None:
    made = [course / "exercises" / NOTEBOOK, course / "graders" / "handed_out.json"]
    before = [path.read_bytes() for path in made]
    for path in made:
        path.unlink()
    done = command(course, "notebook")
    assert (done.returncode, done.stderr) == (ALL_PASSED, "")
    assert [path.read_bytes() for path in made] == before


def test_a_course_without_a_notebook_has_none_to_write(course: Path) -> None:
    path = course / "grading.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("notebook: positional", "# positional"), encoding="utf-8")
    done = command(course, "notebook")
    assert done.returncode == GRADERS_FAULT
    assert "grading.yaml names no notebook; add a line" in done.stderr
