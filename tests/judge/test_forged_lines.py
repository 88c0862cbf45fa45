"""What a worker says about lines may be anything: student code can reach the orders through stack frames."""

import pytest

from graders.engine.author.answers import known_answer
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
    return {{"defined": True, "kind": "class", "is_module_class": True, "lines": lines}}
frame.f_globals["ORDERS"]["describe"] = describe
"""


@pytest.mark.parametrize("line", ["'x'", "1.5", "[1]", "None", "True", "10**12", "-3"])
def test_a_forged_line_costs_only_itself(supply: WorkerSupply, line: str) -> None:
    wrong = FORGE.format(line=line) + REFERENCE.replace("return self.drop(total)", "return None")
    answers = [known_answer(SLUG, "forged", wrong), known_answer(SLUG, "honest", REFERENCE)]
    forged, honest = judge(COURSE, RUBRIC, answers, supply, Options(seed=0, hidden=False))
    shape = next(outcome for outcome in forged if outcome.check == "shape")
    assert (shape.verdict, shape.line) == ("fail", None)
    assert {outcome.verdict for outcome in honest} == {"pass"}
