"""The score card: this module is the one versioned record that every report, table and delivery reads.

``python -m graders.engine.score.card`` prints its JSON Schema, which is kept in ``graders/card.schema.json``.
"""

import json
import sys
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from graders.engine.score.lateness import Late, taken_off, with_points
from graders.engine.score.record import MaxPoints, Name, Points, Record, Student
from graders.engine.score.results import ExerciseResult, ObjectiveResult, count_objectives, require_once
from graders.engine.score.strictness import Strictness

Band = Literal["most", "some", "few"]
Commit = Annotated[str, Field(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]


class Sandbox(Record):
    """How student code was shut in: whom it ran as, the layers that held, and those that the machine lacked."""

    user: Name
    landlock_abi: Annotated[int, Field(ge=0)]
    layers: tuple[Name, ...]
    missing: tuple[Name, ...]


class Grader(Record):
    """What graded: versions, seed and commit that give the same card again, and how well student code was shut in.

    `commit` is the digest of the one that was graded, if it was one.
    """

    version: Name
    seed: int
    commit: Commit | None
    torch: Name
    python: Name
    hidden: bool
    mode: Literal["practice", Strictness]
    sandbox: Sandbox

    @model_validator(mode="after")
    def _mode_is_kept(self) -> Self:
        if self.mode == "practice" and self.hidden:
            raise ValueError("hidden checks ran, so the mode is strict or external, not practice")
        if self.mode == "strict" and (self.sandbox.missing or not self.sandbox.layers):
            raise ValueError("the mode is strict, so every layer of the sandbox held, and none is missing")
        return self


class Bonus(Record):
    """The points of the bonus exercises on a card; their maximum is 0 where there is none."""

    points: Points
    max_points: Points


class Withheld(Record):
    """What a card leaves out where others can read it: so many checks, their worth, and the share earned of that.

    `band` is two thirds or more (most), one third or more (some), or less (few); nothing, where nothing may be told.
    """

    checks: Annotated[int, Field(ge=1)]
    max_points: MaxPoints
    band: Band | None


class Card(Record):
    """All that was found out about one submission.

    `points` and `max_points` are those of the exercises without bonus, and `total` is what counts in the end: out of
    `max_points`, or, on a card of bonus exercises only, out of `bonus.max_points`; what being `late` costs is taken off
    there. A card for others to read leaves out what is `withheld`, and counts points without it.
    """

    version: Literal[1]
    student: Student | None
    points: Points
    max_points: Points
    bonus: Bonus
    bonus_beyond_maximum: bool
    late: Late | None = None
    """None without a late policy, and on a card of a release that knew of none."""
    total: Points
    objectives: tuple[ObjectiveResult, ...]
    grader: Grader
    withheld: Withheld | None
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
        require_once((exercise.slug for exercise in self.exercises), "exercise")
        given = self.points, self.max_points, self.bonus.points, self.bonus.max_points
        whole = _sums(self.exercises)
        if given != whole:
            raise ValueError(f"the exercises add up to {_in_words(*whole)}, not {_in_words(*given)}")
        counted = _what_counts(*given[:3], beyond=self.bonus_beyond_maximum)
        off = 0 if self.late is None else taken_off(counted, self.late.percent)
        if self.late is not None and self.late.points != off:
            raise ValueError(f"{self.late.percent} % of {counted} points are {off}, not {self.late.points}")
        if self.total != counted - off:
            late = f", less {off} for being late," if off else ""
            raise ValueError(f"of {_in_words(*given)} {counted}{late} count in total, not {self.total}")
        return self

    @model_validator(mode="after")
    def _objectives_agree_with_the_checks(self) -> Self:
        titles = [(objective.name, objective.title) for objective in self.objectives]
        require_once((name for name, _ in titles), "objective")
        checks = [check for exercise in self.exercises for check in exercise.checks]
        unlisted = sorted({check.objective for check in checks} - {"", *(name for name, _ in titles)})
        if unlisted:
            raise ValueError(f"the checks have objectives that are not listed: {', '.join(unlisted)}")
        counted = {objective.name: objective for objective in count_objectives(titles, checks)}
        for objective in self.objectives:
            if objective != counted.get(objective.name):
                raise ValueError(f"objective {objective.name}: its figures do not follow from the checks")
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

    @model_validator(mode="after")
    def _withholds_what_is_not_listed(self) -> Self:
        if self.withheld is None:
            return self
        if self.grader.hidden or self.grader.mode == "practice":
            raise ValueError("a card withholds what hidden checks found, and says so as a card without them")
        if self.late is not None:
            raise ValueError("a card for others to read does not tell when something was handed in, or was due")
        listed = sum(check.max_points for exercise in self.exercises for check in exercise.checks)
        unlisted = sum(exercise.max_points for exercise in self.exercises) - listed
        if unlisted != self.withheld.max_points:
            raise ValueError(f"{unlisted} points are not listed, but {self.withheld.max_points} withheld")
        return self


def make_card(
    exercises: Iterable[ExerciseResult],
    titles: Iterable[tuple[str, str]],
    grader: Grader,
    student: str | None,
    *,
    bonus_beyond_maximum: bool,
    withheld: Withheld | None = None,
    late: Late | None = None,
) -> Card:
    """Return the card of these exercises, with the sums that follow; ``titles`` are those of all objectives by name.

    What ``late`` costs is counted anew: its percentage of these points.
    """
    exercises = tuple(exercises)
    points, max_points, bonus, max_bonus = _sums(exercises)
    counted = _what_counts(points, max_points, bonus, beyond=bonus_beyond_maximum)
    if late is not None:
        late = with_points(late, taken_off(counted, late.percent))
    return Card(
        version=1,
        student=student,
        points=points,
        max_points=max_points,
        bonus=Bonus(points=bonus, max_points=max_bonus),
        bonus_beyond_maximum=bonus_beyond_maximum,
        late=late,
        total=counted - (0 if late is None else late.points),
        objectives=count_objectives(titles, (check for exercise in exercises for check in exercise.checks)),
        grader=grader,
        withheld=withheld,
        exercises=exercises,
    )


def before_late(card: Card) -> int:
    """Return what would count in total, had the work been in time."""
    return card.total + (0 if card.late is None else card.late.points)


def _sums(exercises: Iterable[ExerciseResult]) -> tuple[int, int, int, int]:
    """Return points and maximum of the exercises without bonus, then of those with it."""
    sums = [0, 0, 0, 0]
    for exercise in exercises:
        sums[2 * exercise.bonus] += exercise.points
        sums[2 * exercise.bonus + 1] += exercise.max_points
    return sums[0], sums[1], sums[2], sums[3]


def _what_counts(points: int, max_points: int, bonus: int, *, beyond: bool) -> int:
    """Return the points that count: bonus points fill up to the maximum, or go beyond it where the rubric lets them.

    Where there are bonus exercises only, there is no maximum to fill up to, and they count as they are.
    """
    whole = points + bonus
    return whole if beyond or max_points == 0 else min(whole, max_points)


def _in_words(points: int, max_points: int, bonus: int, max_bonus: int) -> str:
    plain = f"{points}/{max_points} points"
    return f"{plain} and {bonus}/{max_bonus} bonus points" if bonus or max_bonus else plain


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
