"""The score card: this module is the one versioned record that every report, table and delivery reads.

``python -m graders.engine.score.card`` prints its JSON Schema, which is kept in ``graders/card.schema.json``.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from graders.engine.judge.outcome import Verdict

# Words are cut where they enter, in the judge; this bound only stops a text that nobody cut.
Words = Annotated[str, Field(max_length=2000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Points = Annotated[int, Field(ge=0)]
# At least one: a card can be 0/15, never 0/0.
MaxPoints = Annotated[int, Field(ge=1)]

EARNING = frozenset({Verdict.PASS, Verdict.BROKEN})


class _Record(BaseModel):
    # Strict, so that "3", 3.0 and True are no points.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Where(_Record):
    """A place in the student's file."""

    line: Annotated[int, Field(ge=1)]


class CheckResult(_Record):
    """One check: its verdict, its points and the words that explain them."""

    id: Name
    title: Words
    objective: Words
    visibility: Literal["visible", "hidden"]
    verdict: Verdict
    points: Points
    max_points: MaxPoints
    expected: Words
    got: Words
    hint: Words
    where: Where | None
    seconds: Annotated[float, Field(ge=0)]
    output: Words

    @model_validator(mode="after")
    def _points_follow_the_verdict(self) -> Self:
        earned = self.max_points if self.verdict in EARNING else 0
        if self.points != earned:
            raise ValueError(
                f"check {self.id}: the verdict {self.verdict} earns {earned} of {self.max_points} points, "
                f"not {self.points}"
            )
        return self


class ExerciseResult(_Record):
    """One exercise: the checks that were run, out of all the points that the rubric gives."""

    slug: Name
    title: Words
    points: Points
    max_points: MaxPoints
    file: Words | None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None
    checks: tuple[CheckResult, ...]

    @model_validator(mode="after")
    def _points_add_up(self) -> Self:
        _once((check.id for check in self.checks), f"exercise {self.slug}: check")
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


class Grader(_Record):
    """What graded: the versions and the seed that give the same card again."""

    version: Name
    seed: int
    torch: Name
    python: Name
    hidden: bool
    mode: Literal["practice", "strict"]

    @model_validator(mode="after")
    def _mode_follows_hidden(self) -> Self:
        mode = "strict" if self.hidden else "practice"
        if self.mode != mode:
            raise ValueError(f"hidden is {self.hidden}, so the mode is {mode!r}, not {self.mode!r}")
        return self


class Card(_Record):
    """All that was found out about one submission."""

    version: Literal[1]
    points: Points
    max_points: MaxPoints
    grader: Grader
    exercises: Annotated[tuple[ExerciseResult, ...], Field(min_length=1)]

    @field_validator("version", mode="before")
    @classmethod
    def _only_the_integer(cls, version: object) -> object:
        # A Literal compares with ==, and True == 1 == 1.0.
        return version if type(version) is int else None

    @model_validator(mode="after")
    def _saw_a_check_run(self) -> Self:
        if not any(exercise.checks for exercise in self.exercises):
            raise ValueError("no check ran: such a card says nothing about a submission, not even 0 points")
        return self

    @model_validator(mode="after")
    def _totals_add_up(self) -> Self:
        _once((exercise.slug for exercise in self.exercises), "exercise")
        earned = sum(exercise.points for exercise in self.exercises)
        whole = sum(exercise.max_points for exercise in self.exercises)
        if (self.points, self.max_points) != (earned, whole):
            raise ValueError(f"the exercises add up to {earned}/{whole} points, not {self.points}/{self.max_points}")
        return self

    @model_validator(mode="after")
    def _lists_what_the_run_covers(self) -> Self:
        for exercise in self.exercises:
            hidden = [check.id for check in exercise.checks if check.visibility == "hidden"]
            if hidden and not self.grader.hidden:
                raise ValueError(f"exercise {exercise.slug}: a practice card lists hidden checks: {hidden}")
            listed = sum(check.max_points for check in exercise.checks)
            if self.grader.hidden and listed != exercise.max_points:
                raise ValueError(
                    f"exercise {exercise.slug}: a strict card lists every check, but those listed are worth "
                    f"{listed} of {exercise.max_points} points"
                )
        return self


def _once(names: Iterable[str], what: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{what} listed more than once: {', '.join(twice)}")


def card_to_json(card: Card) -> str:
    """The card as JSON text, in the order of its fields, with a newline at its end."""
    return card.model_dump_json(indent=2) + "\n"


def card_from_json(text: str) -> Card:
    """The card in ``text``; raises ``pydantic.ValidationError``, a ``ValueError``, naming what is wrong."""
    return Card.model_validate_json(text)


def card_schema() -> str:
    """The JSON Schema of a card, as JSON text with a newline at its end."""
    return json.dumps(Card.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(card_schema())
