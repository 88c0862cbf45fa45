"""What students are to hand in for each exercise: the names of its files, and the stubs that these begin as."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.engine.load.course import Course
from graders.engine.load.handed_out import read_record, stubs_now
from graders.engine.load.rubric import ExerciseRubric, Rubric

NOTEBOOK = ".ipynb"


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look for: the assignments, and the notebook's name where the course has one."""

    assignments: Sequence[Assignment]
    notebook: str | None

    @property
    def files(self) -> list[str]:
        """The names of the exercises' files, in their order."""
        return [assignment.file for assignment in self.assignments]

    @property
    def all_names(self) -> list[str]:
        """Every name that shows a folder to be the one with the work in it."""
        texts = [text.file for assignment in self.assignments for text in assignment.texts]
        return [*self.files, *texts, *([self.notebook] if self.notebook else [])]


def assignments(course: Course, rubric: Rubric, slugs: Sequence[str]) -> tuple[Assignment, ...]:
    """The assignments of these exercises, in this order; raises CourseError for a record that cannot be read.

    Stubs are those of the record. A course that keeps none has them in ``exercises/`` alone.
    """
    chosen = [rubric.exercises[slug] for slug in slugs]
    record = read_record(course)
    stubs = stubs_now(course, chosen) if record is None else record
    return tuple(_assignment(exercise, stubs) for exercise in chosen)


def _assignment(exercise: ExerciseRubric, stubs: Mapping[str, str]) -> Assignment:
    stub = stubs.get(exercise.file, "")
    texts = tuple(Text(name, item.file, stubs.get(item.file, "")) for name, item in exercise.person.items())
    names = _public_names(stub) if exercise.kind == "code" else ()
    return Assignment(exercise.slug, exercise.file, stub, names, texts)


def _public_names(stub: str) -> tuple[str, ...]:
    """The classes and functions that the stub defines at its top level; none of one that Python cannot read."""
    try:
        body = ast.parse(stub).body
    except (SyntaxError, ValueError):
        return ()  # without a record this may be a student's work, which is told where it is judged; lint tells ours
    defined = [node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return tuple(name for name in defined if not name.startswith("_"))
