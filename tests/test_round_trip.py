"""The generated notebook in a real kernel: the lesson runs, checks answer, and the references in it earn full marks.

This is what a student does: open the notebook, fill in cells, run them, save, and hand it in.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from graders.engine.author.notebook import build_notebook
from graders.engine.load.course import Course, find_course
from graders.engine.load.rubric import load_rubric
from tests.command_line import ROOT, CommandLine

RUBRIC = load_rubric(ROOT / "grading.yaml")
NOTEBOOK = str(RUBRIC.notebook)
CODE = [slug for slug, exercise in RUBRIC.exercises.items() if exercise.kind == "code"]
TRIED = "ex02"
"""The exercise whose checks are run in the kernel: before, in between and after."""
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
"""A reference trains as its cell runs; on a machine that is busy with other tests, a second thread mostly waits."""

Cells = dict[str, Any]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A student's fork: what the notebook needs around it. The kernel writes into it."""
    root = tmp_path_factory.mktemp("fork")
    for folder in ("graders", "exercises"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "grading.yaml", root)
    return find_course(root)


def filled_in(course: Course) -> nbformat.NotebookNode:
    """The notebook with references in the tagged cells, and one exercise tried out on the way."""
    notebook = nbformat.reads(build_notebook(course, RUBRIC), as_version=4)
    notebook.cells = [cell for made in notebook.cells for cell in with_answers(made)]
    return notebook


def with_answers(cell: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    tags = cell.metadata.get("tags", [])
    if cell.id == f"{TRIED}-code":
        # What a student runs before all is right: the check too early, a slip of the pen, the stub.
        yield nbformat.v4.new_code_cell(f'check("{TRIED}")', id="tried-nothing")
        slip = cell.source.replace("super().__init__()", "super().__init__(", 1)
        yield nbformat.v4.new_code_cell(slip, id="tried-slip", metadata={"tags": ["raises-exception"]})
        yield nbformat.v4.new_code_cell(cell.source, id="tried-stub")
        yield nbformat.v4.new_code_cell(f'check("{TRIED}")', id="tried-check")
    if tags and cell.source.startswith("%%writefile"):
        first, _, stub = cell.source.partition("\n")
        reference = ROOT / "reference" / first.split()[1]
        cell.source = f"{first}\n{reference.read_text(encoding='utf-8') if reference.is_file() else stub}"
    elif tags:
        cell.source = (ROOT / "reference" / f"{tags[0]}.py").read_text(encoding="utf-8")
    elif cell.id.endswith("-run"):
        return  # trainings, and functions that a reference does without
    if not cell.source.startswith("check(") or cell.id == f"{TRIED}-check":
        yield cell


@pytest.fixture(scope="module")
def executed(course: Course) -> Cells:
    """The notebook's cells after a run from top to bottom; it is saved in the fork. An exception in a cell ends it."""
    notebook = filled_in(course)
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(course.exercises)}}
    )
    client.execute(env=os.environ | ONE_THREAD)
    nbformat.write(notebook, course.exercises / NOTEBOOK)
    return {cell.id: cell for cell in notebook.cells}


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def test_the_set_up_cell_is_ready(executed: Cells) -> None:
    assert printed(executed["setup"]).startswith("Ready")


def test_the_lesson_prints_what_it_says(executed: Cells) -> None:
    codes = [cell for name, cell in executed.items() if re.fullmatch(r"lesson-.*-code(-\d+)?", name)]
    said = [re.findall(r"# -> (.*)$", cell.source, re.MULTILINE) for cell in codes]
    assert [printed(cell).splitlines() for cell in codes] == said
    assert sum(map(bool, said)) >= 5


def test_a_figure_is_drawn(executed: Cells) -> None:
    figures = [cell for name, cell in executed.items() if name.endswith("-figure")]
    drawn = [sorted(output.data) for cell in figures for output in cell.outputs]
    assert drawn == [["image/svg+xml", "text/plain"]]


def test_checks_answer_in_the_notebook(executed: Cells) -> None:
    assert printed(executed["tried-nothing"]).startswith("No cell that defines TokenPosEmbedding has run yet")
    stub, right = printed(executed["tried-check"]), printed(executed[f"{TRIED}-check"])
    assert "TODO 1" in stub
    assert f"{NOTEBOOK}, cell {executed['tried-stub'].execution_count}" in stub, "cell N is In[N]"
    assert "All visible checks pass." in right
    for text in (stub, right):
        assert "Traceback" not in text
        assert "\x1b" not in text, "colours"
        assert "/tmp" not in text
        assert max(map(len, text.splitlines())) <= 100


def test_the_references_in_its_cells_earn_full_marks(
    executed: Cells, course: Course, command_line: CommandLine
) -> None:
    assert executed
    done = command_line.grade(course.exercises, NOTEBOOK, "--hidden", "--seed", 1, "--json", "card.json")
    assert done.stderr == ""
    card = json.loads((course.exercises / "card.json").read_text(encoding="utf-8"))
    lost = [
        f"{exercise['slug']} {check['id']}: {check['verdict']}: {check['got']}"
        for exercise in card["exercises"]
        for check in exercise["checks"]
        if exercise["slug"] in CODE and check["verdict"] != "pass"
    ]
    assert lost == []
    assert [exercise["slug"] for exercise in card["exercises"]] == list(RUBRIC.exercises)


def test_the_answers_that_it_writes_lie_in_the_folder_of_the_exercises(executed: Cells, course: Course) -> None:
    for cell in executed.values():
        if cell.source.startswith("%%writefile"):
            first, _, text = cell.source.partition("\n")
            written: Path = course.exercises / first.split()[1]
            assert written.read_text(encoding="utf-8").rstrip("\n") == text.rstrip("\n")
            assert "Overwriting" in printed(cell)
