"""What the class's page counts: checks, mastery, mistakes, attempts, and what needs a person."""

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.report.class_page import thresholds, wording
from graders.engine.report.class_page.attention import attention
from graders.engine.report.class_page.checks import Flag, check_figures
from graders.engine.report.class_page.mastery import heat_map
from graders.engine.report.class_page.material import FirstPass, Work, agreed, facts_of, without_bonus_left_out
from graders.engine.report.class_page.mistakes import commonest
from graders.engine.report.class_page.overview import progress, scores, stuck, turnout
from graders.engine.report.class_page.table import rows
from graders.engine.report.class_page.tries import tries
from graders.engine.score.class_entry import State
from tests.report.class_page.facts import FAIL, PASS, TODO, WAITING, facts, info, line
from tests.report.class_page.made_class import cards, entry
from tests.report.situations import SITUATIONS, check, exercise, strict

EASY, HARD, OTHER = info("is easy"), info("is hard", 2), info("is other", 10)
TEXT = info("discussion", 2, slug="ex02_text", visibility="person")


def made(number, **verdicts):
    """So many cards, where the strong half (by OTHER) passes what is listed for it: each name gives two verdicts."""
    strong, weak = {OTHER: PASS}, {OTHER: FAIL}
    for one in (EASY, HARD):
        if one.id.split()[1] in verdicts:
            strong[one], weak[one] = verdicts[one.id.split()[1]]
    return [facts(strong if place % 2 else weak) for place in range(number)]


def figures_of(one, class_facts):
    (found,) = [figures for figures in check_figures(class_facts) if figures.info == one]
    return found


def test_a_check_is_counted_by_what_became_of_it():
    verdicts = [PASS, PASS, FAIL, Verdict.ERROR, TODO, Verdict.BLOCKED, WAITING]
    found = figures_of(EASY, [facts({EASY: verdict}) for verdict in verdicts])
    assert (found.passed, found.decided, found.tried, found.failed, found.waiting) == (2, 6, 4, 2, 1)
    assert found.lost == 4
    assert found.pass_rate == pytest.approx(2 / 6)
    assert found.difficulty == pytest.approx(2 / 4)


def test_discrimination_leaves_out_the_checks_own_points():
    # Nothing but the check itself varies: with its own points in the score, it would go with them perfectly.
    alone = [facts({HARD: PASS if place % 2 else FAIL}) for place in range(40)]
    assert figures_of(HARD, alone).discrimination is None
    assert figures_of(HARD, made(40, hard=(PASS, FAIL))).discrimination == pytest.approx(1)
    assert figures_of(HARD, made(40, hard=(FAIL, PASS))).discrimination == pytest.approx(-1)


def test_a_small_class_has_no_discrimination():
    number = thresholds.DISCRIMINATION
    assert figures_of(HARD, made(number, hard=(PASS, FAIL))).discrimination is not None
    assert figures_of(HARD, made(number - 1, hard=(PASS, FAIL))).discrimination is None
    few = [*made(number, hard=(PASS, PASS)), *[facts({OTHER: FAIL, HARD: FAIL})] * (thresholds.EACH_SIDE - 1)]
    assert figures_of(HARD, few).discrimination is None


def test_who_did_not_get_to_a_check_says_nothing_about_it():
    there = made(20, hard=(PASS, FAIL))
    elsewhere = [facts({OTHER: PASS, HARD: Verdict.BLOCKED}) for _ in range(50)]
    found = figures_of(HARD, there + elsewhere)
    assert found.tried == 20
    assert found.discrimination == pytest.approx(1)


@pytest.mark.parametrize(
    ("class_facts", "flag"),
    [
        (made(40, hard=(FAIL, PASS)), Flag.TOP_FAILS),
        (made(40, hard=(PASS, FAIL)), Flag.NONE),
        (made(14, hard=(FAIL, PASS)), Flag.NONE),
        ([*made(200, hard=(PASS, PASS)), *made(20, hard=(FAIL, FAIL))], Flag.FLAT),
        ([*made(200, hard=(PASS, PASS)), *[facts({OTHER: PASS, HARD: FAIL})] * 20], Flag.BACKWARDS),
        ([*made(4, hard=(PASS, FAIL)), facts({OTHER: PASS, HARD: Verdict.BROKEN})], Flag.BROKEN),
    ],
    ids=["strong fail it", "as it should be", "too few", "tells nothing apart", "backwards", "broken"],
)
def test_a_check_that_good_students_fail_is_flagged(class_facts, flag):
    assert figures_of(HARD, class_facts).flag == flag


