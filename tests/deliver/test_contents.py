"""What a release consists of is a list: what lies about, and what students must not have, is never on it."""

import json
import re

import pytest

from graders.engine.deliver.release.contents import private_files, public_files
from graders.engine.errors import CourseError, UsageError
from graders.engine.load.course import Course
from graders.engine.load.rubric import load_rubric
from tests.deliver.small_upstream import FILES, PRIVATE, PUBLIC, SLUG, STUB, make_upstream

VISIBLE = f"graders/{SLUG}/visible.py"


@pytest.fixture
def root(tmp_path):
    return make_upstream(tmp_path)


def public(root):
    return public_files(Course(root), load_rubric(root / "grading.yaml"))


def private(root):
    return private_files(Course(root), load_rubric(root / "grading.yaml"))


def test_the_public_files(root):
    files = public(root)
    assert set(files) == PUBLIC
    assert list(files) == sorted(files)
    assert files["README.md"].decode() == FILES["graders/handout/README.md"]
    assert files[".gitignore"].decode() == FILES["graders/handout/gitignore"]
    assert files["grading.yaml"].decode().endswith("      shape: 1\n    hidden_points: 5\n")


def test_the_private_files(root):
    files = private(root)
    assert set(files) == PRIVATE
    assert files["grading.yaml"].decode() == FILES["grading.yaml"]


def test_a_stub_that_somebody_has_filled_in_stays_at_home(root):
    (root / f"exercises/{SLUG}.py").write_text("def double(x):\n    return 2 * x\n")
    assert public(root)[f"exercises/{SLUG}.py"].decode() == STUB
    assert private(root)[f"exercises/{SLUG}.py"].decode() == STUB


def test_the_record_of_stubs_has_to_be_there_and_whole(root):
    record = root / "graders/handed_out.json"
    record.write_text(json.dumps({"another.py": ""}))
    with pytest.raises(CourseError, match=rf"handed_out\.json has no {SLUG}.py; write it anew"):
        public(root)
    record.unlink()
    with pytest.raises(CourseError, match=r"handed_out\.json is missing"):
        public(root)


HANDED = {
    "README.md": "graders/handout/README.md",
    "Makefile": "graders/handout/Makefile",
    ".gitignore": "graders/handout/gitignore",
}
NEEDED = [path for path in sorted(PUBLIC) if not path.startswith("graders/engine/") and SLUG not in path]


@pytest.mark.parametrize("path", [*NEEDED, VISIBLE])
def test_a_file_that_is_missing_is_named(root, path):
    rubric = load_rubric(root / "grading.yaml")
    (root / HANDED.get(path, path)).unlink()
    with pytest.raises(CourseError, match=re.escape(HANDED.get(path, path))):
        public_files(Course(root), rubric)


def test_a_reference_that_is_missing_is_named(root):
    (root / f"reference/{SLUG}.py").unlink()
    with pytest.raises(CourseError, match=f"reference/{SLUG}.py"):
        private(root)


def test_the_notebook_is_one_of_them_if_the_rubric_names_one(root):
    rubric = root / "grading.yaml"
    rubric.write_text(rubric.read_text().replace("limits:", "notebook: book.ipynb\nlimits:"))
    (root / "exercises/book.ipynb").write_text("{}")
    (root / "exercises/other.ipynb").write_text("{}")
    assert set(public(root)) - PUBLIC == {"exercises/book.ipynb"}
    assert set(private(root)) == PRIVATE


def test_a_text_that_a_person_grades_is_one_of_them_and_our_own_version_is_private(root):
    rubric = root / "grading.yaml"
    item = "    person:\n      talk: {title: T, objective: implement, points: 1, file: talk.md, criteria: [c]}\n"
    rubric.write_text(rubric.read_text() + item)
    (root / "graders/handed_out.json").write_text(json.dumps({f"{SLUG}.py": STUB, "talk.md": "Say something.\n"}))
    (root / "reference/talk.md").write_text("What we would say.\n")
    assert public(root)["exercises/talk.md"] == b"Say something.\n"
    assert "reference/talk.md" not in public(root)
    assert set(private(root)) - PRIVATE == {"exercises/talk.md", "reference/talk.md"}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (f"import graders.{SLUG}.hidden\n", f"graders/{SLUG}/hidden.py is private, but visible checks import it"),
        (f"from graders.{SLUG} import hidden\n", f"graders/{SLUG}/hidden.py is private, but visible checks import it"),
        (f"from graders.{SLUG}.right import added\n", f"graders/{SLUG}/right/added.py is private"),
        (f"import reference.{SLUG}\n", f"{VISIBLE} imports reference.{SLUG}; visible checks have no reference"),
        ("def check_shape(student, reference):\n    pass\n", f"{VISIBLE} takes the fixture reference"),
        ("import importlib.util\n", f"{VISIBLE} uses importlib.util, which loads files that a release"),
        ("def check_shape():\n    from graders.engine.judge.course_files import import_file\n",
         f"{VISIBLE} uses graders.engine.judge.course_files, which loads files"),
    ],
)  # fmt: skip
def test_visible_checks_that_reach_private_files_are_refused(root, source, problem):
    (root / VISIBLE).write_text(source)
    with pytest.raises(CourseError, match=re.escape(problem)):
        public(root)


def test_a_released_course_is_not_released_again(root):
    (root / "grading.yaml").write_bytes(public(root)["grading.yaml"])
    for files in (public, private):
        with pytest.raises(UsageError, match="this course is a released one"):
            files(root)
