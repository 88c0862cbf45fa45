"""What students are to hand in for each exercise: the names of its files, and the stubs that these begin as."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.engine.errors import CourseError, shown_path
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric


@dataclass(frozen=True, slots=True)
class Text:
    """A text that a person grades: the rubric's name for it, its file, and what the file says before anyone writes."""

    item: str
    file: str
    stub: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """One exercise as students find it: the file to fill in, and the names that its stub defines (code only)."""

    slug: str
    file: str
    stub: str = ""
    names: tuple[str, ...] = ()
    texts: tuple[Text, ...] = ()

    @property
    def is_code(self) -> bool:
        """Whether it is Python, and no sheet of answers."""
        return self.file.endswith(".py")


def assignments(course: Course, rubric: Rubric, slugs: Sequence[str]) -> tuple[Assignment, ...]:
    """The assignments of these exercises, in this order; raises CourseError for a stub that cannot be read."""
    return tuple(_assignment(course, rubric, slug) for slug in slugs)


def _assignment(course: Course, rubric: Rubric, slug: str) -> Assignment:
    exercise = rubric.exercises[slug]
    path = course.exercises / exercise.file
    stub = _read(path)
    texts = tuple(Text(name, item.file, _read(course.exercises / item.file)) for name, item in exercise.person.items())
    return Assignment(slug, exercise.file, stub, _public_names(stub, path) if exercise.kind == "code" else (), texts)


def _read(path: Path) -> str:
    """The stub's text, or none where there is no stub: a course may grade what it gives out elsewhere."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{shown_path(path)} cannot be read as text ({error}); students begin with it") from error


def _public_names(stub: str, path: Path) -> tuple[str, ...]:
    """The classes and functions that the stub defines at its top level."""
    try:
        body = ast.parse(stub).body
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{shown_path(path)} cannot be read by Python: {error}") from error
    defined = [node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return tuple(name for name in defined if not name.startswith("_"))