def test_mastery_is_earned_out_of_what_could_be():
    one = info("a", 3, objective="implement")
    two = info("b", 1, slug="ex02_text", objective="limits")
    class_facts = [facts({one: PASS, two: FAIL}), facts({one: FAIL, two: PASS}), facts({one: PASS, two: WAITING})]
    heat = heat_map(check_figures(class_facts), class_facts[0].objectives)
    assert heat.objectives == ("Implement it", "Know its limits")
    assert [row.title for row in heat.rows] == ["Title of ex01_fixed", "Title of ex02_text"]
    first, second = heat.rows
    assert (first.cells[0].earned, first.cells[0].possible, first.cells[1]) == (6, 9, None)
    assert (second.cells[1].earned, second.cells[1].possible) == (1, 2)
    assert (heat.total.whole.earned, heat.total.whole.possible) == (7, 11)
    assert [cell.level for cell in (first.whole, second.whole)] == [3, 2]


def test_a_full_share_is_in_the_last_step():
    heat = heat_map(check_figures([facts({EASY: PASS})]), [("implement", "x")])
    assert heat.total.whole.level == 4


def test_a_bonus_counts_in_mastery_for_who_began_it():
    """A check that says nothing of itself either, TODO, is unearned in an exercise that everybody has to do."""
    extra, more = info("a", slug="ex06_beyond"), info("b", slug="ex06_beyond")
    began = facts({EASY: TODO, extra: PASS, more: TODO}, bonus=("ex06_beyond",))
    left = facts({EASY: TODO, extra: TODO, more: TODO}, bonus=("ex06_beyond",))
    heat = heat_map(check_figures(map(without_bonus_left_out, [began, left])), began.objectives)
    assert [(row.whole.earned, row.whole.possible) for row in heat.rows] == [(0, 2), (1, 2)]
    nobody = heat_map(check_figures([without_bonus_left_out(left)]), left.objectives)
    assert [row.slug for row in nobody.rows] == ["ex01_fixed"]


def test_mistakes_are_put_together_by_explanation():
    lines = [
        *(line(f"a{place}", facts({EASY: FAIL}, hint="from 0", got="1")) for place in range(2)),
        line("b", facts({EASY: FAIL}, hint="from 0", got="2")),
        line("c", facts({EASY: FAIL}, hint="another")),
        line("d", facts({HARD: FAIL, EASY: FAIL}, hint="from 0")),
        line("e", facts({EASY: TODO})),
        line("g", facts({HARD: FAIL, EASY: FAIL})),
        line("f", None),
    ]
    found = commonest(lines)
    # What nothing explains stands for its check alone, and the dearer of those goes first.
    assert [(one.infos, one.cause, [who.student for who in one.who]) for one in found] == [
        ((EASY, HARD), "from 0", ["a0", "a1", "b", "d"]),
        ((HARD,), "", ["g"]),
        ((EASY,), "another", ["c"]),
        ((EASY,), "", ["g"]),
    ]
    assert (found[0].got, found[0].same_got) == ("1", 2)
    assert len(commonest(lines, most=1)) == 1


def test_the_class_is_stuck_where_failing_costs_most():
    class_facts = [facts({EASY: FAIL, HARD: FAIL}), facts({EASY: FAIL, HARD: TODO}), facts({EASY: FAIL, HARD: TODO})]
    assert [one.info for one in stuck(check_figures(class_facts))] == [EASY, HARD]
    assert stuck(check_figures([facts({EASY: PASS, HARD: TODO})])) == []


def test_an_exercise_is_begun_with_the_first_check_that_is_reached():
    class_facts = [facts({EASY: TODO, HARD: Verdict.BLOCKED}), facts({EASY: PASS, HARD: TODO}), facts({EASY: WAITING})]
    (found,) = progress(class_facts, check_figures(class_facts))
    assert (found.not_begun, found.passed, found.failed, found.not_reached) == (1, 1, 0, 3)


def test_attempts_until_the_first_pass():
    slug = "ex01_fixed"
    known = [1, 1, 2, 9, None]
    (found,) = tries(facts({EASY: PASS}, tries=(FirstPass(slug, attempt),)) for attempt in known)
    assert (found.passed_at, found.not_yet) == ((2, 1, 0, 0, 0, 1), 1)
    assert tries([facts({EASY: PASS})]) == []


def test_the_first_pass_is_the_first_card_with_all_that_can_be_decided():
    failing = strict(exercise("ex01", "One", check("works", Verdict.FAIL)))
    passing = strict(exercise("ex01", "One", check("works"), check("is read", Verdict.WAITING)))
    assert facts_of(passing, [failing, passing, failing]).first_passes == (FirstPass("ex01", 2),)
    assert facts_of(failing, [failing]).first_passes == (FirstPass("ex01", None),)
    assert facts_of(failing, []).first_passes == ()


def test_who_waits_is_listed_once_for_each_text():
    needed = attention([line("a", facts({TEXT: WAITING})), line("b", facts({TEXT: TODO}))])
    assert [(one.info, [who.student for who in one.who]) for one in needed.texts] == [(TEXT, ["a"])]


