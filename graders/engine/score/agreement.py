"""Whether a card can be of a course: this module holds one against the rubric that it is said to be scored by.

A card adds up by itself. Whether its exercises, checks and points are those of the course, only the rubric knows.
"""

from collections.abc import Iterator, Mapping

from graders.engine.clean import one_line
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.rubric import ExerciseRubric, Rubric
from graders.engine.score.card import Card, Withheld
from graders.engine.score.lateness import Late
from graders.engine.score.results import CheckResult, ExerciseResult


def disagreements(card: Card, rubric: Rubric) -> list[str]:
    """Return a line for everything on the card that the rubric has otherwise; none, if the card can be of it.

    A public rubric does not name hidden checks, but says what they are worth together; and since a card lists checks
    for all of its points, or withholds the rest, that has to come out. A card of some exercises can be of it too.
    """
    found: list[str] = []
    if card.bonus_beyond_maximum != rubric.bonus_beyond_maximum:
        found.append("bonus_beyond_maximum is another in grading.yaml")
    if card.late is not None:
        found += _in_late(card.late, rubric.late)
    for objective in card.objectives:
        if rubric.objectives.get(objective.name) != objective.title:
            found.append(f"objective {one_line(objective.name)}: grading.yaml has none of this title")
    for exercise in card.exercises:
        known = rubric.exercises.get(exercise.slug)
        if known is None:
            found.append(f"exercise {one_line(exercise.slug)}: grading.yaml has none of this name")
        else:
            found += [f"exercise {exercise.slug}: {words}" for words in _in_exercise(exercise, known, card)]
    if card.withheld is not None and not found:
        found += _in_withheld(card, card.withheld, rubric)
    return found


def _in_late(late: Late, policy: LatePolicy | None) -> Iterator[str]:
    """Extension and times are known to the staff alone; what they cost is held against the rubric."""
    if policy is None:
        yield "late: grading.yaml takes nothing off for being late"
        return
    for name, has, expected in (
        ("deadline", late.deadline, policy.deadline),
        ("grace_minutes", late.grace_minutes, policy.grace_minutes),
        ("percent_per_day", late.percent_per_day, policy.percent_per_day),
        ("at_most_percent", late.at_most_percent, policy.at_most_percent),
    ):
        if has != expected:
            yield f"late: expected the {name} {expected}, got {has}"


def _in_exercise(exercise: ExerciseResult, known: ExerciseRubric, card: Card) -> Iterator[str]:
    for name, has, expected in (
        ("title", exercise.title, known.title),
        ("bonus", exercise.bonus, known.bonus),
        ("max_points", exercise.max_points, known.points),
    ):
        if has != expected:
            yield f"expected the {name} {expected}, got {one_line(str(has))}"
    for check in exercise.checks:
        yield from _in_check(check, known)
    missing = _unlisted(exercise, known)
    if card.withheld is None and missing:
        yield f"it lists no {', '.join(missing)}, and says nothing of leaving checks out"


def _in_check(check: CheckResult, known: ExerciseRubric) -> Iterator[str]:
    name = f"check {one_line(check.id)}"
    if check.visibility == "hidden" and not known.hidden:
        if check.id in known.visible or check.id in known.person:
            yield f"{name} is hidden, but grading.yaml has another one of this name"
        return
    points = _points(known, check.visibility).get(check.id)
    if points is None:
        yield f"{name}: grading.yaml has none of this name that is {check.visibility}"
    elif points != check.max_points:
        yield f"{name}: expected {points} points, got {check.max_points}"


def _in_withheld(card: Card, withheld: Withheld, rubric: Rubric) -> Iterator[str]:
    """What is left out has to be all hidden checks, and what people graded: its worth follows from what is listed."""
    named = hidden = unnamed = 0
    for exercise in card.exercises:
        known = rubric.exercises[exercise.slug]
        named += len(_unlisted(exercise, known)) + len(known.hidden)
        hidden += known.hidden_points or 0
        unnamed += known.hidden_points is not None
    fewest, most = named + unnamed, named + hidden
    if not fewest <= withheld.checks <= most:
        expected = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        yield f"withheld: expected {expected} checks, got {withheld.checks}"


def _unlisted(exercise: ExerciseResult, known: ExerciseRubric) -> list[str]:
    """Return what every card of the exercise lists, and this one does not."""
    listed = {(check.visibility, check.id) for check in exercise.checks}
    return [
        name
        for visibility in ("visible", "person")
        for name in _points(known, visibility)
        if (visibility, name) not in listed
    ]


def _points(known: ExerciseRubric, visibility: str) -> Mapping[str, int]:
    if visibility == "person":
        return {name: item.points for name, item in known.person.items()}
    return known.visible if visibility == "visible" else known.hidden
