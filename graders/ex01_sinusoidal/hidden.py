"""Hidden checks of exercise 1: every wave and every row, any batch, no memory, gradients, dtypes, devices."""

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    RemoteTensor,
    Student,
    Unexpected,
    dtype_name,
    expect,
    expect_arguments_untouched,
    expect_calls_leave_nothing,
    expect_close,
    expect_nothing_shared,
    expect_placement,
    expect_randomness_untouched,
    expect_same_answer_twice,
    expect_tensor,
    needs,
    objective,
)
from graders.ex01_sinusoidal.visible import read_table

BASE = 10000.0
SMALLEST_TURN = 1e-9


def exact_table(max_len: int, d_model: int) -> torch.Tensor:
    """Return the encoding of "Attention Is All You Need", section 3.5, in float64: (max_len, d_model)."""
    pair = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = torch.arange(max_len, dtype=torch.float64)[:, None] * BASE ** (-pair / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=2).reshape(max_len, d_model)


def name_base(turn: float, pair: int, d_model: int) -> str:
    """Return what a wrong angle says about the formula: the base that would give it, in words."""
    # Of an angle too small to see, no base is worth a word; its power may be beyond what a float holds.
    base = turn ** (-d_model / (2 * pair)) if turn > SMALLEST_TURN else 0.0
    if abs(base / BASE**2 - 1) < 0.01:
        return "The exponent is 2i / d_model for pair i; yours is twice that (an index that steps by two is doubled)."
    if abs(base / BASE**0.5 - 1) < 0.01:
        return "The exponent is 2i / d_model for pair i; yours lacks the factor two."
    if 1 < base < 1e9:
        return f"Pair i turns by 10000 ** (-2i / d_model) for each position; your angles look like base {base:.4g}."
    return "Pair i turns by 10000 ** (-2i / d_model) for each position: multiply the position by that, once."


