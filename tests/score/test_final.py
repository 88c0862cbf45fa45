"""Final scores: which attempt counts, and that every number has its reason."""

import datetime

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.load.roster import Extension
from graders.engine.score.final import NOTHING, Attempt, Final, Terms, counted, final
from graders.engine.score.marks import Entry, mark_card
from tests.gradebook.material import POLICY, SLUG, WORTH, after, card, mark
from tests.report.situations import check, exercise, practice, with_bonus

LAST = POLICY.model_copy(update={"counts": "last"})
FREE = Terms(None, WORTH, None, {})
LATE = Terms(POLICY, WORTH, None, {})


def attempt(points: int, at: datetime.datetime | None = None) -> Attempt:
    return Attempt(at, card("ada", points))


def with_mark(*entries: Entry) -> Terms:
    return Terms(None, WORTH, None, {(entry.exercise, entry.check): entry for entry in entries})


def test_without_an_attempt_there_are_no_points_and_a_reason() -> None:
    assert final("ada", [], LATE) == Final(student="ada", points=0, max_points=WORTH, attempt=None, reasons=(NOTHING,))


@pytest.mark.parametrize(
    ("terms", "attempts", "which", "points"),
    [
        (FREE, [attempt(9)], 1, 9),
        (FREE, [attempt(9), attempt(12), attempt(3)], 2, 12),
        (FREE, [attempt(9), attempt(12), attempt(12)], 2, 12),
        (LATE, [attempt(9, after(hours=-2)), attempt(12, after(hours=2))], 2, 11),
        (LATE, [attempt(11, after(hours=-2)), attempt(12, after(hours=2))], 1, 11),
        (LATE, [attempt(9, after(hours=-2)), attempt(12, after(days=9))], 1, 9),
        (LATE, [attempt(12), attempt(9, after(hours=-2))], 1, 12),
        (Terms(LAST, WORTH, None, {}), [attempt(12, after(hours=-2)), attempt(9, after(hours=2))], 2, 9),
        (Terms(LAST, WORTH, Extension(hours=1), {}), [attempt(12), attempt(10, after(hours=26))], 2, 8),
    ],
)
def test_the_best_after_deductions_counts_or_the_last(
    terms: Terms, attempts: list[Attempt], which: int, points: int
) -> None:
    found = final("ada", attempts, terms)
    assert (found.attempt, found.points, found.max_points) == (which, points, WORTH)
    others = {f"attempt {number} (" for number in range(1, len(attempts) + 1)} - {f"attempt {which} ("}
    assert all(any(reason.startswith(start) for reason in found.reasons) for start in others)


def test_a_mark_changes_which_attempt_is_the_best_one() -> None:
    terms = with_mark(mark("ada", 5, note="why\n\n so "))
    # Of the second, the check is worth four points, so that the mark has no place there.
    found = final("ada", [attempt(15), attempt(16)], terms)
    assert (found.attempt, found.points) == (1, 20)
    assert f'a person gave 5/5 points for open of {SLUG} on 2026-12-01: "why so"' in found.reasons
    found = final("ada", [attempt(16)], terms)
    assert found.points == 16
    assert f"a person's mark of 5 for open of {SLUG} has no place on this card" in found.reasons


def test_of_two_marks_for_one_check_the_later_one_counts() -> None:
    graded = Attempt(None, mark_card(card("ada", 15), mark("ada", 2, day=5)))
    assert final("ada", [graded], with_mark(mark("ada", 4, day=4))).points == 17
    found = final("ada", [graded], with_mark(mark("ada", 4, day=5)))
    assert found.points == 19
    assert f"the card has another mark of that day for open of {SLUG}; that of the gradebook counts" in found.reasons


def test_a_mark_for_another_answer_is_said_to_be_one() -> None:
    entry = mark("ada", 4).model_copy(update={"sha256": None})
    (reason,) = [words for words in final("ada", [attempt(12)], with_mark(entry)).reasons if "a person gave" in words]
    assert "for an answer that was another one then" in reason


def test_lateness_says_what_it_takes_off_and_why() -> None:
    found = final("ada", [attempt(15, after(hours=30))], LATE)
    assert found.points == 12
    assert found.reasons[0] == "the only attempt"
    assert found.reasons[-1].startswith("lateness takes off 3 of 15 points: handed in 2026-12-20 04:59 UTC, 1 day 6 ho")


def test_a_card_that_was_late_is_not_late_twice() -> None:
    once = counted(attempt(15, after(hours=30)), LATE)
    assert final("ada", [Attempt(after(hours=30), once)], LATE).points == 12
    assert final("ada", [Attempt(after(hours=30), once)], FREE).points == 15


def test_what_else_a_number_depends_on_is_said() -> None:
    waiting = final("ada", [Attempt(None, card("ada", 15, words=True))], FREE)
    assert "2 points wait for a person to grade" in waiting.reasons
    assert f"graded when the course had {WORTH + 2} points; it has {WORTH} now" in waiting.reasons
    bonus = final("ann", [Attempt(None, with_bonus(35, 12))], FREE)
    assert "35/40 points in the exercises and 12/20 points of bonus" in bonus.reasons
    assert "7 bonus points do not count, as they go beyond the maximum" in bonus.reasons
    half = practice(exercise("ex01_plain", "Plain", check("seen", Verdict.PASS), hidden=3))
    assert "graded without hidden checks" in final("ann", [Attempt(None, half)], FREE).reasons
