"""The pages of a class as text: for its staff, for itself (nobody is named there), and one for each student."""

from collections.abc import Sequence

from markupsafe import Markup

from graders.engine.report.class_page import charts
from graders.engine.report.class_page.attention import attention
from graders.engine.report.class_page.checks import CheckFigures, check_figures
from graders.engine.report.class_page.mastery import heat_map
from graders.engine.report.class_page.material import Facts, Line, agreed, without_bonus_left_out
from graders.engine.report.class_page.mistakes import commonest
from graders.engine.report.class_page.overview import (
    Progress,
    Scores,
    in_tenths,
    progress,
    scores,
    stuck,
    turnout,
)
from graders.engine.report.class_page.rendering import Pages
from graders.engine.report.class_page.statistics import joined
from graders.engine.report.class_page.table import rows
from graders.engine.report.class_page.thresholds import DISTRIBUTION, PERCENT, UNNAMED
from graders.engine.report.class_page.tries import tries

TABLE_SCRIPTS = ("dataTables.min.js", "page.js")
PLAIN_SCRIPTS = ("page.js",)
TENTH = 10


def staff_page(pages: Pages, title: str, lines: Sequence[Line], remarks: Sequence[str]) -> str:
    """The page of a class for those who run the course; `remarks` are lines about the class as a whole."""
    lines = agreed(lines)
    facts = [line.facts for line in lines if line.facts]
    figures, found = check_figures(facts), scores(lines)
    exercises, needed = progress(facts, figures), attention(lines)
    values = {
        "title": title,
        "remarks": remarks,
        "turnout": turnout(lines),
        "scores": found,
        "bins": _per_cent(_each_tenth(found)) if found else [],
        "histogram": _histogram(found),
        "progress": exercises,
        "shares": _shares(exercises),
        "stuck": stuck(figures),
        "figures": figures,
        "heat": heat_map(_of_who_began(facts, figures), _objectives(facts)),
        "mistakes": commonest(lines),
        "tries": tries(facts),
        "needed": needed,
        "rows": rows(lines, [one.slug for one in exercises], needed),
        "exercises": {one.slug: one.title for one in exercises},
    }
    return pages.render("staff.html", TABLE_SCRIPTS, values)


def class_page(pages: Pages, title: str, lines: Sequence[Line]) -> str:
    """The page that a class may see: nobody's name, words or file, no group of fewer than five, and no hidden check."""
    lines = agreed(lines)
    facts = [line.facts for line in lines if line.facts]
    figures, found = check_figures(facts), scores(lines)
    graded = len(facts)
    enough = graded >= PERCENT
    shown = _of_enough([one for one in figures if one.info.visibility == "visible"])
    bins = joined(in_tenths(found), UNNAMED) if found and enough else []
    values = {
        "title": title,
        "graded": graded,
        "bins": _per_cent(bins),
        "histogram": _drawn(bins),
        "figures": shown,
        "heat": heat_map(_of_enough(_of_who_began(facts, figures)), _objectives(facts)) if enough else None,
        "stuck": stuck([one for one in shown if one.failed >= UNNAMED]),
        "hidden": any(one.info.visibility == "hidden" for one in figures),
    }
    return pages.render("class.html", PLAIN_SCRIPTS, values)


def _of_who_began(facts: Sequence[Facts], figures: Sequence[CheckFigures]) -> list[CheckFigures]:
    """The figures for the heat map: a bonus that somebody left out is nothing that they have not mastered.

    They come in the order of `figures`, in which a bonus has its place also where the first student left it out.
    """
    found = {one.info: one for one in check_figures(map(without_bonus_left_out, facts))}
    return [found[one.info] for one in figures if one.info in found]


def _of_enough(figures: Sequence[CheckFigures]) -> list[CheckFigures]:
    """The checks that are decided for so many that their figures tell nothing of one student."""
    return [one for one in figures if one.decided >= PERCENT]


def _objectives(facts: Sequence[Facts]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(objective for one in facts for objective in one.objectives))


def _histogram(found: Scores | None) -> Markup | None:
    return _drawn(_each_tenth(found)) if found and len(found.values) >= DISTRIBUTION else None


def _each_tenth(found: Scores) -> list[tuple[int, int, int]]:
    return [(place, place, number) for place, number in enumerate(in_tenths(found))]


def _per_cent(bins: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """From, to and number, of bins given by their first and last tenth."""
    return [(TENTH * first, TENTH * (last + 1), number) for first, last, number in bins]


def _drawn(bins: Sequence[tuple[int, int, int]]) -> Markup | None:
    if not bins:
        return None
    told = "; ".join(f"{first} to {last} %: {number}" for first, last, number in _per_cent(bins) if number)
    return charts.histogram(_per_cent(bins), f"Students by their score in per cent of the maximum. {told}.")


def _shares(exercises: Sequence[Progress]) -> Markup | None:
    bars = [(one.title, (one.passed, one.failed, one.not_reached)) for one in exercises]
    bars = [(name, parts) for name, parts in bars if sum(parts)]
    return (
        charts.shares(bars, "How the checks of each exercise went; the table below has the figures.") if bars else None
    )