def test_written_answers_are_gathered_and_letters_are_not():
    why = info("why", slug="ex07", visibility="hidden")
    form = info("form", slug="ex07")
    lines = [
        *(line(f"a{place}", facts({why: FAIL}, got="it has no order")) for place in range(2)),
        line("b", facts({why: FAIL}, got="as it said", sheets=("ex07",))),
        line("c", facts({why: FAIL}, got="b")),
        line("d", facts({form: FAIL}, got="line 3: no letter")),
        line("e", facts({EASY: FAIL}, got="three words here")),
        line("f", facts({why: Verdict.ERROR}, got="three words here")),
    ]
    assert [(one.answer, len(one.who)) for one in attention(lines).disputed] == [
        ("it has no order", 2),
        ("as it said", 1),
    ]


def test_the_same_file_is_a_case_unless_nothing_in_it_passes():
    same, stub = Work("ex01", "a" * 64, True), Work("ex02", "b" * 64, False)
    also = Work("ex03", "c" * 64, True)
    of = {"a": (same, stub, also), "b": (same, stub, also), "c": (stub,), "d": (Work("ex01", "d" * 64, True),)}
    lines = [line(name, facts({EASY: PASS}, works=works)) for name, works in of.items()]
    assert [(one.slugs, [who.student for who in one.who]) for one in attention(lines).copies] == [
        (("ex01", "ex03"), ["a", "b"])
    ]


def test_what_went_wrong_is_told_by_state_and_finding():
    lines = [
        line("a", None, entry("a", State.FAULT, "the host did not start")),
        line("b", None, entry("b", State.NOTHING, "the archive is damaged")),
        line("c", facts({EASY: Verdict.BROKEN}), entry("c", odd=True)),
    ]
    needed = attention(lines)
    assert [(one.who.student, one.words) for one in needed.faults] == [("a", "the host did not start")]
    assert [(one.who.student, one.words) for one in needed.nothing] == [("b", "the archive is damaged")]
    assert [(one.who.student, one.kind) for one in needed.cases] == [("c", "another score claimed")]
    assert [one.info for one in needed.broken] == [EASY]
    assert turnout(lines).faults == turnout(lines).nothing == turnout(lines).graded == 1


def test_a_mark_whose_answer_has_changed_needs_a_person():
    changed = [one for one in SITUATIONS.values() if facts_of(one, ()).changed]
    needed = attention([line("a", facts_of(changed[0], ()))])
    assert [who.student for one in needed.changed for who in one.who] == ["a"]


def test_scores_of_a_class():
    lines = [line(str(points), facts({info("x", points): PASS, OTHER: PASS})) for points in range(1, 10)]
    found = scores(lines)
    assert (found.values, found.median, found.quartiles) == (tuple(range(11, 20)), 15, None)
    assert scores([*lines, *lines]).quartiles == (13, 17)
    assert scores([line("a", None)]) is None


def test_rows_say_what_to_look_at():
    lines = [line("a", facts({EASY: PASS, TEXT: WAITING}, late=1), entry("a", odd=True)), line("b", None)]
    found = rows(lines, ["ex01_fixed", "ex02_text", "ex03"], attention(lines))
    assert [(row.score, row.points, row.look_at) for row in found] == [
        ((1, 3), (1, 0, None), ("text waits", "late: 1 point off", "another score claimed")),
        (None, (None, None, None), ()),
    ]


def test_a_check_that_is_told_in_two_ways_is_one_check():
    other = EASY._replace(title="another title")
    lines = agreed([line("a", facts({EASY: PASS})), line("b", facts({other: FAIL, HARD: PASS})), line("c", None)])
    assert [
        (one.info, one.passed, one.decided) for one in check_figures(each.facts for each in lines if each.facts)
    ] == [
        (EASY, 1, 2),
        (HARD, 1, 1),
    ]


def test_facts_go_with_the_card():
    for card in cards(5):
        found = facts_of(card, ())
        assert len(found.layout) == len(found.verdicts) == len(found.points)
        assert sum(found.points) == card.points + card.bonus.points
        assert found.total == card.total


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (0, 0, "\N{EN DASH}"),
        (3, 9, "3 of 9"),
        (3, 10, "30 %"),
        (1, 1000, "1 %"),
        (999, 1000, "99 %"),
        (10, 10, "100 %"),
    ],
)
def test_rates_of_few_are_counts_and_only_all_is_everything(part, whole, words):
    assert wording.rate(part, whole) == words


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (4, 9, "\N{EN DASH}"),
        (4, 60, "fewer than 5 students"),
        (0, 60, "fewer than 5 students"),
        (5, 60, "8 %"),
        (55, 60, "92 %"),
        (56, 60, "nearly all, or all"),
        (60, 60, "nearly all, or all"),
    ],
)
def test_rates_for_the_class_tell_nothing_of_few(part, whole, words):
    assert wording.rate_unnamed(part, whole) == words
