"""The scaffold of a new exercise: what it writes, what it refuses, and that an author can bring it to green."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import graders
from graders.engine.author.rubric_block import with_exercise
from graders.engine.author.scaffold import class_name, scaffold
from graders.engine.errors import CourseError, UsageError
from graders.engine.judge.outcome import Verdict
from graders.engine.load.course import Course, find_course
from graders.engine.load.rubric import load_rubric

SLUG = "ex92_halving"
WRITTEN = [
    "exercises/ex92_halving.py",
    "reference/ex92_halving.py",
    "graders/ex92_halving/visible.py",
    "graders/ex92_halving/hidden.py",
    "graders/ex92_halving/wrong.yaml",
    "grading.yaml",
]


def run_scaffold(root, slug=SLUG, title="Halving"):
    course = find_course(root)
    return scaffold(course, load_rubric(course.rubric), slug, title)


def snapshot(root):
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_it_writes_one_slug_in_each_place(small):
    before = snapshot(small.root)
    assert run_scaffold(small.root) == WRITTEN
    after = snapshot(small.root)
    assert sorted(set(after) - set(before)) == sorted(Path(path) for path in WRITTEN[:-1])
    assert {path for path in before if before[path] != after[path]} == {Path("grading.yaml")}


def test_the_rubric_gets_a_block_and_keeps_every_line(small):
    before = (small.root / "grading.yaml").read_text()
    run_scaffold(small.root)
    assert (small.root / "grading.yaml").read_text() == before + (
        "\n  ex92_halving:\n    title: Halving\n    visible:\n      shape: 1\n    hidden:\n      values: 1\n"
    )
    rubric = load_rubric(small.root / "grading.yaml")
    assert list(rubric.exercises) == ["ex91_doubling", SLUG]
    assert rubric.exercises[SLUG].points == 2


def test_names_are_filled_in(small):
    run_scaffold(small.root)
    for path in WRITTEN[:-1]:
        text = (small.root / path).read_text()
        assert not re.search(r"skeleton|some_objective", text, re.IGNORECASE), path
        assert path.endswith(".yaml") or "Halving" in text


def test_lint_says_what_is_to_be_done(small):
    run_scaffold(small.root)
    found = small.lint(SLUG)
    assert [(row.name, row.verdicts["shape"], row.verdicts["values"]) for row in found.rows] == [
        ("reference", Verdict.PASS, Verdict.PASS),
        ("stub", Verdict.TODO, Verdict.BLOCKED),
        ("unchanged", Verdict.PASS, Verdict.FAIL),
    ]
    to_do = [problem for problem in found.problems if "still has a TODO in line" in problem]
    assert [problem.partition(" ")[0] for problem in to_do] == [
        "exercises/ex92_halving.py",
        "reference/ex92_halving.py",
        "graders/ex92_halving/wrong.yaml",
        "graders/ex92_halving/visible.py",
        "graders/ex92_halving/hidden.py",
    ]
    assert [problem for problem in found.problems if problem not in to_do] == [
        "graders/ex92_halving/right/ holds no other right answer; one at least must pass every check",
        "ex92_halving: no wrong answer fails shape; add one to wrong.yaml, or drop the check",
    ]


def test_an_author_brings_it_to_green(small):
    run_scaffold(small.root)
    # The words, the one answer the scaffold lacks on either side, and the numbered TODO of the stub.
    small.edit(WRITTEN[0], "# TODO 1 (about 1 line): TODO, say", "# TODO 1 (about 1 line): say")
    for path in WRITTEN[:-1]:
        text = (small.root / path).read_text()
        (small.root / path).write_text(re.sub(r"TODO(?! \d)[:,]?", "Halves", text))
    with (small.root / WRITTEN[4]).open("a") as table:
        table.write("\nflat:\n  says: Keep the axes.\n  fails: [shape]\n  edits:\n")
        table.write("    - replace: return 2 * x\n      by: return 2 * x.flatten()\n")
    right = small.root / "graders/ex92_halving/right/added.py"
    right.parent.mkdir()
    right.write_text((small.root / WRITTEN[1]).read_text().replace("2 * x", "x + x"))
    assert small.lint(SLUG).problems == ()
    assert small.lint().problems == ()


# ------------------------------------------------------------ what it refuses


@pytest.mark.parametrize(
    "slug",
    [
        "",
        "ex8_short",
        "ex08",
        "ex08_",
        "ex08_Big",
        "../ex08_up",
        "ex08_a/b",
        "ex08_a\n",
        "ex\u0660\u0668_digits",
        "x08_a",
    ],
)
def test_a_name_that_cannot_be_one(small, slug):
    before = snapshot(small.root)
    with pytest.raises(UsageError, match=r"can't name an exercise; expected ex, two digits and words"):
        run_scaffold(small.root, slug)
    assert snapshot(small.root) == before


@pytest.mark.parametrize("title", ["", "  ", "\n"])
def test_a_title_that_is_empty(small, title):
    with pytest.raises(UsageError, match="the title is empty"):
        run_scaffold(small.root, title=title)
    assert not (small.root / WRITTEN[0]).exists()


def test_a_title_that_is_no_text(small):
    with pytest.raises(UsageError, match="no text"):
        run_scaffold(small.root, title="halves \udcff")
    assert not (small.root / WRITTEN[0]).exists()


def test_an_exercise_that_the_rubric_has(small):
    (small.root / "exercises/ex91_doubling.py").unlink()
    with pytest.raises(UsageError, match=r"grading\.yaml has an exercise ex91_doubling already"):
        run_scaffold(small.root, "ex91_doubling")


@pytest.mark.parametrize("path", ["exercises/ex92_halving.py", "reference/ex92_halving.py", "graders/ex92_halving"])
def test_a_file_that_is_there(small, path):
    (small.root / path).symlink_to("nowhere")  # not even a link to nothing is written through
    before = snapshot(small.root)
    with pytest.raises(UsageError, match=re.escape(f"{path} is there already")):
        run_scaffold(small.root)
    assert snapshot(small.root) == before


def test_a_rubric_without_objectives(small):
    small.edit("grading.yaml", "objectives:\n  implement: Implement things\n", "objectives: {}\n")
    with pytest.raises(CourseError, match="no objectives"):
        run_scaffold(small.root)


def test_what_was_written_goes_if_the_rest_cannot_be(small, monkeypatch):
    def replace(draft, target):
        raise PermissionError(13, "Permission denied", str(target))

    before = snapshot(small.root)
    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(CourseError, match=r"ex92_halving could not be written \(Permission denied"):
        run_scaffold(small.root)
    assert snapshot(small.root) == before
    assert not (small.root / "graders/ex92_halving").exists()


# ------------------------------------------------------------ titles and other rubrics


@pytest.mark.parametrize(
    "title",
    [
        "Plain words",
        "It's a \"quoted\" 'title'",
        "Two\nlines",
        "Colon: and # hash",
        "yes",
        "1",
        "- dash",
        "{brace}",
        "&anchor",
        "!tag",
        " leading and trailing ",
        "back\\slash\ttab",
        "Größe, 位置, 🙂",
        "bell \a and line separator \u2028",
        "x" * 300 + " " + "y" * 300,
    ],
)
def test_any_title_is_read_back(small, title):
    run_scaffold(small.root, title=title)
    assert load_rubric(small.root / "grading.yaml").exercises[SLUG].title == title


BLOCK = "ex92_halving:\n    title: T\n    visible:\n      a: 1\n    hidden:\n      b: 1\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "exercises:\n  e1: {title: x, visible: {a: 1}}",
            "exercises:\n  e1: {title: x, visible: {a: 1}}\n\n  " + BLOCK,
            id="no newline at the end",
        ),
        pytest.param(
            "exercises: # all\n  e1:\n    title: x # one\n    visible:\n      a: 1 # two\n\n# after\nversion: 1\n",
            "exercises: # all\n  e1:\n    title: x # one\n    visible:\n      a: 1 # two\n\n  "
            + BLOCK
            + "\n# after\nversion: 1\n",
            id="comments, and a key after the list",
        ),
        pytest.param(
            "exercises:\n  e1:\n    visible: {a: 1,\n      b: 2}\n    title: |\n      two\n      lines\n\nversion: 1\n",
            "exercises:\n  e1:\n    visible: {a: 1,\n      b: 2}\n    title: |\n      two\n      lines\n\n\n  "
            + BLOCK
            + "version: 1\n",
            id="a text in lines at the end",
        ),
        pytest.param(
            "exercises:\n  e1:\n    title: x\n...\n",
            "exercises:\n  e1:\n    title: x\n\n  " + BLOCK + "...\n",
            id="an end marker",
        ),
        pytest.param(
            "exercises:\n    e1:\n        title: x\n",
            "exercises:\n    e1:\n        title: x\n\n    ex92_halving:\n        title: T\n"
            "        visible:\n            a: 1\n        hidden:\n            b: 1\n",
            id="four spaces",
        ),
    ],
)
def test_the_block_goes_behind_the_last_exercise(text, expected):
    added = with_exercise(text, SLUG, "T", ["a"], ["b"])
    assert added == expected
    assert with_exercise(text.replace("\n", "\r\n"), SLUG, "T", ["a"], ["b"]) == expected.replace("\n", "\r\n")
    assert yaml.safe_load(added)["exercises"].keys() == {"e1", SLUG}


def test_exercises_in_braces_are_left_to_the_author():
    with pytest.raises(CourseError, match="not in braces"):
        with_exercise("exercises: {e1: {title: x}}\n", SLUG, "T", ["a"], ["b"])


def test_a_last_text_that_an_addition_would_change_is_left_to_the_author():
    # Without a line break behind it the text ends at its last letter; with one, in a line break.
    with pytest.raises(CourseError, match="no place was found for ex92_halving"):
        with_exercise("exercises:\n  e1:\n    title: |\n      two\n      lines", SLUG, "T", ["a"], ["b"])


def test_the_real_rubric_takes_one_more(tmp_path):
    repository = Path(graders.__file__).parents[1]
    shutil.copy(repository / "grading.yaml", tmp_path)
    before = (tmp_path / "grading.yaml").read_text()
    run_scaffold(tmp_path, "ex93_more", "More")
    after = (tmp_path / "grading.yaml").read_text()
    assert after.startswith(before.rstrip("\n"))
    assert list(load_rubric(tmp_path / "grading.yaml").exercises)[-1] == "ex93_more"


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("ex08_beyond_max_len", "BeyondMaxLen"),
        ("ex08__two__gaps_", "TwoGaps"),
        ("ex08_2d_grids", "Exercise08"),
        ("ex08_none", "Exercise08"),
        ("ex08___", "Exercise08"),
    ],
)
def test_a_slug_becomes_the_name_of_a_class(slug, name):
    assert class_name(slug) == name


@pytest.mark.parametrize("slug", ["ex94_2d_grids", "ex95_none"])
def test_a_slug_without_a_class_name_runs_as_well(small, slug):
    run_scaffold(small.root, slug)
    assert {row.name: row.problem for row in small.lint(slug).rows} == {"reference": "", "stub": "", "unchanged": ""}


# ------------------------------------------------------------ the command


def run_new(root, *arguments):
    command = [sys.executable, "-m", "graders", "new", *arguments, "--course", str(root)]
    repository = Path(graders.__file__).parents[1]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=120)


def test_the_command_says_what_it_wrote_and_what_comes_next(small):
    finished = run_new(small.root, SLUG, "Halving: a 'title'")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.splitlines() == [
        *(f"wrote {path}" for path in WRITTEN),
        "Next: fill in the TODOs, and run `grade lint ex92_halving` until it has no problems.",
    ]
    assert Course(small.root).stub(SLUG).is_file()


def test_the_command_says_why_it_refuses(small):
    finished = run_new(small.root, "halving", "Halving")
    assert finished.returncode == 2
    assert '"halving" can\'t name an exercise' in finished.stderr
    assert "Traceback" not in finished.stderr
