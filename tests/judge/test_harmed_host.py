"""A host that is killed in the middle of a class: no student pays for it."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from graders.engine.author.answers import known_answer
from graders.engine.judge.judging import Failed, Judging
from graders.engine.judge.outcome import Outcome
from graders.engine.judge.session import Options, judge, judge_each
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric
from graders.engine.load.submission import Submission
from graders.engine.run.connection import Connection
from graders.engine.run.launch import HostFailed
from graders.engine.run.supply import WorkerSupply
from tests.run.conftest import all_gone, linux_only

pytestmark = linux_only

SLUG = "ex02_token_pos"
COURSE = find_course(None)
RUBRIC = load_rubric(COURSE.rubric)
RIGHT = known_answer(SLUG, "right", COURSE.reference(SLUG).read_text(encoding="utf-8"))


def test_killed_between_two_submissions_it_costs_nothing(supply: WorkerSupply, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts: list[int] = []
    judge_one = Judging.judge_submission

    def judge_and_kill(self: Judging, *arguments: object) -> tuple[Outcome, ...]:
        outcomes = judge_one(self, *arguments)
        if not hosts:
            hosts.append(supply._host._process.pid)
            os.kill(hosts[0], signal.SIGKILL)
        return outcomes

    monkeypatch.setattr(Judging, "judge_submission", judge_and_kill)
    classmates = judge(COURSE, RUBRIC, [RIGHT, RIGHT, RIGHT], supply, Options(seed=0, hidden=False))
    assert len(classmates) == 3
    assert {outcome.verdict for outcomes in classmates for outcome in outcomes} == {"pass"}
    assert all_gone(hosts)
    assert supply._host._process.pid != hosts[0]


SOURCE = RIGHT.files[0].source.decode()
SLOW = known_answer(SLUG, "slow", SOURCE.replace("import torch\n", "import time, torch\ntime.sleep(60)\n", 1))
assert SLOW.files[0].source != RIGHT.files[0].source


class Doomed:
    """The same supply, whose host is killed soon after each of the first workers has started."""

    def __init__(self, supply: WorkerSupply, times: int) -> None:
        self.isolation = supply.isolation
        self.close = supply.close
        self._supply = supply
        self._times = times

    def start(self, memory_mib: int) -> Connection:
        connection = self._supply.start(memory_mib)
        if self._times:
            self._times -= 1
            threading.Timer(0.2, os.kill, (self._supply._host._process.pid, signal.SIGKILL)).start()
        return connection


def test_killed_while_student_code_runs_the_submission_is_tried_once_more(supply: WorkerSupply) -> None:
    slow, right = judge(COURSE, RUBRIC, [SLOW, RIGHT], Doomed(supply, 1), Options(seed=0, hidden=False))
    assert slow[0].verdict == "timeout"
    assert {outcome.verdict for outcome in right} == {"pass"}


def test_killed_twice_it_is_the_graders_fault(supply: WorkerSupply) -> None:
    with pytest.raises(HostFailed, match="was killed while student code ran"):
        judge(COURSE, RUBRIC, [SLOW], Doomed(supply, 2), Options(seed=0, hidden=False))


def test_killed_twice_it_costs_nobody_else(supply: WorkerSupply) -> None:
    results: list[tuple[Outcome, ...] | Failed] = []
    answers, doomed = iter([SLOW, RIGHT]), Doomed(supply, 2)
    judge_each(COURSE, RUBRIC, [SLUG], answers, doomed, Options(seed=0, hidden=False), results.append)
    failed, right = results
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, HostFailed)
    assert not isinstance(right, Failed)
    assert {outcome.verdict for outcome in right} == {"pass"}


def test_what_came_of_a_submission_is_handed_on_before_the_next_is_asked_for(supply: WorkerSupply) -> None:
    happened: list[str] = []

    def answers() -> Iterator[Submission]:
        for name in ("first", "second"):
            happened.append(name)
            yield RIGHT

    def take(result: tuple[Outcome, ...] | Failed) -> None:
        happened.append("result")

    judge_each(COURSE, RUBRIC, [SLUG], answers(), supply, Options(seed=0, hidden=False), take)
    assert happened == ["first", "result", "second", "result"]
