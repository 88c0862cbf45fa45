"""A card as JUnit's XML: this module writes a suite for each exercise, and a test for each check.

Readers of this format count what is skipped as no failure, so what the student has not done yet (`todo`), and what
could not run because of that (`blocked`), is a failure. Skipped is only what waits for a person.
"""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from graders.engine.clean import log_text, one_line
from graders.engine.judge.outcome import Verdict
from graders.engine.report.words import details, mark_in_words, worth
from graders.engine.score.card import Card
from graders.engine.score.late import late_in_words
from graders.engine.score.results import CheckResult, ExerciseResult

ERRORS = frozenset({Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED, Verdict.BROKEN})
NAME = "grade"


def junit(card: Card) -> str:
    """Return the document, with the points of exercises and checks as properties of their suite."""
    suites = [_totals(card), *(_suite(exercise) for exercise in card.exercises)]
    whole = Element("testsuites", name=NAME)
    for figure in ("tests", "failures", "errors"):
        whole.set(figure, str(sum(int(suite.attrib[figure]) for suite in suites)))
    whole.extend(suites)
    ElementTree.indent(whole)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(whole, encoding="unicode")}\n'


def _totals(card: Card) -> Element:
    """Return a suite without tests, for what is true of the whole card: only a suite can have properties."""
    facts = {
        "points": str(card.points),
        "max_points": str(card.max_points),
        "bonus_points": str(card.bonus.points),
        "max_bonus_points": str(card.bonus.max_points),
        "total": str(card.total),
    }
    if card.late:
        facts["late"] = late_in_words(card.late)
        facts["late_points"] = str(card.late.points)
    if card.withheld:
        facts["withheld_checks"] = str(card.withheld.checks)
        facts["withheld_max_points"] = str(card.withheld.max_points)
        facts["withheld_band"] = card.withheld.band or "not told"
    return _counted(NAME, facts, [])


def _suite(exercise: ExerciseResult) -> Element:
    facts = {
        "title": exercise.title,
        "bonus": "yes" if exercise.bonus else "no",
        "points": str(exercise.points),
        "max_points": str(exercise.max_points),
    }
    for check in exercise.checks:
        facts[f"check {check.id}"] = f"{check.verdict.value} {check.points}/{check.max_points} {check.visibility}"
    return _counted(exercise.slug, facts, [_case(exercise, check) for check in exercise.checks])


def _counted(name: str, facts: dict[str, str], cases: list[Element]) -> Element:
    suite = Element("testsuite", name=_attribute(name), tests=str(len(cases)))
    for figure, kind in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
        suite.set(figure, str(sum(case.find(kind) is not None for case in cases)))
    properties = SubElement(suite, "properties")
    for fact, value in facts.items():
        SubElement(properties, "property", name=_attribute(fact), value=_attribute(value))
    suite.extend(cases)
    return suite


def _case(exercise: ExerciseResult, check: CheckResult) -> Element:
    case = Element(
        "testcase",
        name=_attribute(f"{check.id}: {check.title}"),
        classname=_attribute(exercise.slug),
        time=f"{check.seconds:.3f}",
    )
    if check.verdict is Verdict.WAITING:
        SubElement(case, "skipped").text = log_text(f"a person grades this ({worth(check)})")
    elif check.verdict in ERRORS or not check.has_all_points:
        found = SubElement(case, "error" if check.verdict in ERRORS else "failure", type=check.verdict.value)
        found.set("message", _attribute(check.got))
        found.text = log_text(_words(exercise, check))
    if check.output:
        SubElement(case, "system-out").text = log_text(check.output)
    return case


def _words(exercise: ExerciseResult, check: CheckResult) -> str:
    words = details(check, exercise)
    if check.mark:
        words["mark"] = mark_in_words(check.mark)
    return "\n".join(f"{label}: {text}" for label, text in words.items())


def _attribute(text: str) -> str:
    return log_text(one_line(text))
