"""What the class tells about each check: how many pass it, how hard it is, and whether it tells strong from weak.

A check that a student did not get to, since a blank is still open or another check blocks it, says nothing about that
check: it counts in the pass rate, and in nothing else. The score beside it is the card's points without its own.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from graders.engine.judge.outcome import Verdict
from graders.engine.report.class_page import thresholds
from graders.engine.report.class_page.material import NOT_REACHED, CheckInfo, Facts
from graders.engine.report.class_page.statistics import point_biserial, strongest
from graders.engine.report.words import FAILING

UNDECIDED = frozenset({Verdict.WAITING, Verdict.BROKEN})


class Flag(StrEnum):
    """Why somebody should look at a check itself."""

    NONE = ""
    TOP_FAILS = "more than half of the strongest third fail it"
    BACKWARDS = "strong students pass it no more often than weak ones"
    FLAT = "strong students pass it hardly more often than weak ones"
    BROKEN = "the check itself is broken"


@dataclass(frozen=True, slots=True)
class CheckFigures:
    """One check over the class. `decided` students have a verdict that counts, `tried` of them got to it."""

    info: CheckInfo
    passed: int
    decided: int
    tried: int
    failed: int
    waiting: int
    broken: int
    lost: int
    discrimination: float | None
    flag: Flag

    @property
    def pass_rate(self) -> float:
        """The share that passed, of all whose verdict counts."""
        return self.passed / self.decided if self.decided else 0.0

    @property
    def difficulty(self) -> float:
        """The share that did not pass it, of those who got to it."""
        return (self.tried - self.passed) / self.tried if self.tried else 0.0


@dataclass(slots=True)
class _Column:
    """What is gathered of one check: its verdicts and points, and the points of whole cards, student by student."""

    verdicts: list[Verdict] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    wholes: list[int] = field(default_factory=list)


def check_figures(class_facts: Iterable[Facts]) -> list[CheckFigures]:
    """The figures of every check that is on a card, in the order of the cards."""
    alike: dict[tuple[CheckInfo, ...], list[Facts]] = defaultdict(list)
    for facts in class_facts:
        alike[facts.layout].append(facts)
    columns: dict[CheckInfo, _Column] = defaultdict(_Column)
    for layout, group in alike.items():
        wholes = [sum(facts.points) for facts in group]
        verdicts = zip(*(facts.verdicts for facts in group), strict=True)
        points = zip(*(facts.points for facts in group), strict=True)
        for info, its_verdicts, its_points in zip(layout, verdicts, points, strict=True):
            column = columns[info]
            column.verdicts.extend(its_verdicts)
            column.points.extend(its_points)
            column.wholes.extend(wholes)
    return [_figures(info, column) for info, column in columns.items()]


def _figures(info: CheckInfo, column: _Column) -> CheckFigures:
    most = info.max_points
    rows = list(zip(column.verdicts, column.points, column.wholes, strict=True))
    decided = [row for row in rows if row[0] not in UNDECIDED]
    tried = [row for row in decided if row[0] not in NOT_REACHED]
    passed = [points == most for _, points, _ in tried]
    rests = [whole - points for _, points, whole in tried]
    broken = column.verdicts.count(Verdict.BROKEN)
    discrimination = _discrimination(passed, rests)
    return CheckFigures(
        info=info,
        passed=sum(passed),
        decided=len(decided),
        tried=len(tried),
        failed=sum(verdict in FAILING for verdict in column.verdicts),
        waiting=column.verdicts.count(Verdict.WAITING),
        broken=broken,
        lost=most * len(decided) - sum(points for _, points, _ in decided),
        discrimination=discrimination,
        flag=Flag.BROKEN if broken else _flag(discrimination, *strongest(passed, rests), len(passed)),
    )


def _discrimination(passed: Sequence[bool], rests: Sequence[int]) -> float | None:
    right = sum(passed)
    enough = len(passed) >= thresholds.DISCRIMINATION
    if enough and min(right, len(passed) - right) >= thresholds.EACH_SIDE:
        return point_biserial(passed, rests)
    return None


def _flag(discrimination: float | None, top_passed: int, top: int, tried: int) -> Flag:
    if tried >= thresholds.TOP_THIRD and top_passed < top * thresholds.HALF:
        return Flag.TOP_FAILS
    if discrimination is not None and discrimination + thresholds.ERROR / math.sqrt(tried) < thresholds.USEFUL:
        return Flag.BACKWARDS if discrimination < 0 else Flag.FLAT
    return Flag.NONE
