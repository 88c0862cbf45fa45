"""A host that is killed in the middle of a class: no student pays for it."""

import os
import signal
import threading

import pytest

from graders.engine.author.answers import known_answer
from graders.engine.judge.judging import Judging
from graders.engine.judge.outcome import Outcome
from graders.engine.judge.session import Options, judge
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric
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


def test_killed_while_student_code_runs_it_is_the_graders_fault_and_the_next_run_works(supply: WorkerSupply) -> None:
    source = RIGHT.files[0].source.decode()
    slow = known_answer(SLUG, "slow", source.replace("import torch\n", "import time, torch\ntime.sleep(60)\n", 1))
    assert slow.files[0].source != RIGHT.files[0].source
    judge(COURSE, RUBRIC, [RIGHT], supply, Options(seed=0, hidden=False))  # so that there is a host
    killing = threading.Timer(1.0, os.kill, (supply._host._process.pid, signal.SIGKILL))
    killing.start()
    with pytest.raises(HostFailed, match="was killed while student code ran"):
        judge(COURSE, RUBRIC, [slow], supply, Options(seed=0, hidden=False))
    killing.join()
    (outcomes,) = judge(COURSE, RUBRIC, [RIGHT], supply, Options(seed=0, hidden=False))
    assert {outcome.verdict for outcome in outcomes} == {"pass"}
