"""Where there is no fork, a worker is a fresh process: the same verdicts in the same words, only slower."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from graders.engine.author.answers import known_answer
from graders.engine.judge.outcome import Outcome
from graders.engine.judge.session import Options, judge
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric
from graders.engine.run.fresh import FreshSupply
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.supply import WorkerSupply

SLUG = "ex02_token_pos"
COURSE = find_course(None)
RUBRIC = load_rubric(COURSE.rubric)
REFERENCE = COURSE.reference(SLUG).read_text(encoding="utf-8")
LOOKED_UP = "        token_rows = self.tok(token_ids)\n"


@pytest.fixture(scope="module")
def fresh() -> Iterator[FreshSupply]:
    supply = FreshSupply(Isolation(Mode.PRACTICE))
    yield supply
    supply.close()


def without_times(outcomes: tuple[Outcome, ...]) -> list[Outcome]:
    return [replace(outcome, seconds=0.0) for outcome in outcomes]


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        pytest.param("", True, id="right, with hidden checks"),
        pytest.param("        print('here'); import os; os._exit(3)\n", False, id="ends its process"),
        pytest.param("        while True: print('again')\n", False, id="prints for ever"),
    ],
)
def test_both_supplies_give_the_same_outcomes(
    fresh: FreshSupply, supply: WorkerSupply, line: str, hidden: bool
) -> None:
    assert REFERENCE.count(LOOKED_UP) == 1
    answer = known_answer(SLUG, SLUG, REFERENCE.replace(LOOKED_UP, line + LOOKED_UP))
    limits = RUBRIC.limits.model_copy(update={"seconds": 1.0})
    rubric = RUBRIC.model_copy(update={"limits": limits})
    forked, started = (judge(COURSE, rubric, [answer], source, Options(3, hidden))[0] for source in (supply, fresh))
    assert without_times(forked) == without_times(started)
