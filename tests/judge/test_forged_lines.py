"""What a worker says about lines may be anything: student code can reach the orders through stack frames."""

import pytest

from graders.engine.author.answers import known_answer
from graders.engine.judge.outcome import Outcome
from graders.engine.judge.session import Options, judge
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric
from graders.engine.run.supply import WorkerSupply

SLUG = "ex02_token_pos"
COURSE = find_course(None)
RUBRIC = load_rubric(COURSE.rubric)
REFERENCE = COURSE.reference(SLUG).read_text(encoding="utf-8")
FORGE = """import sys
frame = sys._getframe()
while "ORDERS" not in frame.f_globals:
    frame = frame.f_back
def describe(bench, name):
    lines = {{"forward": {line}, "__init__": {line}}}
    return {{"defined": True, "kind": "class", "callable": True, "is_module_class": True, "lines": lines}}
frame.f_globals["ORDERS"]["describe"] = describe
"""


def judged(supply: WorkerSupply, line: str) -> dict[str, Outcome]:
    """Return the outcomes of a file that forges this line; an honest file beside it passes all checks."""
    wrong = FORGE.format(line=line) + REFERENCE.replace("return self.drop(total)", "return None")
    answers = [known_answer(SLUG, "forged", wrong), known_answer(SLUG, "honest", REFERENCE)]
    forged, honest = judge(COURSE, RUBRIC, answers, supply, Options(seed=0, hidden=False))
    assert {outcome.verdict for outcome in honest} == {"pass"}
    return {outcome.check: outcome for outcome in forged}


@pytest.mark.parametrize("line", ["10**12", "-3"])
def test_a_forged_line_costs_only_itself(supply: WorkerSupply, line: str) -> None:
    shape = judged(supply, line)["shape"]
    assert (shape.verdict, shape.line) == ("fail", None)


@pytest.mark.parametrize("line", ["'x'", "1.5", "[1]", "None", "True"])
def test_what_is_no_number_is_no_answer(supply: WorkerSupply, line: str) -> None:
    verdicts = [outcome.verdict for outcome in judged(supply, line).values()]
    assert "crashed" in verdicts
    assert "pass" not in verdicts
