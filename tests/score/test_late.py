"""What being late costs: whole points in the student's favour, and no number on a card that another contradicts."""

import datetime
import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.roster import Extension
from graders.engine.score.card import before_late, card_from_json, card_to_json
from graders.engine.score.late import late_in_words, with_late, without_late
from graders.engine.score.lateness import Late, lateness
from graders.engine.score.marks import Entry, mark_card
from graders.engine.score.sharing import share
from tests.report.situations import graded, solved, with_bonus

UTC = datetime.UTC
DEADLINE = datetime.datetime(2026, 12, 18, 22, 59, tzinfo=UTC)
POLICY = LatePolicy(deadline=DEADLINE, grace_minutes=15, percent_per_day=10, at_most_percent=50)
OWN = Extension(until=datetime.datetime(2026, 12, 24, 8, tzinfo=UTC))
TWO_DAYS = Extension(hours=48)


def after(**span: float) -> datetime.datetime:
    return DEADLINE + datetime.timedelta(**span)


@pytest.mark.parametrize(
    ("handed_in_at", "days", "percent"),
    [
        (after(days=-3), 0, 0),
        (DEADLINE, 0, 0),
        (after(minutes=15), 0, 0),
        (after(minutes=15, microseconds=1), 1, 10),
        (after(days=1), 1, 10),
        (after(days=1, microseconds=1), 2, 20),
        (after(days=1, minutes=10), 2, 20),  # no grace on a second day
        (after(days=4, hours=1), 5, 50),
        (after(days=40), 40, 50),
        (None, 0, 0),
    ],
)
def test_each_day_begun_after_it_was_due_costs_the_same(
    handed_in_at: datetime.datetime | None, days: int, percent: int
) -> None:
    late = lateness(POLICY, handed_in_at, None)
    assert (late.days, late.percent, late.due) == (days, percent, DEADLINE)


@pytest.mark.parametrize(
    ("extension", "due"),
    [
        (TWO_DAYS, after(days=2)),
        (OWN, OWN.until),
        (Extension(until=after(days=-7)), DEADLINE),  # takes no time away
    ],
)
def test_an_extension_moves_the_moment_that_days_are_counted_from(extension: Extension, due: datetime.datetime) -> None:
    assert lateness(POLICY, due + datetime.timedelta(minutes=15), extension).days == 0
    late = lateness(POLICY, due + datetime.timedelta(minutes=16), extension)
    assert (late.due, late.days, late.percent) == (due, 1, 10)


def test_moments_of_other_zones_are_the_same_moments() -> None:
    there = datetime.timezone(datetime.timedelta(hours=5, minutes=45))
    policy = POLICY.model_copy(update={"deadline": DEADLINE.astimezone(there)})
    assert lateness(policy, after(days=2).astimezone(there), None) == lateness(POLICY, after(days=2), None)


@pytest.mark.parametrize(("hours", "points"), [(1, 4), (25, 8), (200, 20)])
def test_whole_points_are_taken_off_and_no_more_than_the_percentage(hours: int, points: int) -> None:
    card = with_late(with_bonus(35, 12), POLICY, after(hours=hours), None)
    assert card.late
    assert (before_late(card), card.late.points, card.total) == (40, points, 40 - points)
    assert with_late(graded(5), POLICY, after(hours=25), None).total == 6  # 20 % of 7 is 1.4


def test_what_is_said_last_counts_and_was_never_said_twice() -> None:
    card = with_bonus(35, 12)
    late = with_late(card, POLICY, after(hours=30), None)
    assert with_late(late, POLICY, after(hours=30), None) == late
    assert with_late(late, POLICY, after(hours=1), None) == with_late(card, POLICY, after(hours=1), None)
    assert without_late(late) == with_late(late, None, after(hours=30), None) == card
    assert card_from_json(card_to_json(late)) == late


def test_a_mark_changes_what_the_percentage_is_of() -> None:
    card = with_late(with_bonus(20, 5), POLICY, after(hours=1), None)
    entry = Entry(
        student="ann",
        exercise="ex02_token_pos",
        check="another",
        points=10,
        note="right, in other words",
        date=datetime.date(2026, 12, 1),
        sha256="0" * 64,
    )
    marked = mark_card(card, entry)
    assert marked.late
    assert (card.total, marked.late.points, marked.total) == (23, 3, 32)


