"""Checks inside a notebook: the cells that its kernel has run are graded by the same command as files are.

Nothing needs to be saved, and no file needs to lie on the machine where the notebook is shown.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from graders.engine.errors import UsageError
from graders.engine.load.assignment import Assignment, assignments
from graders.engine.load.choice import exercise_in
from graders.engine.load.course import Course, find_course
from graders.engine.load.notebook.cells import MAX_CELLS, read_notebook
from graders.engine.load.place import Refused
from graders.engine.load.rubric import load_rubric

WIDTH = 100
# Jupyter sets these for what a cell starts; the grader would answer in colours that a text on paper does not have.
COLOURS = ("FORCE_COLOR", "CLICOLOR_FORCE")


def check(exercise: str) -> None:
    """Print what the visible checks say of an exercise, given by its name or the beginning of it.

    What counts is the code that this notebook has run, in the order in which it ran. Raises UsageError outside a
    notebook.
    """
    notebook = _as_notebook(_executed_inputs())
    course = find_course(None)
    rubric = load_rubric(course.rubric)
    chosen = assignments(course, rubric, [slug for slug in rubric.exercises if slug.startswith(exercise)])
    # A name that fits none of the exercises, or several, is answered by the command itself.
    lacking = _not_run_yet(chosen[0], notebook) if len(chosen) == 1 else ""
    print(lacking or _grade(course, rubric.notebook or "notebook.ipynb", exercise, notebook), end="")


def _executed_inputs() -> list[str]:
    """What was typed into each cell that ran, the first one first, with its magic commands as they were typed."""
    try:
        from IPython import get_ipython
    except ModuleNotFoundError:
        shell = None
    else:
        shell = get_ipython()
    if shell is None:
        raise UsageError("check() grades what a notebook has run, and this is none; for files, run `make grade`")
    # Place 0 is always empty, so that place N is In[N].
    return list(shell.history_manager.input_hist_raw[1:])


def _as_notebook(inputs: Sequence[str]) -> bytes:
    """A notebook of these inputs, in which cell N is In[N]; of a long session, the last ones have their text."""
    older = max(len(inputs) - MAX_CELLS, 0)
    inputs = [""] * older + list(inputs[older:])
    empty: dict[str, object] = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    cells = [empty | {"id": f"in-{number}", "source": text} for number, text in enumerate(inputs, start=1)]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _not_run_yet(assignment: Assignment, notebook: bytes) -> str:
    """What to do first, if no cell that has run holds anything of the exercise."""
    try:
        ran = read_notebook(notebook)
    except Refused:
        return ""  # the command says why
    if exercise_in(ran, assignment) is not None:
        return ""
    what = f"defines {' or '.join(assignment.names)}" if assignment.is_code else f"writes {assignment.file}"
    return f"No cell that {what} has run yet: run the cell of {assignment.slug} first, then this one again.\n"


def _grade(course: Course, name: str, exercise: str, notebook: bytes) -> str:
    """What the command prints for that notebook."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(notebook)
        # Started in that folder, the command knows the notebook by its bare name, and so do its messages.
        finished = subprocess.run(
            [sys.executable, "-m", "graders", "grade", "--isolation=practice", name, "-e", exercise],
            cwd=folder,
            env=_environment(course, os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    return finished.stdout


def _environment(course: Course, outer: Mapping[str, str]) -> dict[str, str]:
    path = os.pathsep.join([str(course.root.resolve()), *filter(None, [outer.get("PYTHONPATH")])])
    kept = {name: value for name, value in outer.items() if name not in COLOURS}
    return kept | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
