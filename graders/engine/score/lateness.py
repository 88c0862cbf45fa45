"""How late something is and what that costs: the record on a card, and the arithmetic that it has to follow."""

import datetime
from typing import Annotated, Self

from pydantic import Field, model_validator

from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.moments import Moment
from graders.engine.load.roster import Extension
from graders.engine.score.record import Points, Record

DAY = datetime.timedelta(days=1)
Percent = Annotated[int, Field(ge=0, le=100)]


class Late(Record):
    """When work was handed in and was due, and what follows: the days, their percentage, and the points taken off.

    `due` is the deadline with the extension, and `days` are those begun after it; there are none within the grace.
    Where nobody knows when something was handed in, it counts as in time.
    """

    deadline: Moment
    grace_minutes: Annotated[int, Field(ge=0)]
    percent_per_day: Percent
    at_most_percent: Percent
    extension: Extension | None
    due: Moment
    handed_in_at: Moment | None
    days: Annotated[int, Field(ge=0)]
    percent: Percent
    points: Points

    @model_validator(mode="after")
    def _follows(self) -> Self:
        due = due_at(self.deadline, self.extension)
        if self.due != due:
            raise ValueError(f"late: by deadline and extension this is due at {due}, not {self.due}")
        days = days_late(due, self.grace_minutes, self.handed_in_at)
        if self.days != days:
            raise ValueError(f"late: {days} days have begun after it was due, not {self.days}")
        percent = percent_of(days, self.percent_per_day, self.at_most_percent)
        if self.percent != percent:
            raise ValueError(f"late: {days} days cost {percent} %, not {self.percent}")
        return self


def lateness(policy: LatePolicy, handed_in_at: datetime.datetime | None, extension: Extension | None) -> Late:
    """Return how late something is by this policy, before it is known how many points are taken off."""
    due = due_at(policy.deadline, extension)
    days = days_late(due, policy.grace_minutes, handed_in_at)
    return Late(
        deadline=policy.deadline,
        grace_minutes=policy.grace_minutes,
        percent_per_day=policy.percent_per_day,
        at_most_percent=policy.at_most_percent,
        extension=extension,
        due=due,
        handed_in_at=handed_in_at,
        days=days,
        percent=percent_of(days, policy.percent_per_day, policy.at_most_percent),
        points=0,
    )


def with_points(late: Late, points: int) -> Late:
    """Return the same with so many points taken off."""
    return Late(**{**dict(late), "points": points})


def due_at(deadline: datetime.datetime, extension: Extension | None) -> datetime.datetime:
    """Return when work is due; an extension never takes time away. Raises ValueError beyond the calendar."""
    if extension is None:
        return deadline
    if extension.until is not None:
        return max(deadline, extension.until)
    try:
        return deadline + datetime.timedelta(hours=extension.hours or 0)
    except OverflowError as error:
        raise ValueError("late: deadline and extension go beyond the year 9999") from error


def days_late(due: datetime.datetime, grace_minutes: int, handed_in_at: datetime.datetime | None) -> int:
    """Return the days that had begun since it was due; 0 if it came within the grace, whatever the day."""
    if handed_in_at is None or handed_in_at - due <= datetime.timedelta(minutes=grace_minutes):
        return 0
    return -((due - handed_in_at) // DAY)


def percent_of(days: int, per_day: int, at_most: int) -> int:
    """Return what so many days cost, in percent."""
    return min(days * per_day, at_most)


def taken_off(points: int, percent: int) -> int:
    """Return that percentage of the points in whole points, rounded in the student's favour."""
    return points * percent // 100
