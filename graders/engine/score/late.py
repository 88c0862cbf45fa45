"""A card with its lateness: this module takes off what a late policy says, and tells in words how that came about."""

import datetime

from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.roster import Extension
from graders.engine.score.card import Card, before_late
from graders.engine.score.lateness import Late, lateness, taken_off, with_points


def with_late(
    card: Card, policy: LatePolicy | None, handed_in_at: datetime.datetime | None, extension: Extension | None
) -> Card:
    """Return the card with what this policy takes off; whatever was taken off before is given back first.

    Without a policy nothing is ever taken off. Raises ValueError for a card for others to read, which leaves this out.
    """
    if policy is None:
        return without_late(card)
    return _with(card, lateness(policy, handed_in_at, extension))


def without_late(card: Card) -> Card:
    """Return the card as it would be, were there no deadline."""
    return card if card.late is None else _with(card, None)


def _with(card: Card, late: Late | None) -> Card:
    # Nothing else on the card depends on these two, so that a whole class need not be counted anew.
    whole = before_late(card)
    if late is None:
        return card.model_copy(update={"late": None, "total": whole})
    if card.withheld is not None:
        raise ValueError("a card for others to read does not tell when something was handed in, or was due")
    late = with_points(late, taken_off(whole, late.percent))
    return card.model_copy(update={"late": late, "total": whole - late.points})


def late_in_words(late: Late) -> str:
    """Return how the percentage came about: when it was due, and why then; when it came, and what that costs."""
    due = f"due {moment_in_words(late.due)}{_why_then(late)}"
    if late.handed_in_at is None:
        return f"nobody knows when it was handed in; {due}; it counts as in time"
    came = f"handed in {moment_in_words(late.handed_in_at)}"
    after = late.handed_in_at - late.due
    if after <= datetime.timedelta(0):
        return f"{came}; {due}; in time"
    if not late.days:
        return f"{came}, {_span(after)} after it was {due}; within the grace of {_count(late.grace_minutes, 'minute')}"
    cost = f"{_count(late.days, 'day')} begun, {late.percent_per_day} % for each"
    cap = f", {late.at_most_percent} % at most" if late.days * late.percent_per_day > late.at_most_percent else ""
    return f"{came}, {_span(after)} after it was {due}; {cost}{cap}: {late.percent} % off, rounded down to whole points"


def moment_in_words(moment: datetime.datetime) -> str:
    """Return a moment as people read it, in UTC, to the minute or, where there are seconds, to the second."""
    there = moment.astimezone(datetime.UTC)
    return there.strftime("%Y-%m-%d %H:%M:%S UTC" if there.second or there.microsecond else "%Y-%m-%d %H:%M UTC")


def _why_then(late: Late) -> str:
    if late.extension is None:
        return ""
    if late.extension.hours is not None:
        return f", which is the deadline and {_count(late.extension.hours, 'hour')} more for this student"
    return ", which is this student's own deadline" if late.due != late.deadline else ", the deadline for everybody"


def _span(time: datetime.timedelta) -> str:
    """Return a span in its two largest units, and never as nothing."""
    hours, rest = divmod(time.seconds, 3600)
    parts = [(time.days, "day"), (hours, "hour"), (rest // 60, "minute"), (rest % 60, "second")]
    first = next((place for place, (number, _) in enumerate(parts) if number), None)
    if first is None:
        return "less than a second"
    return " ".join(_count(number, unit) for number, unit in parts[first : first + 2] if number)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
