"""A card for others to read: this module leaves out what hidden checks and persons found, and says how much that is.

In a public repository everybody can read what stands beside the name of an account, artifacts and logs included.
"""

from typing import Literal

from graders.engine.errors import UsageError
from graders.engine.score.card import Band, Card, Withheld, make_card
from graders.engine.score.late import without_late
from graders.engine.score.results import CheckResult, ExerciseResult

Policy = Literal["none", "band", "points"]


def share(card: Card, policy: Policy) -> Card:
    """Return the card as others may read it: without hidden checks and people's marks, which "points" leaves in.

    When it was handed in, and by when it was due, is nobody else's business: an extension has private reasons.
    Raises UsageError for a card that has marks and no hidden checks: what it withholds could not be told from what it
    never had; and for one on which nothing would be left.
    """
    card = without_late(card)
    if policy == "points" or card.withheld is not None:
        return card
    kept = [_public(exercise) for exercise in card.exercises]
    left_out = [check for exercise in card.exercises for check in exercise.checks if _is_private(check)]
    if not left_out:
        return card
    if not any(exercise.checks for exercise in kept):
        raise UsageError("this card lists nothing that others may read; expected visible checks on it")
    if not card.grader.hidden:
        raise UsageError("this card has marks that people gave, and no hidden checks; share one that `--hidden` made")
    return make_card(
        kept,
        [(objective.name, objective.title) for objective in card.objectives],
        card.grader.model_copy(update={"hidden": False}),
        card.student,
        bonus_beyond_maximum=card.bonus_beyond_maximum,
        withheld=Withheld(
            checks=len(left_out),
            max_points=sum(check.max_points for check in left_out),
            band=_band(card) if policy == "band" else None,
        ),
    )


def _is_private(check: CheckResult) -> bool:
    return check.visibility == "hidden" or check.mark is not None


def _public(exercise: ExerciseResult) -> ExerciseResult:
    kept = tuple(check for check in exercise.checks if not _is_private(check))
    return exercise.model_copy(update={"checks": kept, "points": sum(check.points for check in kept)})


def _band(card: Card) -> Band:
    """Return the third that the withheld points lie in; bonus exercises count only where there are no others."""
    withheld = [
        (exercise.bonus, check) for exercise in card.exercises for check in exercise.checks if _is_private(check)
    ]
    checks = [check for bonus, check in withheld if not bonus] or [check for _, check in withheld]
    points, whole = sum(check.points for check in checks), sum(check.max_points for check in checks)
    return "most" if 3 * points >= 2 * whole else "some" if 3 * points >= whole else "few"
