"""Visible checks of exercise 1: the class can be made, its table is fixed and begins right, and forward adds it."""

import math

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Module,
    RemoteTensor,
    Student,
    Unexpected,
    expect,
    expect_close,
    expect_equal,
    expect_length_limit,
    expect_registered,
    expect_tensor,
    needs,
    objective,
)


def read_table(module: Module, max_len: int, d_model: int) -> torch.Tensor:
    """Return the student's table as (max_len, d_model), whichever of the two shapes it has."""
    pe = module.read("pe")
    leading = (1,) if isinstance(pe, RemoteTensor) and pe.values.dim() == 3 else ()
    return expect_tensor(
        pe,
        (*leading, max_len, d_model),
        f"pe for d_model={d_model}, max_len={max_len}",
        dtype=None,
        hint="One row for each of max_len positions, one column for each of d_model features.",
    ).reshape(max_len, d_model)


@objective("implement")
def check_constructor(student: Student) -> None:
    """SinusoidalPositionalEncoding(d_model, max_len=512) makes a module"""
    student.SinusoidalPositionalEncoding.expect_module_class()
    student.SinusoidalPositionalEncoding(d_model=6, max_len=9)
    student.SinusoidalPositionalEncoding(6, 9)
    student.SinusoidalPositionalEncoding(6)


@needs("constructor")
@objective("contrast")
def check_buffer(student: Student) -> None:
    """pe is a registered buffer, and nothing is trained"""
    module = student.SinusoidalPositionalEncoding(d_model=6, max_len=9)
    expect_registered(module, "pe", "buffer")
    trained = list(module.inventory().parameters)
    expect(not trained, expected="no parameters", got=f"parameters {', '.join(trained)}", hint="Nothing here learns.")
    expect_equal(
        module.read("pe").requires_grad,
        False,
        "pe.requires_grad",
        "A buffer must not require a gradient: remove requires_grad from the table.",
    )


@needs("constructor")
@objective("contrast")
def check_table_size(student: Student, rng: Draw) -> None:
    """pe has max_len rows of d_model columns"""
    max_len, d_model = rng.between(9, 12), 2 * rng.between(7, 9)
    read_table(student.SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len), max_len, d_model)
    read_table(student.SinusoidalPositionalEncoding(d_model=d_model), 512, d_model)


@needs("table_size")
@objective("contrast")
def check_first_rows(student: Student, rng: Draw) -> None:
    """rows begin with 0, 1, 0, 1, ... and then sin 1, cos 1"""
    max_len, d_model = rng.between(9, 12), 2 * rng.between(7, 9)
    pe = read_table(student.SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len), max_len, d_model)
    expect_close(
        pe[0],
        torch.tensor([0.0, 1.0] * (d_model // 2)),
        "row 0 of pe (position 0)",
        tolerance=1e-6,
        axes=["column"],
        dtype=None,
        hint="Positions start at 0, and sine and cosine alternate: even columns are sines (sin 0 = 0), odd ones "
        "cosines (cos 0 = 1).",
    )
    waves = [[math.sin(p), math.cos(p)] for p in range(max_len)]
    expect_close(
        pe[:, :2],
        torch.tensor(waves, dtype=torch.float64),
        "the first two columns of pe, sin p and cos p",
        tolerance=1e-5,
        axes=["row", "column"],
        dtype=None,
        hint="Row p belongs to position p, counted from 0; pair 0 turns by exactly 1 radian for each position.",
    )


@needs("table_size")
@objective("stack")
def check_addition(student: Student, rng: Draw) -> None:
    """forward(x) returns x + pe[:L]"""
    batch, seq, max_len, d_model = rng.between(2, 4), rng.between(5, 8), rng.between(9, 12), 2 * rng.between(7, 9)
    module = student.SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len).eval()
    x = rng.normal(batch, seq, d_model)
    pe = read_table(module, max_len, d_model).to(torch.float64)
    got = module(x)
    hint = "Return the sum of both: the caller's vectors and the first L rows of the table."
    for part, name in ((pe[:seq].expand(batch, seq, d_model), "pe[:L] alone"), (x, "x alone")):
        if same(got, part):
            raise Unexpected("x + pe[:L]", name, hint)
    expect_close(
        got,
        x + pe[:seq],
        "x + pe[:L], with pe as your table holds it",
        tolerance=1e-5,
        axes=["item", "place", "feature"],
        dtype=None,
        hint="Add the first L rows along axis 1 (x is (batch, seq, d_model)), with no scaling and no dropout.",
    )


def same(got: object, expected: torch.Tensor) -> bool:
    """Return whether an answer is a tensor with these values."""
    if not isinstance(got, RemoteTensor) or got.values.shape != expected.shape:
        return False
    return bool(((got.values.to(torch.float64) - expected).abs() <= 1e-5).all())


@needs("table_size")
@objective("limits")
def check_longest(student: Student, rng: Draw) -> None:
    """a sequence of max_len places is accepted, longer ones are refused"""
    # A table of one row would fit any length without a complaint; d_model is above one limit and below the other.
    for max_len, d_model in ((rng.between(9, 12), 2 * rng.between(7, 9)), (1, 6), (rng.between(9, 12), 6)):
        expect_length_limit(
            student.SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len),
            lambda length, width=d_model: rng.normal(2, length, width),  # type: ignore[misc]
            max_len,
            d_model,
            ["AssertionError", "ValueError"],
        )
