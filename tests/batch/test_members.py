"""Tests of the processes that judge: real ones, whose judge does what the submission says."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graders.engine.batch.crew import Done, Failed, Job, Setup
from graders.engine.batch.line import Kind, LineEnded, receive_words, receive_work, send_words, send_work
from graders.engine.batch.member_process import MemberProcess, outer_seconds
from graders.engine.batch.members import Members
from graders.engine.errors import SandboxError
from graders.engine.load.submission import ExerciseFile, Submission
from graders.engine.run.isolation import Mode
from tests.batch.conftest import MakePlan
from tests.batch.small_class import HONEST, SLUG, hand_in
from tests.run.conftest import all_gone, linux_only

pytestmark = linux_only

MakeCrew = Callable[..., Members]


def job(student: str, text: str = HONEST) -> Job:
    return Job(student, Submission(student, (ExerciseFile(SLUG, f"{SLUG}.py", text.encode(), "0" * 64),), ()))


@pytest.fixture
def setup(plan: MakePlan, tmp_path: Path) -> Setup:
    return plan(hand_in(tmp_path / "source", ada=HONEST), tmp_path / "out").setup


@pytest.fixture
def crew(setup: Setup, stand_ins: None) -> Iterator[MakeCrew]:
    """``crew(size, seconds=...)``: members that end with the test."""
    made: list[Members] = []

    def make(size: int, seconds: float = 60.0) -> Members:
        made.append(Members(setup, size, seconds))
        return made[-1]

    yield make
    for members in made:
        members.close()


def take(crew: Members, count: int) -> dict[str, Done | Failed]:
    results = [crew.take() for _ in range(count)]
    return {result.student: result for result in results}


def test_a_member_that_dies_is_replaced_and_costs_nobody_else_anything(crew: MakeCrew) -> None:
    members = crew(1)
    for student, text in {
        "ada": HONEST,
        "eve": "# dies always",
        "bob": HONEST,
        "joe": "# leaves",
        "zoe": HONEST,
    }.items():
        members.give(job(student, text))
    results = take(members, 5)
    assert {student for student, result in results.items() if isinstance(result, Done)} == {"ada", "bob", "zoe"}
    killed, left = results["eve"], results["joe"]
    assert isinstance(killed, Failed)
    assert killed.words == "the process that judged it was killed (SIGKILL), perhaps for want of memory"
    assert isinstance(left, Failed)
    assert left.words == "the process that judged it ended by itself, with exit code 7"


def test_a_member_that_hangs_is_ended(crew: MakeCrew) -> None:
    members = crew(1, seconds=2.0)
    members.give(job("eve", "# hangs"))
    members.give(job("ada"))
    results = take(members, 2)
    assert results["eve"] == Failed("eve", "the process that judged it had no result after 2 seconds, and was ended")
    assert isinstance(results["ada"], Done)


def test_what_fails_without_a_death_needs_no_new_member(crew: MakeCrew) -> None:
    members = crew(1)
    members.give(job("ada"))
    take(members, 1)
    before = members.processes()
    members.give(job("eve", "# fails us"))
    assert members.take() == Failed("eve", "HostFailed: no host")
    members.give(job("bob"))
    take(members, 1)
    assert members.processes() == before


def test_no_more_members_are_started_than_there_is_work_for(crew: MakeCrew) -> None:
    members = crew(8)
    assert members.processes() == []
    members.give(job("ada"))
    take(members, 1)
    assert len(members.processes()) == 1


def test_closing_ends_members_in_the_middle_of_their_work(crew: MakeCrew) -> None:
    members = crew(2)
    members.give(job("eve", "# hangs"))
    members.give(job("joe", "# hangs"))
    members.give(job("ada"))
    while len(members.processes()) < 2:
        time.sleep(0.01)
    processes = members.processes()
    members.close()
    assert all_gone(processes)
    assert not [thread.name for thread in threading.enumerate() if "_serve" in thread.name]


def test_a_member_ends_with_its_parents_end_of_the_line(crew: MakeCrew) -> None:
    members = crew(1)
    members.give(job("ada"))
    take(members, 1)
    (process,) = members.processes()
    (member,) = members._living
    assert member._process.stdin is not None
    member._process.stdin.close()
    member._process.wait(10)
    assert all_gone([process])


def test_a_stop_signal_of_somebody_else_ends_one_submission_at_most(crew: MakeCrew) -> None:
    members = crew(1)
    members.give(job("ada"))
    take(members, 1)
    (process,) = members.processes()
    os.kill(process, signal.SIGTERM)
    assert all_gone([process])
    members.give(job("bob"))
    first = members.take()
    members.give(job("zoe"))
    assert isinstance(first, Failed)
    assert "SIGTERM" in first.words
    assert isinstance(members.take(), Done)


def test_members_that_cannot_start_at_all_end_the_run(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graders.engine.batch.member_process.CODE", "import sys; {paths}; sys.exit(5)")
    members = Members(setup, 1)
    members.give(job("ada"))
    with pytest.raises(RuntimeError, match=r"no process that judges could be started: .* exit code 5"):
        members.take()
    members.close()


def test_a_sandbox_that_fails_ends_the_run_at_its_beginning_and_later_one_submission(
    crew: MakeCrew, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: MemberProcess) -> None:
        raise SandboxError("landlock is missing")

    begin = MemberProcess.begin
    members = crew(1)
    monkeypatch.setattr(MemberProcess, "begin", refuse)
    members.give(job("ada"))
    with pytest.raises(SandboxError, match="landlock is missing"):
        members.take()
    monkeypatch.setattr(MemberProcess, "begin", begin)
    members.give(job("eve", "# dies always"))
    assert isinstance(members.take(), Failed)
    monkeypatch.setattr(MemberProcess, "begin", refuse)
    members.give(job("bob"))
    assert members.take() == Failed("bob", "landlock is missing")


def test_a_class_has_time_for_all_checks_of_a_submission_to_reach_their_limit(setup: Setup) -> None:
    assert outer_seconds(setup) > 5 * 2 * setup.rubric.limits.seconds
    assert outer_seconds(replace(setup, slugs=())) < outer_seconds(setup)


def test_the_line_carries_work_and_words_and_notices_its_end(setup: Setup) -> None:
    ours, theirs = os.pipe()
    with open(ours, "rb") as reader, open(theirs, "wb") as writer:
        send_work(writer, setup)
        assert receive_work(reader) == setup
        send_words(writer, Kind.DONE, "größe\nzwei")
        assert receive_words(reader) == (Kind.DONE, "größe\nzwei")
        writer.write(b"\xff" * 8)
        writer.flush()
        with pytest.raises(LineEnded, match="without end"):
            receive_words(reader)
        writer.write((5).to_bytes(8, "big") + b"boo")
        writer.close()
        with pytest.raises(LineEnded, match="closed"):
            receive_words(reader)


def test_a_member_with_another_course_refuses(setup: Setup) -> None:
    from graders.engine.batch.judging import judge_jobs
    from graders.engine.errors import CourseError

    other = replace(setup, digest="0" * 64, mode=Mode.STRICT)
    with pytest.raises(CourseError, match="has changed since grading began, or is another one here"):
        judge_jobs(other, iter(()), lambda: None, lambda result: None)
