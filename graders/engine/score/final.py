"""A student's final score: which attempt counts, with a person's marks and what lateness costs, and why each number."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from graders.engine.judge.outcome import Verdict
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.roster import Extension
from graders.engine.score.card import Card, before_late
from graders.engine.score.late import late_in_words, moment_in_words, with_late
from graders.engine.score.marks import Entry, with_marks
from graders.engine.score.record import LONGEST_WORDS, Points, Record, Student, Words
from graders.engine.score.results import CheckResult, ExerciseResult

NOTHING = "no attempt: nothing was handed in, or nothing that could be graded"
Marks = Mapping[tuple[str, str], Entry]


class Final(Record):
    """What a student has in the end, and how that came about.

    `attempt` is the one that counts, from 1 in the order of time; there is none where nothing was handed in. The
    maximum is that of its card; 0 where nobody has said yet how many points there are.
    """

    student: Student
    points: Points
    max_points: Points
    attempt: Annotated[int, Field(ge=1)] | None
    reasons: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that was handed in, and its card."""

    handed_in_at: datetime.datetime | None
    card: Card


@dataclass(frozen=True, slots=True)
class Terms:
    """What goes for a student: the course's late policy and maximum, an extension, and the marks that people gave."""

    late: LatePolicy | None
    max_points: int
    extension: Extension | None
    marks: Marks


def final(student: str, attempts: Sequence[Attempt], terms: Terms) -> Final:
    """Return the final score of a student with these attempts, which are in the order of time.

    The best counts, after all deductions and the earlier one of equals, or the last where the policy says so. Without
    a policy nothing is taken off.
    """
    if not attempts:
        return Final(student=student, points=0, max_points=terms.max_points, attempt=None, reasons=(NOTHING,))
    cards = [counted(attempt, terms) for attempt in attempts]
    last = terms.late is not None and terms.late.counts == "last"
    place = len(cards) - 1 if last else max(range(len(cards)), key=lambda each: (cards[each].total, -each))
    card = cards[place]
    rule = "the last" if last else "the best, after what is taken off"
    reasons = [
        "the only attempt" if len(cards) == 1 else f"attempt {place + 1} of {len(cards)} counts: {rule}",
        *_about(card, attempts[place].card, terms),
    ]
    for number, (attempt, other) in enumerate(zip(attempts, cards, strict=True), start=1):
        if number != place + 1:
            came = moment_in_words(attempt.handed_in_at) if attempt.handed_in_at else "nobody knows when"
            reasons.append(f"attempt {number} ({came}) has {_out_of(other.total, _most(other))}")
    return Final(
        student=student,
        points=card.total,
        max_points=_most(card),
        attempt=place + 1,
        reasons=tuple(_cut(words) for words in reasons),
    )


def counted(attempt: Attempt, terms: Terms) -> Card:
    """Return the card of an attempt with the marks that go for it, and with what lateness costs."""
    card = with_fitting_marks(attempt.card, terms.marks)
    return with_late(card, terms.late, attempt.handed_in_at, terms.extension)


def with_fitting_marks(card: Card, marks: Marks) -> Card:
    """Return the card with those of the marks that there is a place for, and that are no older than what it has."""
    fitting = _fitting(card, marks)
    return with_marks(card, fitting) if fitting else card


def _about(card: Card, graded: Card, terms: Terms) -> Iterator[str]:
    """Say how the total came about, from the points of the exercises on."""
    bonus = f" and {_out_of(card.bonus.points, card.bonus.max_points)} of bonus" if card.bonus.max_points else ""
    yield f"{_out_of(card.points, card.max_points)} in the exercises{bonus}"
    fills = card.points + card.bonus.points - before_late(card)
    if fills:
        yield f"{fills} bonus points do not count, as they go beyond the maximum"
    if not card.grader.hidden:
        yield "graded without hidden checks"
    if terms.max_points and terms.max_points != _most(card):
        yield f"graded when the course had {_most(card)} points; it has {terms.max_points} now"
    for exercise, check in _checks(card):
        if check.mark is not None:
            changed = ", for an answer that was another one then" if check.mark.answer_changed else ""
            note = f': "{" ".join(check.mark.note.split())}"' if check.mark.note else ""
            worth = _out_of(check.points, check.max_points)
            yield f"a person gave {worth} for {check.id} of {exercise.slug} on {check.mark.date}{changed}{note}"
    listed = {(exercise.slug, check.id): check for exercise, check in _checks(graded)}
    for key, entry in terms.marks.items():
        what = f"{entry.check} of {entry.exercise}"
        if key not in listed or entry.points > listed[key].max_points:
            yield f"a person's mark of {entry.points} for {what} has no place on this card"
        elif _is_in_doubt(listed[key], entry):
            yield f"the card has another mark of that day for {what}; that of the gradebook counts"
    waiting = sum(check.max_points for _, check in _checks(card) if check.verdict is Verdict.WAITING)
    if waiting:
        yield f"{waiting} points wait for a person to grade"
    if card.late is not None:
        taken = f"lateness takes off {card.late.points} of {before_late(card)} points: " if card.late.percent else ""
        yield f"{taken}{late_in_words(card.late)}"


def _fitting(card: Card, marks: Marks) -> Marks:
    """Return the marks that there is a place for; one that the card has already stays if it is of a later day."""
    found = {}
    for exercise, check in _checks(card):
        entry = marks.get((exercise.slug, check.id))
        if entry is None or entry.points > check.max_points:
            continue
        if check.mark is None or check.mark.date <= entry.date:
            found[exercise.slug, check.id] = entry
    return found


def _is_in_doubt(check: CheckResult, entry: Entry) -> bool:
    """Whether nobody can tell which of two marks is the newer one: a mark knows its day, and no more."""
    return check.mark is not None and check.mark.date == entry.date and check.mark.points != entry.points


def _checks(card: Card) -> Iterator[tuple[ExerciseResult, CheckResult]]:
    return ((exercise, check) for exercise in card.exercises for check in exercise.checks)


def _most(card: Card) -> int:
    return card.max_points or card.bonus.max_points


def _out_of(points: int, whole: int) -> str:
    return f"{points}/{whole} points"


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…"
