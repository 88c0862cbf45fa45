"""The command line's word on bad input: an exit code for each kind of end, one readable message, no stack trace."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graders.engine.errors import CourseError
from graders.engine.judge.session import Options, judge
from graders.engine.load.assignment import assignments
from graders.engine.load.course import Course, find_course
from graders.engine.load.reading import load_submission
from graders.engine.load.rubric import load_rubric
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOT_ALL_PASSED, NOTHING_GRADED, ROOT, grade

SLUGS = tuple(load_rubric(ROOT / "grading.yaml").exercises)


@pytest.fixture
def answers(tmp_path) -> Path:
    """A folder with the right answers of all exercises in exercises/."""
    shutil.copytree(ROOT / "reference", tmp_path / "exercises", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.fixture
def copied(tmp_path) -> Course:
    """A copy of the course, for one thing in it to be broken."""
    for name in ("graders", "reference", "exercises"):
        shutil.copytree(ROOT / name, tmp_path / "course" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "grading.yaml", tmp_path / "course")
    return find_course(tmp_path / "course")


def replace(path: Path, old: str, new: str) -> int:
    """Replace a text in a file, and return the number of the line on which it stood."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


# The command itself


def test_all_right_on_a_narrow_terminal_without_colours(answers, command_line):
    done = command_line.grade(answers, "--json", "card.json", NO_COLOR="1", COLUMNS="40", FORCE_COLOR="1")
    assert (done.returncode, done.stderr) == (ALL_PASSED, "")
    assert "FAIL" not in done.stdout
    plain = re.sub(r"\x1b\[\d*m", "", done.stdout)
    assert max(map(len, plain.splitlines())) <= 40
    assert "\x1b[3" not in done.stdout, "a colour"
    card = json.loads((answers / "card.json").read_text(encoding="utf-8"))
    assert [exercise["slug"] for exercise in card["exercises"]] == list(SLUGS)


def test_a_missing_exercise_does_not_stop_the_others(answers, command_line):
    (answers / "exercises" / "ex02_token_pos.py").unlink()
    done = command_line.grade(answers, "--json", "card.json")
    assert done.returncode == NOT_ALL_PASSED
    assert "no file exercises/ex02_token_pos.py" in done.stdout.replace("\n", " ")
    exercises = json.loads((answers / "card.json").read_text(encoding="utf-8"))["exercises"]
    earned = {exercise["slug"]: sum(check["points"] for check in exercise["checks"]) for exercise in exercises}
    assert earned["ex02_token_pos"] == 0
    assert all(earned[slug] > 0 for slug in SLUGS if slug != "ex02_token_pos")


def test_nothing_to_grade(tmp_path):
    done = grade(tmp_path, tmp_path)
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "Nothing was graded: nothing to grade in" in done.stderr
    assert "the folder is empty" in done.stderr


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("no/such/folder", "(No such file or directory)"),
        ("long" * 100, "(File name too long)"),
        ("/dev/null", "neither"),
    ],
)
def test_a_path_that_is_no_submission(path: str, says: str, tmp_path, command_line):
    done = command_line.grade(tmp_path, path)
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert f'nothing to grade in "{path}"' in done.stderr
    assert says in done.stderr


def test_an_exercise_that_is_not_there(answers, command_line):
    done = command_line.grade(answers, "--exercise", "ex02_tokenpos")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert 'there is no exercise "ex02_tokenpos"; did you mean "ex02_token_pos"?' in done.stderr


def test_a_folder_for_the_card_that_is_not_there_is_said_before_anything_runs(answers, command_line):
    done = command_line.grade(answers, "--json", "no/such/folder/card.json")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "--json no/such/folder/card.json: there is no folder no/such/folder; make it first" in done.stderr


def test_a_card_that_cannot_be_written_does_not_cost_the_report(answers, command_line):
    name = "long" * 100
    done = command_line.grade(answers, "--exercise", SLUGS[0], "--json", name)
    assert done.returncode == GRADERS_FAULT
    assert "All visible checks pass." in done.stdout
    assert f"The score card cannot be written to {name}: File name too long" in done.stderr


