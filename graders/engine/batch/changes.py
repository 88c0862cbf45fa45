"""What changed in a class folder, and why: a record for each change, and the words for people."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from graders.engine.load.moments import Moment
from graders.engine.score.record import Points, Record, Student


class Why(StrEnum):
    """Why something was graded, or a card is another than before."""

    NEW = "new"
    """There was nothing of this student."""
    UNSETTLED = "unsettled"
    """A run was stopped while the student's card was being written, or somebody has changed it since."""
    TRIED_AGAIN = "tried again"
    """The machine failed the last time."""
    FILES = "other files"
    SEED = "other seed"
    GRADER = "other grader"
    """Checks, references, rubric, engine, torch or Python are not those of the last time."""
    ASKED = "asked for"
    MARK = "mark"
    """A person's mark was given, changed or withdrawn."""
    LATE = "lateness"
    """The late policy, an extension or the time of handing in is another."""
    GONE = "nothing to grade"
    """There was a card, and what is handed in now can't be graded."""


class Change(Record):
    """One student's change in one run; `before` and `after` are points in total, where there was a card."""

    version: Literal[1]
    at: Moment
    student: Student
    why: Why
    before: Points | None
    after: Points | None


def counted(changes: Sequence[Change]) -> str:
    """Return how many there were of each reason, as in "57 new, 3 other files"."""
    counts = Counter(change.why for change in changes)
    return ", ".join(f"{counts[why]} {why.value}" for why in Why if counts[why])


def told(change: Change) -> tuple[str, str, str, str]:
    """Return a change as the cells of a table: student, points before and after, reason."""
    return change.student, _points(change.before), _points(change.after), change.why.value


def worth_telling(changes: Sequence[Change]) -> list[Change]:
    """Return those of students who had a card before, by name: that of all others is new."""
    return sorted((change for change in changes if change.before is not None), key=lambda change: change.student)


def _points(points: int | None) -> str:
    return "none" if points is None else str(points)
