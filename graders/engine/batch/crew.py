"""The seam between a class and whoever judges it: submissions are given to a crew, and what came of them comes back.

`members.py` is a crew of processes on this machine. Another one may be anywhere that the setup can be sent to.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric
from graders.engine.load.submission import Submission
from graders.engine.run.isolation import Mode


@dataclass(frozen=True, slots=True)
class Setup:
    """All that judging a class needs but the submissions, as it travels to each member.

    `digest` is the course's, by which a member sees that it has the same. What is in `apart` must lie beyond what
    student code can read.
    """

    course: Course
    digest: str
    rubric: Rubric
    slugs: tuple[str, ...]
    seed: int
    hidden: bool
    mode: Mode
    apart: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A submission to be judged, and whose it is."""

    student: str
    submission: Submission


@dataclass(frozen=True, slots=True)
class Done:
    """The card of a submission as JSON, without marks and lateness."""

    student: str
    card: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no card: the machine failed, or a member died over the submission."""

    student: str
    words: str


class Crew(Protocol):
    """Something that judges submissions, some of them at a time, in any order."""

    size: int
    """How many it judges at a time."""

    def give(self, job: Job) -> None:
        """Hand over a submission; returns at once."""

    def take(self) -> Done | Failed:
        """Wait for what came of one of those that were given.

        Raises SandboxError, CourseError or ServiceError where nothing can be judged at all.
        """

    def close(self) -> None:
        """End everything that was started for this, also in the middle of a submission."""
