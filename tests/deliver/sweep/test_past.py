"""What a branch was at a moment, by the record of pushes; and which looks of an interrupted sweep still hold."""

import datetime
from pathlib import Path

import pytest

from graders.engine.deliver.github.sweep.answers import Activity
from graders.engine.deliver.github.sweep.look import Look
from graders.engine.deliver.github.sweep.progress import FILE, Progress, finish
from graders.engine.deliver.github.sweep.pushes import NOTHING, Past, past
from graders.engine.deliver.github.sweep.roll import extended
from graders.engine.errors import UsageError
from graders.engine.load.roster import Extension

DEADLINE = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
MADE = datetime.datetime(2026, 10, 1, 12, tzinfo=datetime.UTC)
SECOND, MINUTE, HOUR = (datetime.timedelta(seconds=seconds) for seconds in (1, 60, 3600))
A, B = "a" * 40, "b" * 40


def entry(after: str, time: datetime.datetime, kind: str = "push") -> Activity:
    return Activity(before=NOTHING, after=after, ref="refs/heads/main", timestamp=time, activity_type=kind)


@pytest.mark.parametrize(
    ("activities", "found"),
    [
        ([], Past(None, None, 0, None)),
        ([entry(B, DEADLINE), entry(A, DEADLINE)], Past(B, DEADLINE, 0, None)),
        ([entry(B, DEADLINE + SECOND), entry(A, DEADLINE)], Past(A, DEADLINE, 1, DEADLINE + SECOND)),
        ([entry(A, DEADLINE + HOUR)], Past(None, None, 1, DEADLINE + HOUR)),
        ([entry(NOTHING, DEADLINE, "branch_deletion")], Past(None, None, 0, None)),
        ([entry(NOTHING, DEADLINE)], Past(None, None, 0, None)),
        ([entry("no digest", DEADLINE)], Past(None, None, 0, None)),
        ([entry(A, MADE + SECOND, "branch_creation")], Past(None, None, 0, None)),
        ([entry(A, MADE + HOUR, "branch_creation")], Past(A, MADE + HOUR, 0, None)),
        ([entry(B, MADE + SECOND), entry(A, MADE, "branch_creation")], Past(B, MADE + SECOND, 0, None)),
        (
            [entry(B, DEADLINE + HOUR), entry(A, DEADLINE + SECOND, "branch_creation")],
            Past(None, None, 2, DEADLINE + HOUR, born=True),
        ),
    ],
)
def test_the_last_entry_by_the_deadline_decides(activities: list[Activity], found: Past) -> None:
    assert past(activities, MADE, DEADLINE) == found


def test_nothing_before_it_is_asked_for() -> None:
    left = iter([entry(B, DEADLINE), entry(A, MADE)])
    past(left, MADE, DEADLINE)
    assert [activity.after for activity in left] == [A]


@pytest.mark.parametrize(
    ("extension", "until"),
    [
        (None, DEADLINE),
        (Extension(hours=48), DEADLINE + 48 * HOUR),
        (Extension(until=MADE), MADE),
    ],
)
def test_an_extension_is_hours_or_a_moment(extension: Extension | None, until: datetime.datetime) -> None:
    assert extended(DEADLINE, extension) == until


def look(at: datetime.datetime) -> Look:
    return Look(fork=7, name="ada/course", owner="ada", deadline=DEADLINE, looked_at=at, branches=())


@pytest.mark.parametrize(
    ("looked_at", "now", "holds"),
    [
        (DEADLINE + 6 * MINUTE, DEADLINE + 5 * HOUR, True),
        (DEADLINE + 6 * MINUTE, DEADLINE + 7 * HOUR, False),
        (DEADLINE + 4 * MINUTE, DEADLINE + 5 * MINUTE, False),
        (DEADLINE - 10 * MINUTE, DEADLINE - MINUTE, True),
        (DEADLINE - 62 * MINUTE, DEADLINE - MINUTE, False),
        (DEADLINE - MINUTE, DEADLINE + MINUTE, False),
        (DEADLINE + HOUR, DEADLINE, False),
    ],
)
def test_a_look_holds_as_long_as_another_would_see_the_same(
    looked_at: datetime.datetime, now: datetime.datetime, holds: bool, tmp_path: Path
) -> None:
    Progress(tmp_path, 1, looked_at).keep(look(looked_at), looked_at)
    kept = Progress(tmp_path, 1, now).usable(7, DEADLINE, now)
    assert (kept is not None) == holds


def test_looks_are_of_one_course_and_one_deadline(tmp_path: Path) -> None:
    now = DEADLINE + HOUR
    Progress(tmp_path, 1, now).keep(look(now), now)
    progress = Progress(tmp_path, 1, now)
    assert progress.usable(7, DEADLINE, now) == look(now)
    assert progress.usable(8, DEADLINE, now) is None
    assert progress.usable(7, DEADLINE + HOUR, now + 2 * HOUR) is None
    assert Progress(tmp_path, 2, now).kept == {}
    assert Progress(tmp_path, 1, now).kept == {}, "it was begun anew by then"
    finish(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_torn_is_passed_over_and_spoils_no_line_after_it(tmp_path: Path) -> None:
    now = DEADLINE + HOUR
    Progress(tmp_path, 1, now).keep(look(now), now)
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[:-10])
    progress = Progress(tmp_path, 1, now)
    assert progress.kept == {}
    progress.keep(look(now), now)
    assert Progress(tmp_path, 1, now).kept == {7: look(now)}
    path.write_bytes(b"\xff\x00nonsense\n")
    assert Progress(tmp_path, 1, now).kept == {}


def test_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(UsageError, match=r"sweep\.jsonl cannot be read"):
        Progress(tmp_path, 1, DEADLINE)
