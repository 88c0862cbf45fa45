"""Whatever a worker answers, in whatever form, is some student's failed check: never ours, and never the session's."""

import random
from collections import Counter

import pytest

from graders.engine.author.answers import known_answer
from graders.engine.judge.session import Options, judge
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric
from graders.engine.run.answers import has_form
from graders.engine.run.supply import WorkerSupply
from graders.engine.run.worker.orders import ORDERS
from tests.fuzz.frames import FACTS, KIND
from tests.fuzz.liar import MARK, LyingSupply
from tests.fuzz.reading import GIVEN
from tests.run.conftest import linux_only

COURSE = find_course(None)
RUBRIC = load_rubric(COURSE.rubric)
THE_STUDENTS_OWN = {"pass", "fail", "error", "todo", "timeout", "crashed", "blocked"}
"""Verdicts that are about the answer: `broken` is about the check, and earns points."""


@linux_only
@pytest.mark.parametrize(("slug", "submissions"), [("ex02_token_pos", 9), ("ex05_order_matters", 4)])
def test_a_spoilt_answer_breaks_neither_a_check_nor_the_session(
    supply: WorkerSupply, slug: str, submissions: int
) -> None:
    lying = LyingSupply(supply, random.Random(11), share=0.06)
    source = MARK + COURSE.reference(slug).read_bytes()
    answers = [known_answer(slug, f"lies{number}", source) for number in range(submissions)]
    # Hidden checks of the second one train for seconds.
    judged = judge(COURSE, RUBRIC, answers, lying, Options(seed=3, hidden=slug.startswith("ex02")))
    verdicts = Counter(outcome.verdict.value for outcomes in judged for outcome in outcomes)
    assert len(judged) == submissions
    assert lying.lies >= submissions
    assert set(verdicts) <= THE_STUDENTS_OWN
    assert verdicts["fail"]
    assert verdicts["blocked"]


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("load", None),
        ("load", {"names": ["a"]}),
        ("load", {"names": "abc", "notes": []}),
        ("load", {"names": [1], "notes": []}),
        ("load", {"names": [], "notes": [None]}),
        ("open_todos", [[1, 2], [1]]),
        ("open_todos", [[True, 2]]),
        ("describe", {"defined": True}),
        ("describe", {**KIND, "lines": [], "defined": True}),
        ("describe", {**KIND, "lines": {}, "defined": 1}),
        ("describe", {**KIND, "lines": {"forward": "x"}}),
        ("call", None),
        ("call", {"result": 1, "arguments": [1]}),
        ("call_function", {}),
        ("arguments_now", [1]),
        ("arguments_now", (1, 2)),
        ("backward", {"result": 1, "inputs": [1, 2], "gradients": []}),
        ("backward", {"result": 1, "inputs": [1], "gradients": [1]}),
        ("backward_function", {"result": 1, "inputs": []}),
        ("inventory", {"parameters": {}, "training": True}),
        ("inventory", {"parameters": {"a": None}, "buffers": {}, "training": True}),
        ("inventory", {"parameters": {"a": {**FACTS, "shape": [-1]}}, "buffers": {}, "training": True}),
        ("inventory", {"parameters": {"a": {**FACTS, "shape": [1.5]}}, "buffers": {}, "training": True}),
        ("inventory", {"parameters": {"a": {**FACTS, "shape": [1] * 65}}, "buffers": {}, "training": True}),
        ("inventory", {"parameters": {"a": {**FACTS, "requires_grad": 1}}, "buffers": {}, "training": True}),
        ("registration", None),
        ("assign", 0),
        ("train", [0.5, 0.5]),
        ("train", [0.5, 0.5, None]),
        ("place", {"kind": "ok", "message": "", "line": True, "operator": ""}),
        ("place_function", {"kind": None, "message": "", "line": 1, "operator": ""}),
        ("exec", None),
    ],
)  # fmt: skip
def test_an_answer_that_its_order_does_not_have_is_known_at_once(order: str, answer: object) -> None:
    assert not has_form(order, GIVEN, answer)


def test_every_order_has_a_form() -> None:
    anything = {order for order in ORDERS if has_form(order, GIVEN, object())}
    assert anything == {"make", "make_given", "read", "random_numbers"}
