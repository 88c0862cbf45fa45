"""What students are to hand in for each exercise: the names of its files, and the stubs that these begin as."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.engine.load.course import Course
from graders.engine.load.handed_out import read_record, stubs_now
from graders.engine.load.rubric import ExerciseRubric, Rubric


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
    """The assignments of these exercises, in this order; raises CourseError for a record that cannot be read.

    Stubs are those of the record. A course that keeps none has them in ``exercises/`` alone.
    """
    stubs = read_record(course)
    if stubs is None:
        stubs = stubs_now(course, rubric)
    return tuple(_assignment(rubric.exercises[slug], stubs) for slug in slugs)


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
