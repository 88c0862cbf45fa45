"""One submission through the whole line, from files to a card: what `grade` prints and an autograder passes on."""

import secrets
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graders.engine.cli.common import PRACTICE_SEED, load, load_commit, select
from graders.engine.cli.isolation import choose_isolation, is_own, require_sandbox
from graders.engine.errors import UsageError, shown_path
from graders.engine.load.course import find_course
from graders.engine.run.isolation import Mode

if TYPE_CHECKING:
    from graders.engine.load.course import Course
    from graders.engine.run.layers import Report
    from graders.engine.score.card import Card
    from graders.engine.score.marks import MarksBook


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be graded, and how; what is left out is as if its option were left out."""

    path: Path
    commit: str | None = None
    exercises: tuple[str, ...] = ()
    hidden: bool = False
    seed: int | None = None
    student: str | None = None
    marks: Path | None = None
    isolation: Mode | None = None
    trace: bool = False
    course: Path | None = None


@dataclass(frozen=True, slots=True)
class Graded:
    """The card, the remarks on the submission as a whole, and what the sandbox was made of."""

    card: "Card"
    notes: tuple[str, ...]
    report: "Report"


def graded(request: Request) -> Graded:
    """Return what was found, once the last process with student code has ended; nothing is printed or written.

    Raises UsageError, CourseError, SandboxError or SubmissionError where there is nothing to be found.
    """
    from graders.engine.run.supply import start_supply

    place = find_course(request.course)
    own = request.commit is None and is_own(request.path, place)
    with closing(start_supply(choose_isolation(request.isolation, own, request.hidden))) as supply:
        from graders.engine.cli.students import student_of
        from graders.engine.load.rubric import load_rubric
        from graders.engine.score.marks import marks_of

        # What is wrong with the course or the path is said before torch is imported, which takes two seconds.
        rubric = load_rubric(place.rubric)
        if request.hidden and rubric.is_public:
            raise UsageError(
                f"--hidden: {shown_path(place.rubric)} counts hidden checks, and they are not here; open them with "
                "`grade unseal DIR`, and grade with --hidden --course DIR"
            )
        slugs = select(rubric, request.exercises)
        submission = (
            load(request.path, place, rubric, slugs)
            if request.commit is None
            else load_commit(request.path, request.commit, place, rubric, slugs)
        )
        name = student_of(request.path, request.student)
        given = marks_of(book_of_marks(place, request.marks, request.path), name, rubric)

        from graders.engine.batch.grader import describe
        from graders.engine.judge.session import Options, judge
        from graders.engine.score.scoring import score

        seed = _seed(request)
        report = require_sandbox(supply, rubric.limits.memory_mib, place, request.path)
        (outcomes,) = judge(place, rubric, [submission], supply, Options(seed, request.hidden, request.trace))
        grader = describe(seed, request.hidden, supply.isolation.mode, report, submission.commit)
    return Graded(score(rubric, submission.files, outcomes, grader, name, given), submission.notes, report)


def _seed(request: Request) -> int:
    """Return the seed that was asked for, or else one that nobody knows for hidden checks, and always the same here."""
    if request.seed is not None:
        return request.seed
    return secrets.randbelow(1 << 31) if request.hidden else PRACTICE_SEED


def book_of_marks(course: "Course", explicit: Path | None, submission: Path) -> "MarksBook":
    """Return the marks that people gave; none if there is no book beside the rubric."""
    from graders.engine.cli.marks_file import find_book, read_book

    path = find_book(course, explicit, submission)
    if explicit is not None and not path.exists():
        raise UsageError(f"--marks {shown_path(path)}: there is no such book of marks; `grade mark` begins one")
    return read_book(path)
