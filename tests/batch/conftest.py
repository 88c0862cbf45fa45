"""What the tests of a class share: a plan on a small course, and a crew in this process."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graders.engine.batch import member_process
from graders.engine.batch.crew import Done, Failed, Job, Setup
from graders.engine.batch.plan import Plan
from graders.engine.cli.class_plan import Asked, make_plan
from tests.batch.small_class import CODE, COURSE, card_of

ASKED = Asked(Path(), Path(), None, None, True, 3, False, (), None, (), None, COURSE)

MakePlan = Callable[..., Plan]


class CrewHere:
    """A crew that judges at once, last come first served, and that fails over whom it is told to."""

    def __init__(self, size: int = 2, fails: dict[str, int] | None = None) -> None:
        self.size = size
        self.given: list[str] = []
        self.at_a_time: dict[str, int] = {}
        self._fails = dict(fails or {})
        self._jobs: deque[Job] = deque()
        self.setup: Setup

    def give(self, job: Job) -> None:
        self.given.append(job.student)
        self._jobs.append(job)
        for other in self._jobs:
            self.at_a_time[other.student] = len(self._jobs)

    def take(self) -> Done | Failed:
        job = self._jobs.pop()
        if self._fails.get(job.student, 0):
            self._fails[job.student] -= 1
            return Failed(job.student, "the process that judged it was killed")
        return Done(job.student, card_of(self.setup, job))

    def close(self) -> None:
        self._jobs.clear()


@pytest.fixture
def plan() -> MakePlan:
    """``plan(source, out, seed=..., ...)``: the plan of `grade class` with these arguments, where `out` is made."""

    def make(source: Path, out: Path, **arguments: object) -> Plan:
        out.mkdir(exist_ok=True)
        made, _ = make_plan(replace(ASKED, source=source, out=out, **arguments))
        return made

    return make


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members that judge by the words of a submission."""
    monkeypatch.setattr(member_process, "CODE", CODE)
