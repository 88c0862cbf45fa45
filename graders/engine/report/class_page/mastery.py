"""How much of each exercise and each objective the class has mastered: shares of points, for the heat map.

What waits for a person, and what is broken, is in no share: neither in what was earned nor in what could be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.report.class_page.checks import CheckFigures

LEVELS = 5


@dataclass(frozen=True, slots=True)
class Cell:
    """What students have earned of all that they could, over so many checks."""

    earned: int
    possible: int
    checks: int

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 where nothing could be earned."""
        return self.earned / self.possible if self.possible else 0.0

    @property
    def level(self) -> int:
        """Which of five equal steps that is, from 0; a full share is in the last."""
        return min(int(self.share * LEVELS), LEVELS - 1)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """An exercise, or with an empty name all of them: its cell for each objective, none where it has no check of it."""

    slug: str
    title: str
    cells: tuple[Cell | None, ...]
    whole: Cell | None


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Exercises by objectives; `objectives` are their titles in the order of the cells, `total` is the last row."""

    objectives: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    total: HeatRow


def heat_map(figures: Sequence[CheckFigures], objectives: Sequence[tuple[str, str]]) -> HeatMap:
    """The heat map of a class: exercises and objectives in the order in which they come."""
    titles = {figure.info.slug: figure.info.exercise for figure in figures}
    names = [name for name, _ in objectives]
    return HeatMap(
        objectives=tuple(title for _, title in objectives),
        rows=tuple(
            _row(slug, title, [figure for figure in figures if figure.info.slug == slug], names)
            for slug, title in titles.items()
        ),
        total=_row("", "", figures, names),
    )


def _row(slug: str, title: str, figures: Sequence[CheckFigures], names: Sequence[str]) -> HeatRow:
    by_objective = (_cell([figure for figure in figures if figure.info.objective == name]) for name in names)
    return HeatRow(slug, title, tuple(by_objective), _cell(figures))


def _cell(figures: Sequence[CheckFigures]) -> Cell | None:
    possible = sum(figure.info.max_points * figure.decided for figure in figures)
    earned = possible - sum(figure.lost for figure in figures)
    return Cell(earned, possible, len(figures)) if possible else None
