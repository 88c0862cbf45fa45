"""JUnit's XML of cards: valid by the published schema, whatever the texts are, and true when it is read again."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.report.junit import junit
from graders.engine.score.card import Card
from tests.conftest import Golden
from tests.report.hostile import hostile_cards
from tests.report.junit_schema import junit_schema
from tests.report.situations import SITUATIONS, every_verdict

CARDS = [*SITUATIONS.values(), every_verdict(), *hostile_cards(30)]


def read(card: Card) -> tuple[Element, list[Element]]:
    """Return the suite of the whole card, and those of its exercises."""
    first, *others = ElementTree.fromstring(junit(card).encode())
    return first, others


def facts(suite: Element) -> dict[str, str]:
    return {each.attrib["name"]: each.attrib["value"] for each in suite.iter("property")}


def test_every_card_is_valid() -> None:
    for card in CARDS:
        junit_schema().validate(junit(card))


def test_the_schema_refuses_what_it_should() -> None:
    strange = junit(SITUATIONS["fail"]).replace("<failure", "<failed").replace("</failure", "</failed")
    assert not junit_schema().is_valid(strange)


def test_every_verdict(golden: Golden) -> None:
    golden("formats", "junit", junit(every_verdict()))


def test_points_and_verdicts_are_the_cards() -> None:
    for card in CARDS:
        whole, suites = read(card)
        told = facts(whole)
        assert [int(told[name]) for name in ("points", "max_points", "bonus_points", "max_bonus_points", "total")] == [
            card.points, card.max_points, card.bonus.points, card.bonus.max_points, card.total,
        ]  # fmt: skip
        assert (told.get("withheld_max_points"), told.get("withheld_band")) == (
            (str(card.withheld.max_points), card.withheld.band or "not told") if card.withheld else (None, None)
        )
        for suite, exercise in zip(suites, card.exercises, strict=True):
            told = facts(suite)
            assert (int(told["points"]), int(told["max_points"])) == (exercise.points, exercise.max_points)
            checks = [value for name, value in told.items() if name.startswith("check ")]
            assert checks == [
                f"{check.verdict} {check.points}/{check.max_points} {check.visibility}" for check in exercise.checks
            ]


def test_who_counts_failures_counts_what_is_not_passed() -> None:
    for card in CARDS:
        _, suites = read(card)
        for suite, exercise in zip(suites, card.exercises, strict=True):
            assert int(suite.attrib["tests"]) == len(suite.findall("testcase")) == len(exercise.checks)
            for case, check in zip(suite.iter("testcase"), exercise.checks, strict=True):
                found = [kind for kind in ("skipped", "failure", "error") if case.find(kind) is not None]
                if check.has_all_points:
                    assert found == []
                elif check.verdict is Verdict.WAITING:
                    assert found == ["skipped"]
                else:
                    assert found in (["failure"], ["error"])
                    assert case.find(found[0]).attrib["type"] == check.verdict  # type: ignore[union-attr]
            for figure, kind in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
                assert int(suite.attrib[figure]) == len(list(suite.iter(kind)))


@pytest.mark.parametrize("verdict", [Verdict.TODO, Verdict.BLOCKED])
def test_what_is_not_done_is_not_skipped(verdict: Verdict) -> None:
    _, suites = read(every_verdict())
    ends = [found.attrib["type"] for suite in suites for found in suite.iter("failure")]
    assert verdict in ends


def test_the_whole_adds_up() -> None:
    for card in CARDS:
        root = ElementTree.fromstring(junit(card).encode())
        for figure in ("tests", "failures", "errors"):
            assert int(root.attrib[figure]) == sum(int(suite.attrib[figure]) for suite in root)
