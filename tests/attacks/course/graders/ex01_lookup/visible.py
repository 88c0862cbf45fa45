"""Visible checks: the class is there, and its answer has the right shape."""

from graders.engine.judge.vocabulary import Draw, Module, Student, expect_tensor, needs, objective

ROWS, WIDTH = 7, 3


def make(student: Student) -> Module:
    """Return a student's module of these sizes."""
    module: Module = student.Lookup(rows=ROWS, width=WIDTH)
    return module


@objective("look_up")
def check_constructor(student: Student) -> None:
    """Lookup(rows, width) makes a module"""
    student.Lookup.expect_module_class()
    make(student)


@needs("constructor")
@objective("look_up")
def check_shape(student: Student, rng: Draw) -> None:
    """ids of shape (batch, seq) give an answer of shape (batch, seq, width)"""
    expect_tensor(make(student)(rng.ids(2, 4, ROWS)), (2, 4, WIDTH), "the answer")
