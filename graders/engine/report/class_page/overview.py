"""The first screen: this module counts who handed in, how the scores lie, and where the class is stuck."""

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.report.class_page import thresholds
from graders.engine.report.class_page.checks import CheckFigures
from graders.engine.report.class_page.material import Facts, Line, begun
from graders.engine.report.class_page.statistics import median, quantile, tenths
from graders.engine.score.class_entry import State

MOST_STUCK = 5


@dataclass(frozen=True, slots=True)
class Turnout:
    """How many are in the class, and what became of their work; `class_size` is of the roster and whoever else came."""

    class_size: int
    graded: int
    nothing: int
    faults: int
    absent: int


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores that count, out of a maximum: each student's, in order. The quartiles are none for a small class."""

    values: tuple[int, ...]
    max_points: int
    median: float
    quartiles: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Progress:
    """An exercise over the class: points earned of those that could be, and how its checks went, of all students."""

    slug: str
    title: str
    earned: int
    possible: int
    passed: int
    failed: int
    not_reached: int
    not_begun: int


def turnout(lines: Sequence[Line]) -> Turnout:
    """Count what became of everybody's work."""
    states = [line.participant.entry.state if line.participant.entry else None for line in lines]
    return Turnout(
        class_size=len(states),
        graded=states.count(State.GRADED),
        nothing=states.count(State.NOTHING),
        faults=states.count(State.FAULT),
        absent=states.count(None),
    )


def scores(lines: Sequence[Line]) -> Scores | None:
    """The scores of those who have one; none where nobody has."""
    pairs = [pair for line in lines if (pair := score(line)) is not None]
    if not pairs:
        return None
    values = sorted(points for points, _ in pairs)
    most = max(max_points for _, max_points in pairs)
    enough = len(values) >= thresholds.QUARTILES
    quartiles = (quantile(values, 0.25), quantile(values, 0.75)) if enough else None
    return Scores(tuple(values), most, median(values), quartiles)


def score(line: Line) -> tuple[int, int] | None:
    """What counts for a student: the gradebook's result, or else the card's total; none without either."""
    if line.participant.result is not None:
        return line.participant.result.points, line.participant.result.max_points
    return None if line.facts is None else (line.facts.total, line.facts.max_points)


def in_tenths(found: Scores) -> list[int]:
    """How many scores lie in each tenth of the maximum."""
    return tenths(found.values, found.max_points)


def stuck(figures: Sequence[CheckFigures], most: int = MOST_STUCK) -> list[CheckFigures]:
    """The checks that cost the class most, counting only who failed them: not who never got there."""
    failing = [one for one in figures if one.failed]
    return sorted(failing, key=lambda one: -one.failed * one.info.max_points)[:most]


def progress(class_facts: Sequence[Facts], figures: Sequence[CheckFigures]) -> list[Progress]:
    """Each exercise over the class, in the order of the cards."""
    reached = [slug for facts in class_facts for slug in begun(facts)]
    everybody = len(class_facts)
    titles = {one.info.slug: one.info.exercise for one in figures}
    return [
        _progress(slug, title, [one for one in figures if one.info.slug == slug], everybody - reached.count(slug))
        for slug, title in titles.items()
    ]


def _progress(slug: str, title: str, figures: Sequence[CheckFigures], not_begun: int) -> Progress:
    possible = sum(one.info.max_points * one.decided for one in figures)
    return Progress(
        slug=slug,
        title=title,
        earned=possible - sum(one.lost for one in figures),
        possible=possible,
        passed=sum(one.passed for one in figures),
        failed=sum(one.tried - one.passed for one in figures),
        not_reached=sum(one.decided - one.tried for one in figures),
        not_begun=not_begun,
    )
