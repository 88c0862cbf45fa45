"""What commands share: exit codes, the course, and the choice of exercises."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import one_line
from graders.engine.errors import ALL_PASSED as ALL_PASSED
from graders.engine.errors import GRADERS_FAULT as GRADERS_FAULT
from graders.engine.errors import NO_SANDBOX as NO_SANDBOX
from graders.engine.errors import NOT_ALL_PASSED as NOT_ALL_PASSED
from graders.engine.errors import NOTHING_GRADED as NOTHING_GRADED
from graders.engine.errors import UsageError

if TYPE_CHECKING:
    from graders.engine.load.course import Course
    from graders.engine.load.rubric import Rubric
    from graders.engine.load.submission import Submission

PRACTICE_SEED = 0

CourseOption = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="The course's repository; without it, the one this command is from."),
]

StudentOption = Annotated[
    str | None,
    typer.Option(
        "--student",
        metavar="NAME",
        help="Whose work this is; without it, the name of the folder that it lies in, or of the one around exercises/.",
    ),
]
MarksOption = Annotated[
    Path | None,
    typer.Option(
        "--marks",
        metavar="FILE",
        help="The book of marks that people give; without it, marks.json beside grading.yaml.",
    ),
]


def open_course(explicit: Path | None) -> "tuple[Course, Rubric]":
    """Return the course of that folder, or the one this command is from, and its rubric."""
    from graders.engine.load.course import find_course
    from graders.engine.load.rubric import load_rubric

    course = find_course(explicit)
    return course, load_rubric(course.rubric)


def load(path: Path, course: "Course", rubric: "Rubric", slugs: Sequence[str]) -> "Submission":
    """Return what the path holds for these exercises; for the one exercise alone, if the path is a file of one."""
    from graders.engine.load.assignment import assignments
    from graders.engine.load.reading import load_submission

    own = [slug for slug in slugs if rubric.exercises[slug].file == path.name]
    return load_submission(path, assignments(course, rubric, own or slugs), rubric.notebook)


def load_commit(path: Path, revision: str, course: "Course", rubric: "Rubric", slugs: Sequence[str]) -> "Submission":
    """Return what a commit of the repository at that path holds for these exercises."""
    from graders.engine.load import reading
    from graders.engine.load.assignment import assignments

    return reading.load_commit(path, revision, assignments(course, rubric, slugs), rubric.notebook)


def select(rubric: "Rubric", wanted: Sequence[str] | None) -> list[str]:
    """Return the exercises to grade, in the rubric's order; the beginning of a name is enough if only one begins so."""
    chosen = [complete(slug, list(rubric.exercises), "exercise") for slug in wanted or []]
    return [slug for slug in rubric.exercises if not chosen or slug in chosen]


def complete(name: str, known: Sequence[str], what: str) -> str:
    """Return the one known name that is this or begins so; raises UsageError where there is none, or several."""
    beginning = [other for other in known if other.startswith(name)]
    if name in known or len(beginning) == 1:
        return name if name in known else beginning[0]
    near = difflib.get_close_matches(name, known, n=1)
    remedy = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
    if beginning:
        remedy = f"these begin so: {', '.join(beginning)}"
    raise UsageError(f'there is no {what} "{one_line(name)}"; {remedy}')
