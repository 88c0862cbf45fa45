"""What was found out about one exercise: its checks, each with the words and points that follow from its verdict."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from graders.engine.judge.outcome import Verdict
from graders.engine.score.record import Digest, Mark, MaxPoints, Name, Points, Record, Words

EARNING = frozenset({Verdict.PASS, Verdict.BROKEN})
UNDECIDED = frozenset({Verdict.WAITING, Verdict.BROKEN})
MOST_SECONDS = 86_400.0
# What can become of a text that a person grades.
PERSONAL = frozenset({Verdict.TODO, Verdict.ERROR, Verdict.WAITING, Verdict.MARKED})


class Where(Record):
    """A place in the student's file, or, where there is a cell, in that cell of their notebook."""

    line: Annotated[int, Field(ge=1)]
    cell: Annotated[int, Field(ge=1)] | None


class Answer(Record):
    """The text that a person grades: where it is to be, and its digest if it is there."""

    file: Words
    sha256: Digest | None


class CheckResult(Record):
    """One check, or one text that a person grades: its verdict, its points and the words that explain them."""

    id: Name
    title: Words
    objective: Words
    visibility: Literal["visible", "hidden", "person"]
    verdict: Verdict
    points: Points
    max_points: MaxPoints
    expected: Words
    got: Words
    hint: Words
    where: Where | None
    seconds: Annotated[float, Field(ge=0, le=MOST_SECONDS)]
    output: Words
    answer: Answer | None
    mark: Mark | None

    @property
    def has_all_points(self) -> bool:
        """Whether this is passed, or marked as if it were."""
        return self.verdict is Verdict.PASS or (self.mark is not None and self.mark.points == self.max_points)

    @property
    def decides(self) -> bool:
        """Whether this says something about the work: what waits for a person or is our fault does not."""
        return self.verdict not in UNDECIDED

    @model_validator(mode="after")
    def _points_follow_the_verdict(self) -> Self:
        if (self.mark is not None) != (self.verdict is Verdict.MARKED):
            has = "no mark" if self.mark is None else "a mark"
            raise ValueError(f"check {self.id}: the verdict {self.verdict} stands with {has}; only marked has one")
        earned = self.max_points if self.verdict in EARNING else 0
        if self.mark is not None:
            earned = self.mark.points
        if self.points != earned or earned > self.max_points:
            raise ValueError(
                f"check {self.id}: the verdict {self.verdict} earns {earned} of {self.max_points} points, "
                f"not {self.points}"
            )
        return self

    @model_validator(mode="after")
    def _a_person_grades_a_text(self) -> Self:
        personal = self.visibility == "person"
        if personal != (self.answer is not None):
            raise ValueError(f"check {self.id}: what a person grades has an answer, and nothing else has")
        if personal and self.verdict not in PERSONAL:
            raise ValueError(f"check {self.id}: a person grades it, so its verdict cannot be {self.verdict}")
        return self


class ExerciseResult(Record):
    """One exercise: the checks that were run, out of all the points that the rubric gives."""

    slug: Name
    title: Words
    bonus: bool
    points: Points
    max_points: MaxPoints
    file: Words | None
    sha256: Digest | None
    notes: tuple[Words, ...]
    checks: tuple[CheckResult, ...]

    @model_validator(mode="after")
    def _points_add_up(self) -> Self:
        require_once((check.id for check in self.checks), f"exercise {self.slug}: check")
        earned = sum(check.points for check in self.checks)
        if self.points != earned:
            raise ValueError(f"exercise {self.slug}: its checks earn {earned} points, not {self.points}")
        listed = sum(check.max_points for check in self.checks)
        if listed > self.max_points:
            raise ValueError(
                f"exercise {self.slug}: its checks are worth {listed} points, "
                f"more than the {self.max_points} of the whole exercise"
            )
        return self


class ObjectiveResult(Record):
    """One learning objective: how many of the checks listed for it were passed, of those that decide."""

    name: Name
    title: Words
    passed: Points
    checks: Points
    undecided: Points
    """So many more wait for a person, or are broken."""


def count_objectives(titles: Iterable[tuple[str, str]], checks: Iterable[CheckResult]) -> tuple[ObjectiveResult, ...]:
    """Return what the checks are evidence for: the objectives that occur among them, in the order of ``titles``."""
    found: dict[str, list[CheckResult]] = {}
    for check in checks:
        found.setdefault(check.objective, []).append(check)
    return tuple(
        ObjectiveResult(
            name=name,
            title=title,
            passed=sum(check.has_all_points for check in found[name]),
            checks=sum(check.decides for check in found[name]),
            undecided=sum(not check.decides for check in found[name]),
        )
        for name, title in titles
        if name in found
    )


def require_once(names: Iterable[str], what: str) -> None:
    """Raise ValueError for a name that is listed more than once."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{what} listed more than once: {', '.join(twice)}")
