"""What is put on a card after it was graded, and anew whenever it changes: marks of people, and lateness."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from graders.engine.judge.outcome import Verdict
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.roster import Extension
from graders.engine.score.card import Card
from graders.engine.score.late import with_late
from graders.engine.score.marks import Entry, with_marks

Marks = Mapping[tuple[str, str], Entry]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """A student's marks by exercise and check, when they handed in, and how much more time they had."""

    marks: Marks
    policy: LatePolicy | None
    handed_in_at: datetime.datetime | None
    extension: Extension | None


def has_withdrawn_marks(card: Card, marks: Marks) -> bool:
    """Return whether a check bears a mark that is no more: what it was before stands on no card."""
    return any(
        check.verdict is Verdict.MARKED and (exercise.slug, check.id) not in marks
        for exercise in card.exercises
        for check in exercise.checks
    )


def settle(card: Card, circumstances: Circumstances) -> Card:
    """Return the card as it counts, with all of these."""
    marked = with_marks(card, circumstances.marks)
    return with_late(marked, circumstances.policy, circumstances.handed_in_at, circumstances.extension)
