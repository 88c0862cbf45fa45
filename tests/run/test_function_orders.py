"""Orders about functions of the file and objects of the course's own: called, gone backward through, handed over."""

import torch

from graders.engine.run.raised import Raised
from graders.engine.run.values import Generator, RemoteObject
from tests.run.conftest import Start, Worker

FUNCTIONS = """
import torch
def scaled(x, by=2.0): return by * x
def drawn(count, generator=None): return torch.rand(count, generator=generator)
def in_place(x): return x.add_(1)
def cut(x): return x.detach() * 2
def largest(module, x): return float(module(x).max())
"""
GIVEN = b"""
import torch
from torch import nn
class Shift(nn.Module):
    def __init__(self, by): super().__init__(); self.by = by
    def forward(self, x): return x + self.by
class Broken(nn.Module):
    def __init__(self): raise KeyError("of ours")
"""


def give(worker: Worker, source: bytes = GIVEN) -> object:
    return worker.order("give", source=torch.frombuffer(bytearray(source), dtype=torch.uint8), label="given.py")


def test_a_call_shows_the_arguments_as_they_are_afterwards(start: Start) -> None:
    worker = start(FUNCTIONS)
    arguments = {"args": [torch.zeros(2)], "seed": 0}
    clean = worker.order("call_function", name="scaled", kwargs={"by": 3.0}, **arguments)
    (after,) = worker.order("arguments_now", count=1)
    assert (clean["result"].values.tolist(), after.values.tolist()) == ([0, 0], [0, 0])
    worker.order("call_function", name="in_place", kwargs={}, **arguments)
    (changed,) = worker.order("arguments_now", count=1)
    assert changed.values.tolist() == [1, 1]


def test_gradients_of_a_functions_arguments(start: Start) -> None:
    worker = start(FUNCTIONS)
    upstream = torch.tensor([1.0, 5.0])
    order = {"args": [torch.ones(2)], "kwargs": {}, "seed": 0, "upstream": upstream}
    assert worker.order("backward_function", name="scaled", **order)["inputs"][0].values.tolist() == [2, 10]
    assert worker.order("backward_function", name="cut", **order)["inputs"] == [None]


def test_a_generator_travels_as_its_seed(start: Start) -> None:
    worker = start(FUNCTIONS)
    expected = torch.rand(3, generator=torch.Generator().manual_seed(7))
    for args, kwargs in (([3, Generator(7)], {}), ([3], {"generator": Generator(7)})):
        answer = worker.order("call_function", name="drawn", args=args, kwargs=kwargs, seed=0)
        assert torch.equal(answer["result"].values, expected)


def test_what_the_course_gives_can_be_handed_to_a_function(start: Start) -> None:
    worker = start(FUNCTIONS)
    assert give(worker) is None
    shift = worker.order("make_given", name="Shift", args=[2.5], kwargs={}, seed=0)
    assert isinstance(shift, RemoteObject)
    assert worker.make("largest", shift, torch.zeros(3)) == 2.5


def test_a_given_file_is_no_module_that_student_code_could_import(start: Start) -> None:
    worker = start("def peek():\n    import given")
    give(worker)
    assert worker.make("peek").type_name == "ModuleNotFoundError"


def test_faults_of_the_given_file_come_through(start: Start) -> None:
    worker = start(FUNCTIONS)
    assert isinstance(give(worker, b"def ("), Raised)
    give(worker)
    broken = worker.order("make_given", name="Broken", args=[], kwargs={}, seed=0)
    assert (broken.type_name, broken.line) == ("KeyError", None)


def test_describe_tells_functions_from_other_things(start: Start) -> None:
    worker = start(FUNCTIONS + "number = 3\n")
    facts = {name: worker.order("describe", name=name) for name in ("scaled", "number", "absent")}
    assert [facts[name]["callable"] for name in facts] == [True, False, False]
    assert facts["scaled"]["lines"] == {"scaled": 3}


def test_a_function_is_tried_on_an_accelerator_as_a_module_is(start: Start) -> None:
    worker = start(FUNCTIONS + "def lost(x, count=3): return x + torch.arange(count)\n")
    order = {"inputs": [torch.ones(3)]}
    assert worker.order("place_function", name="scaled", kwargs={"by": 3.0}, **order)["kind"] == "ok"
    found = worker.order("place_function", name="lost", kwargs={"count": 3}, **order)
    assert (found["kind"], found["line"]) == ("mismatch", 8)
