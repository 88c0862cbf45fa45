"""The page of one student for the staff: everything on the card, hidden checks too, with what needs attention open."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from graders.engine.judge.outcome import Verdict
from graders.engine.report.class_page.attention import KINDS
from graders.engine.report.class_page.material import Participant
from graders.engine.report.class_page.rendering import Pages
from graders.engine.report.words import details, evidence, figures, mark_in_words, worth
from graders.engine.score.card import Card
from graders.engine.score.results import CheckResult, ExerciseResult

SETTLED = frozenset({Verdict.PASS, Verdict.BLOCKED})
"""What needs no more than a line: the rest is shown with its words."""


class Told(NamedTuple):
    """A check with something to say: words by their labels, as pairs."""

    verdict: Verdict
    title: str
    id: str
    worth: str
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ShownExercise:
    """An exercise: the checks with something to say, as parts of the page, and the names of the other ones."""

    exercise: ExerciseResult
    telling: tuple[Markup, ...]
    passed: tuple[str, ...]
    blocked: tuple[str, ...]


def student_page(pages: Pages, title: str, who: Participant, card: Card | None, attempts: Sequence[Card]) -> str:
    """The page of this student; `attempts` are earlier cards in the order of time."""
    values = {
        "title": title,
        "who": who,
        "card": card,
        "figures": figures(card) if card else {},
        "objectives": [(objective, *evidence(objective)) for objective in card.objectives] if card else [],
        "exercises": [_shown(pages, exercise) for exercise in card.exercises] if card else [],
        "attempts": [(number, earlier.total) for number, earlier in enumerate(attempts, start=1)],
        "findings": [(KINDS[one.kind], one.words) for one in who.entry.findings] if who.entry else [],
    }
    return pages.render("student.html", (), values)


def _shown(pages: Pages, exercise: ExerciseResult) -> ShownExercise:
    return ShownExercise(
        exercise,
        tuple(
            pages.part("check.html", _told(check, exercise))
            for check in exercise.checks
            if check.verdict not in SETTLED
        ),
        tuple(check.id for check in exercise.checks if check.verdict is Verdict.PASS),
        tuple(check.id for check in exercise.checks if check.verdict is Verdict.BLOCKED),
    )


def _told(check: CheckResult, exercise: ExerciseResult) -> Told:
    words = details(check, exercise)
    if check.mark is not None:
        words["mark"] = mark_in_words(check.mark)
    if check.output:
        words["printed"] = check.output
    return Told(check.verdict, check.title, check.id, worth(check), tuple(words.items()))