@needs("first_rows")
@objective("contrast")
def check_frequencies(student: Student, rng: Draw) -> None:
    """pair i of columns turns by 10000 ** (-2i / d_model) for each position"""
    max_len, d_model = rng.between(40, 50), 2 * rng.between(9, 15)
    pe = read_table(student.SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len), max_len, d_model)
    sine, cosine = pe[:, 0::2].to(torch.float64), pe[:, 1::2].to(torch.float64)
    expect_close(
        sine**2 + cosine**2,
        torch.ones(max_len, d_model // 2),
        "sine squared plus cosine squared of a pair of columns",
        tolerance=1e-4,
        axes=["row", "pair"],
        dtype=None,
        hint="Columns 2i and 2i + 1 are the sine and the cosine of ONE angle: use the same frequency for both.",
    )
    for pair in range(1, d_model // 2):
        turn, expected = float(torch.atan2(sine[1, pair], cosine[1, pair])), BASE ** (-2 * pair / d_model)
        if abs(turn - expected) > 1e-5:
            raise Unexpected(
                f"pair {pair} of {d_model // 2} turns by {expected:.6g} = 10000 ** (-{2 * pair} / {d_model}) for "
                "each position",
                f"{turn:.6g}",
                name_base(turn, pair, d_model),
            )


@needs("frequencies")
@objective("contrast")
def check_table(student: Student, rng: Draw) -> None:
    """every row of a long table is exact, and every column of a wide one"""
    for max_len, d_model in ((rng.between(400, 450), 2 * rng.between(9, 15)), (520, 2 * rng.between(140, 160))):
        pe = read_table(student.SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len), max_len, d_model)
        row = torch.arange(max_len, dtype=torch.float64)[:, None]
        expect_close(
            pe,
            exact_table(max_len, d_model),
            "pe",
            # The error of a float32 angle grows with the position: all sound ways stay below this.
            tolerance=1e-6 + 5e-7 * row,
            axes=["row", "column"],
            dtype=None,
            hint="Fill every row and column by the formula. If only late rows are off, positions have lost precision: "
            "make the angles in float32 or float64.",
        )


@needs("addition")
@objective("implement")
def check_state(student: Student, rng: Draw) -> None:
    """calls leave nothing behind: short, long, short; eval() and train() alike; objects share nothing"""
    module = student.SinusoidalPositionalEncoding(d_model=6, max_len=12)
    short, long = rng.normal(2, 7, 6), rng.normal(3, 11, 6)
    expect_same_answer_twice(module, short)
    expect_calls_leave_nothing(module, short, long)
    first = expect_tensor(module(short), (2, 7, 6), "the output", dtype=None)
    in_training = "the same answer in training mode as in evaluation mode"
    hint = "Do the same in both modes; there is no dropout in this exercise."
    expect_close(module.train()(short), first, in_training, dtype=None, hint=hint)
    expect_nothing_shared(student.SinusoidalPositionalEncoding, ["pe"], d_model=6, max_len=12)
    student.SinusoidalPositionalEncoding(d_model=6, max_len=5)
    after = "the answer after an object with a smaller max_len was made"
    expect_close(module(short), first, after, dtype=None, hint="Keep max_len and the table on self, not on the class.")


@needs("addition")
@objective("implement")
def check_untouched(student: Student, rng: Draw) -> None:
    """a call changes neither its input nor the table, and no random state"""
    module = student.SinusoidalPositionalEncoding(d_model=6, max_len=12)
    x = rng.normal(2, 4, 6)
    expect_arguments_untouched(module, x, weights=["pe"])
    expect_randomness_untouched(student.SinusoidalPositionalEncoding, rng, x, d_model=6, max_len=12)


@needs("addition", "state")
@objective("stack")
def check_batch(student: Student, rng: Draw) -> None:
    """any batch gets the same rows: as many items as places, more than max_len, transposed in memory"""
    max_len, d_model = rng.between(9, 12), 2 * rng.between(7, 9)
    module = student.SinusoidalPositionalEncoding(d_model=d_model, max_len=max_len).eval()
    # New values in the buffer: forward must read the table there, and not a copy of it.
    pe = rng.normal(max_len, d_model)
    module.assign({"pe": pe})
    batches = [rng.normal(*size, d_model) for size in ((5, 5), (max_len + 2, 4), (1, 3), (3, 1), (2, max_len))]
    for x in (*batches, rng.normal(3, d_model, 4).mT):
        batch, seq, _ = x.shape
        memory = "" if x.is_contiguous() else ", transposed in memory"
        expect_close(
            module(x),
            x + pe[:seq],
            f"x + pe[:L] for {batch} items of {seq} places{memory}, after new values were put into pe",
            tolerance=1e-5,
            axes=["item", "place", "feature"],
            dtype=None,
            hint="Add rows of self.pe itself; places run along axis 1: slice by x.shape[1], never by x.shape[0].",
        )


@needs("addition", "state")
@objective("contrast")
def check_gradient(student: Student, rng: Draw) -> None:
    """the gradient passes through to x as it is, and none is made for the table"""
    module = student.SinusoidalPositionalEncoding(d_model=6, max_len=12)
    x, upstream = rng.normal(3, 5, 6), rng.integers(3, 5, 6)
    hint = "forward must stay in the graph, and pass the gradient of the sum on: no detach(), .data or torch.no_grad()."
    for mode in (module.train, module.eval):
        mode()
        came = module.forward_backward(x, upstream=upstream).inputs[0]
        expect(came is not None, expected="a gradient of x", got="none", hint=hint)
        expect_close(came, upstream, "the gradient of x", axes=["item", "place", "feature"], dtype=None, hint=hint)
    out = module(x)
    expect(
        isinstance(out, RemoteTensor) and not out.requires_grad,
        expected="an output that needs no gradient where x needs none",
        got="an output that requires a gradient",
        hint="The table must not require a gradient: it is fixed.",
    )


@needs("buffer", "addition")
@objective("implement")
def check_dtype(student: Student, rng: Draw) -> None:
    """float32 stays float32, and double() and half() carry through"""
    x = rng.normal(2, 5, 6)
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float64, 1e-12), (torch.float16, 4e-3)):
        module = student.SinusoidalPositionalEncoding(d_model=6, max_len=12).eval()
        given = x.to(dtype)
        if dtype != torch.float32:
            module.to(dtype)
        expect_close(
            module(given),
            given.to(torch.float64) + read_table(module, 12, 6)[:5].to(torch.float64),
            f"x + pe[:L] in {dtype_name(dtype)}",
            tolerance=tolerance,
            dtype=dtype,
            hint="Make the table float32 before it is registered, and convert nothing to a fixed dtype in forward.",
        )


@needs("addition")
@objective("implement")
def check_device(student: Student, rng: Draw) -> None:
    """table and sum follow the module and its input to another device"""
    x = rng.normal(3, 5, 6)
    expect_placement(student.SinusoidalPositionalEncoding.place([x], d_model=6, max_len=12))