@pytest.mark.parametrize("policy", ["none", "band", "points"])
def test_others_read_nothing_of_times_and_extensions(policy: Any) -> None:
    late = with_late(graded(5), POLICY, after(hours=60), TWO_DAYS)
    assert share(late, policy) == share(graded(5), policy)
    assert share(late, policy).late is None


def test_a_card_for_others_takes_no_lateness() -> None:
    with pytest.raises(ValueError, match="for others to read does not tell"):
        with_late(share(graded(5), "band"), POLICY, after(hours=60), None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"due": "2026-12-19T22:59:00Z"}, "this is due at 2026-12-18 22:59:00+00:00, not 2026-12-19"),
        ({"days": 1}, "2 days have begun after it was due, not 1"),
        ({"percent": 10}, "2 days cost 20 %, not 10"),
        ({"points": 7}, "20 % of 40 points are 8, not 7"),
        ({"points": -1}, "greater than or equal to 0"),
        ({"handed_in_at": "2026-12-20T09:00:00"}, "timezone"),
        ({"handed_in_at": "0001-01-01T00:00:00+09:00"}, "a moment lies within the years 1 to 9999"),
        ({"handed_in_at": 5}, "Input should be"),
        ({"extension": {"hours": 48, "until": None}}, "this is due at"),
        ({"extension": {"hours": None, "until": None}}, "a number of hours or a moment, one of the two"),
        ({"extension": {"hours": 2, "until": "2026-12-20T09:00:00Z"}}, "one of the two"),
        ({"extension": {"hours": 0, "until": None}}, "greater than or equal to 1"),
        ({"grace_minutes": 10**6}, "0 days have begun"),
        ({"at_most_percent": 15}, "2 days cost 15 %, not 20"),
        ({"deadline": "9999-12-31T23:59:00Z", "extension": {"hours": 48}}, "beyond the year 9999"),
        ({"why": "it rained"}, "Extra inputs"),
    ],
)
def test_a_card_whose_lateness_does_not_follow_is_refused(change: dict[str, Any], words: str) -> None:
    data = json.loads(card_to_json(with_late(with_bonus(35, 12), POLICY, after(hours=34), None)))
    data["late"] |= change
    with pytest.raises(ValidationError, match=re.escape(words)):
        card_from_json(json.dumps(data))


def test_a_total_before_lateness_is_refused() -> None:
    data = json.loads(card_to_json(with_late(with_bonus(35, 12), POLICY, after(hours=34), None)))
    data["total"] = 40
    with pytest.raises(ValidationError, match="40, less 8 for being late, count in total, not 40"):
        card_from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (lateness(POLICY, None, None), "nobody knows when it was handed in; due 2026-12-18 22:59 UTC; it counts as in"),
        (lateness(POLICY, DEADLINE, None), "handed in 2026-12-18 22:59 UTC; due 2026-12-18 22:59 UTC; in time"),
        (
            lateness(POLICY, after(seconds=61), None),
            "handed in 2026-12-18 23:00:01 UTC, 1 minute 1 second after it was due 2026-12-18 22:59 UTC; "
            "within the grace of 15 minutes",
        ),
        (
            lateness(POLICY, after(days=2, hours=1, seconds=5), TWO_DAYS),
            "handed in 2026-12-20 23:59:05 UTC, 1 hour after it was due 2026-12-20 22:59 UTC, which is the "
            "deadline and 48 hours more for this student; 1 day begun, 10 % for each: 10 % off, rounded "
            "down to whole points",
        ),
        (
            lateness(POLICY, after(days=30), OWN),
            "24 days 14 hours after it was due 2026-12-24 08:00 UTC, which is this student's own deadline; 25 days "
            "begun, 10 % for each, 50 % at most: 50 % off, rounded down to whole points",
        ),
        (
            lateness(POLICY.model_copy(update={"grace_minutes": 0}), after(microseconds=1), None),
            "handed in 2026-12-18 22:59:00 UTC, less than a second after it was due 2026-12-18 22:59 UTC; 1 day begun",
        ),
        (lateness(POLICY, None, Extension(until=after(days=-1))), "22:59 UTC, the deadline for everybody; it counts"),
    ],
)
def test_the_words_say_how_it_came_about(late: Late, words: str) -> None:
    assert words in late_in_words(late)


def test_full_marks_in_time_stay_full_marks() -> None:
    card = with_late(solved(), POLICY, DEADLINE, None)
    assert card.late is not None
    assert (card.total, card.late.points) == (5, 0)
