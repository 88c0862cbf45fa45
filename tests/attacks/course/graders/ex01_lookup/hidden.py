"""Hidden checks: values, a gradient and the mode, each against the reference or by a property."""

from types import ModuleType

import torch
from graders.ex01_lookup.visible import ROWS, WIDTH, make

from graders.engine.judge.vocabulary import Draw, Student, expect_close, expect_same_answer_twice, needs, objective

SECRET = "@hidden@"


@needs("shape")
@objective("look_up")
def check_values(student: Student, rng: Draw, reference: ModuleType) -> None:
    """the answer is the table's rows plus the bias"""
    module, ids = make(student), rng.ids(3, 5, ROWS)
    table, bias = rng.table(ROWS, WIDTH), rng.integers(WIDTH, low=-9, high=9)
    module.assign({"table.weight": table, "bias": bias})
    model = reference.Lookup(ROWS, WIDTH)
    with torch.no_grad():
        model.table.weight.copy_(table)
        model.bias.copy_(bias)
        expect_close(module(ids), model(ids), "the answer")


@needs("values")
@objective("look_up")
def check_gradient(student: Student, rng: Draw) -> None:
    """the bias gets the sum of what comes back"""
    upstream = rng.integers(2, 4, WIDTH, low=-9, high=9)
    back = make(student).forward_backward(rng.ids(2, 4, ROWS), upstream=upstream, of=["bias"])
    expect_close(back.gradients["bias"], upstream.sum((0, 1)), "the gradient of bias")


@needs("gradient")
@objective("look_up")
def check_mode(student: Student, rng: Draw) -> None:
    """eval() gives the same answer twice"""
    expect_same_answer_twice(make(student), rng.ids(2, 4, ROWS))
