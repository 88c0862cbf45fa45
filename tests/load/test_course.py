"""Where a course lies, and what is said if there is none."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import graders
from graders.engine.errors import CourseError
from graders.engine.load.course import Course, find_course


def test_the_places_of_a_course():
    course = Course(Path("c"))
    assert course.rubric == Path("c/grading.yaml")
    assert course.stub("ex01_first") == Path("c/exercises/ex01_first.py")
    assert course.reference("ex01_first") == Path("c/reference/ex01_first.py")
    assert course.checks("ex01_first", "visible") == Path("c/graders/ex01_first/visible.py")
    assert course.checks("ex01_first", "hidden") == Path("c/graders/ex01_first/hidden.py")
    assert course.wrong("ex01_first") == Path("c/graders/ex01_first/wrong.yaml")


def test_other_right_answers_come_by_name(tmp_path):
    folder = tmp_path / "graders" / "ex01_first" / "right"
    folder.mkdir(parents=True)
    for name in ("b.py", "a.py", "notes.md"):
        (folder / name).touch()
    assert Course(tmp_path).right("ex01_first") == (folder / "a.py", folder / "b.py")


def test_a_course_may_have_no_other_right_answers(tmp_path):
    assert Course(tmp_path).right("ex01_first") == ()


def test_the_named_folder_is_the_course(tmp_path):
    (tmp_path / "grading.yaml").touch()
    assert find_course(tmp_path).root == tmp_path


def test_a_folder_without_a_rubric_is_no_course(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        CourseError, match=r"no course in empty: expected a folder with grading\.yaml, but there is none"
    ):
        find_course(Path("empty"))


def test_a_folder_that_does_not_exist_is_no_course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match=r"no course in elsewhere: .* not a folder"):
        find_course(Path("elsewhere"))


@pytest.fixture
def copied_engine(tmp_path):
    """A repository with nothing but the part of the engine that finds a course."""
    source = Path(graders.__file__).parent
    target = tmp_path / "repository" / "graders"
    for part in ("__init__.py", "engine/__init__.py", "engine/errors.py", "engine/clean.py", "engine/load"):
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (source / part).is_dir() else shutil.copy)(source / part, target / part)
    return target.parent


def find_from(repository, elsewhere):
    program = "from graders.engine.load.course import find_course; print(find_course(None).root)"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(repository)!r}); {program}"]
    return subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, timeout=60)


def test_without_a_name_the_course_is_the_repository_of_the_engine(copied_engine, tmp_path):
    (copied_engine / "grading.yaml").touch()
    assert find_from(copied_engine, tmp_path).stdout.strip() == str(copied_engine.resolve())


def test_without_a_name_a_rubric_above_the_repository_is_not_found(copied_engine, tmp_path):
    (tmp_path / "grading.yaml").touch()
    finished = find_from(copied_engine, tmp_path)
    assert finished.returncode != 0
    assert "expected a folder with grading.yaml" in finished.stderr
