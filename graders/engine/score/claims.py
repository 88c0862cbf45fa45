"""What a student's own run claims, against what grading found: a comparison of the visible checks' points."""

from graders.engine.clean import one_line
from graders.engine.errors import first_of
from graders.engine.judge.outcome import Verdict
from graders.engine.score.card import Card

MOST_NAMED, LONGEST_NAME = 5, 100
UNDECIDED = frozenset({Verdict.BROKEN, Verdict.MARKED})
"""What our own fault left open, or a person decided: a fork's run may well have it otherwise."""

Points = dict[tuple[str, str], int]


def claim_differs(claimed: Card, regraded: Card) -> str | None:
    """Return in words how the points of the visible checks differ between two cards for the same commit, or nothing.

    Compared are the checks that both cards have: a fork may have been made before the course got a new one.
    """
    claims, found = _visible(claimed), _visible(regraded)
    both = [check for check in found if check in claims]
    differing = [check for check in both if claims[check] != found[check]]
    if not differing:
        return None
    theirs, ours = sum(claims[check] for check in both), sum(found[check] for check in both)
    return (
        f"its own run claims {theirs} points for visible checks, grading anew gives {ours}; they differ in "
        f"{_named(differing)}"
    )


def _visible(card: Card) -> Points:
    return {
        (exercise.slug, check.id): check.points
        for exercise in card.exercises
        for check in exercise.checks
        if check.visibility == "visible" and check.verdict not in UNDECIDED
    }


def _named(checks: list[tuple[str, str]]) -> str:
    return ", ".join(first_of([one_line(f"{slug} {check}"[:LONGEST_NAME]) for slug, check in checks], MOST_NAMED))
