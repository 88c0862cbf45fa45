"""What is put on a card after it was graded, and anew whenever it changes: marks of people, and lateness."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from graders.engine.judge.outcome import Verdict
from graders.engine.load.late_policy import LatePolicy
from graders.engine.score.card import Card, make_card
from graders.engine.score.late import with_late
from graders.engine.score.lateness import Extension
from graders.engine.score.marks import Entry, mark_exercise

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


def with_marks(card: Card, marks: Marks) -> Card:
    """Return the card with these marks, and no lateness yet."""
    return make_card(
        [mark_exercise(exercise, marks) for exercise in card.exercises],
        [(objective.name, objective.title) for objective in card.objectives],
        card.grader,
        card.student,
        bonus_beyond_maximum=card.bonus_beyond_maximum,
    )


def settle(card: Card, circumstances: Circumstances) -> Card:
    """Return the card as it counts, with all of these."""
    marked = with_marks(card, circumstances.marks)
    return with_late(marked, circumstances.policy, circumstances.handed_in_at, circumstances.extension)
