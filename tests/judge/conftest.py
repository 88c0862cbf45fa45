"""What the tests of judging share: the course's own rubric, and a way to judge a file."""

from collections.abc import Callable

import pytest

from graders.engine.judge.outcome import Outcome
from graders.engine.judge.session import Options, judge
from graders.engine.load.course import Course, find_course
from graders.engine.load.rubric import Rubric, load_rubric
from graders.engine.load.submission import Submission
from graders.engine.run.supply import WorkerSupply

Judged = Callable[..., list[tuple[Outcome, ...]]]


@pytest.fixture(scope="session")
def course() -> Course:
    """This repository."""
    return find_course(None)


@pytest.fixture(scope="session")
def rubric(course: Course) -> Rubric:
    """The course's rubric."""
    return load_rubric(course.rubric)


@pytest.fixture
def judged(course: Course, rubric: Rubric, supply: WorkerSupply) -> Judged:
    """``judged(*submissions, hidden=False, seconds=1.0)``: the outcomes of each."""

    def judged(*submissions: Submission, hidden: bool = False, seconds: float = 1.0) -> list[tuple[Outcome, ...]]:
        limits = rubric.limits.model_copy(update={"seconds": seconds})
        return judge(
            course, rubric.model_copy(update={"limits": limits}), submissions, supply, Options(seed=0, hidden=hidden)
        )

    return judged
