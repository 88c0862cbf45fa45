"""How figures read on the pages: this module makes words of numbers, and none of a number that says too little."""

from graders.engine.report.class_page.checks import CheckFigures
from graders.engine.report.class_page.thresholds import PERCENT, UNNAMED
from graders.engine.score.class_entry import ClassEntry, State

NO_FIGURE = "\N{EN DASH}"
STATES = {State.GRADED: "", State.NOTHING: "nothing graded", State.FAULT: "the grader failed"}
ABSENT = "handed in nothing"


def rate(part: int, whole: int) -> str:
    """A share in per cent, or of few as "3 of 7"."""
    if not whole:
        return NO_FIGURE
    return f"{percent(part, whole)} %" if whole >= PERCENT else f"{part} of {whole}"


def part_of(part: int, whole: int) -> str:
    """How many of how many, and in per cent where there are enough."""
    if not whole:
        return NO_FIGURE
    return f"{part} of {whole} ({percent(part, whole)} %)" if whole >= PERCENT else f"{part} of {whole}"


def percent(part: int, whole: int) -> int:
    """A share in whole per cent, where only none is 0 and only all is 100."""
    if 0 < part < whole:
        return min(max(round(100 * part / whole), 1), 99)
    return round(100 * part / whole)


def rate_unnamed(part: int, whole: int) -> str:
    """A share as it may be shown to the class: nothing of fewer than five, nor of all but so few."""
    if whole < PERCENT:
        return NO_FIGURE
    if part < UNNAMED:
        return f"fewer than {UNNAMED} students"
    if whole - part < UNNAMED:
        return "nearly all, or all"
    return f"{percent(part, whole)} %"


def number(value: float) -> str:
    """A number with one digit behind the point, or as a whole one."""
    return f"{value:.1f}".removesuffix(".0")


def signed(value: float | None) -> str:
    """A correlation with its sign; a dash where there is none to show."""
    return NO_FIGURE if value is None else f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


def difficulty(figures: CheckFigures) -> str:
    """The share that failed of those who got to the check."""
    return rate(figures.tried - figures.passed, figures.tried)


def state_in_words(entry: ClassEntry | None) -> str:
    """What became of a submission, where there is no card."""
    return ABSENT if entry is None else STATES[entry.state]


def short(slug: str) -> str:
    """An exercise's name for the head of a narrow column: what stands before the first underscore."""
    return slug.partition("_")[0]