def test_a_rubric_with_a_typo(answers, copied, command_line):
    line = replace(copied.rubric, "      constructor: 1", "      constructr: 1")
    done = command_line.grade(answers, "--course", copied.root)
    assert (done.returncode, done.stdout) == (GRADERS_FAULT, "")
    assert "The course needs mending:" in done.stderr
    assert f"grading.yaml:{line}" in done.stderr.replace(", line ", ":")
    assert "constructr" in done.stderr
    assert 'did you mean "check_constructor"?' in done.stderr


# Folders and rubrics, without the command


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_may_not_be_read(answers):
    (answers / "exercises").chmod(0)
    try:
        done = grade(answers, answers)
    finally:
        (answers / "exercises").chmod(0o700)
    assert done.returncode == NOTHING_GRADED
    assert "exercises cannot be opened (Permission denied)" in done.stderr


def fault_of(course: Course, supply) -> str:
    """Return what the judge says about a course; not one check runs."""

    def judge_references() -> None:
        rubric = load_rubric(course.rubric)
        submission = load_submission(course.references, assignments(course, rubric, SLUGS))
        judge(course, rubric, [submission], supply, Options(seed=0, hidden=True))

    with pytest.raises(CourseError) as caught:
        judge_references()
    message = str(caught.value)
    assert "Traceback" not in message
    return message


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("  seconds: 5", "  second: 5", 0, 'limits.second is not a key here; did you mean "seconds"?'),
        ("      constructor: 1", "      constructor: -1", 0, "must be a whole number of points, 1 or more; got -1"),
        ("      constructor: 1", "      constructor: 1.5", 0, "must be a whole number of points, 1 or more; got 1.5"),
        (
            "      constructor: 1\n",
            "",
            -1,
            "gives no points to check_constructor of graders/ex01_sinusoidal/visible.py",
        ),
        ("      buffer: 1\n", "      buffer: 1\n      bufer: 1\n", 1, "visible.py has no check_bufer"),
        ("    hidden:\n", "    hiden:\n", 0, 'did you mean "hidden"?'),
        ("version: 1", "version: 2", 0, "must be the number 1, the only version there is; got 2"),
    ],
)
def test_a_rubric_that_does_not_fit(old: str, new: str, line: int, says: str, copied, supply):
    line += replace(copied.rubric, old, new)
    message = fault_of(copied, supply)
    assert says in message
    assert f"grading.yaml:{line}: " in message


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def check_constructor", "def check_construction", "gives no points to check_construction of"),
        ("def check_constructor(", "def check_constructor(:", "can't be read as a file of checks"),
        (
            '@objective("implement")',
            '@objective("implant")',
            "names the objective 'implant'; grading.yaml has explain,",
        ),
        ('@needs("constructor")', '@needs("construction")', "needs 'construction', which is no earlier check"),
        ("import torch\n", "import torch\nimport no_such_thing\n", "No module named 'no_such_thing'"),
    ],
)
def test_checks_that_do_not_fit(old: str, new: str, says: str, copied, supply):
    replace(copied.checks("ex01_sinusoidal", "visible"), old, new)
    message = fault_of(copied, supply)
    assert says in message
    assert "graders/ex01_sinusoidal/visible.py" in message


# Where nobody reads


CLOSED = [(1,), (2,), (0, 1, 2)]
PROGRAM = """
import json, os, runpy, sys
import graders.engine.judge.session  # once for all: it takes longer than the rest
closed, exercise = json.loads(sys.argv[1]), sys.argv[2]
codes = []
for case, numbers in enumerate(closed):
    child = os.fork()
    if child == 0:
        for number in numbers:
            os.close(number)
        sys.argv = ["grade", "exercises", "-e", exercise, "--isolation=strict", "--json", f"card{case}.json"]
        runpy.run_module("graders", run_name="__main__")
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
with open("codes.json", "w") as file:
    json.dump(codes, file)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the layers")
def test_closed_streams_take_no_layer_away(answers):
    """What is opened in their place would be overwritten when a worker gets its own."""
    subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(CLOSED), SLUGS[0]],
        cwd=answers,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        timeout=120,
    )
    assert json.loads((answers / "codes.json").read_text(encoding="utf-8")) == [ALL_PASSED] * len(CLOSED)
    cards = [json.loads((answers / f"card{case}.json").read_text(encoding="utf-8")) for case in range(len(CLOSED))]
    assert [card["grader"]["sandbox"]["missing"] for card in cards] == [[]] * len(CLOSED)
