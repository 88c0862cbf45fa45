"""Visible checks of exercise 6: each function by what is known of it in closed form, on inputs small enough to redo."""

from collections.abc import Sequence
from typing import Any

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Given,
    Module,
    RemoteTensor,
    Student,
    dtype_name,
    expect,
    expect_close,
    expect_equal,
    expect_length_limit,
    expect_registered,
    expect_tensor,
    needs,
    objective,
)
from graders.ex06_beyond_max_len.explain import explain_rotation, explain_table, fair
from graders.ex06_beyond_max_len.explain_distances import explain_bias, explain_buckets, explain_slopes
from graders.ex06_beyond_max_len.formulas import (
    allowed,
    angles_for,
    bucket_rule,
    stretched,
    true_slopes,
    turned,
    weighed,
)

FORMULA_TOLERANCE = 1e-4


def expect_kind(got: object, shape: Sequence[int], dtype: torch.dtype, what: str, hint: str) -> torch.Tensor:
    """Expect a tensor of this shape, then of this dtype, each with a hint of its own, and return its values."""
    values = expect_tensor(got, shape, what, dtype=None, hint=hint)
    expect(
        values.dtype == dtype,
        expected=f"{what}: {dtype_name(dtype)}",
        got=dtype_name(values.dtype),
        hint=f"Convert the result to {dtype_name(dtype)} before you return it.",
    )
    return values


# ------------------------------------------------------------ a longer table


@objective("limits")
def check_table_shape(student: Student, rng: Draw) -> None:
    """interpolate_positions(table, new_len) gives a table of new_len rows, longer or shorter"""
    student.interpolate_positions.expect_function()
    width = rng.between(4, 6)
    for rows, new_len in ((rng.between(7, 8), rng.between(11, 13)), (10, 3), (9, 9)):
        expect_kind(
            student.interpolate_positions(rng.normal(rows, width), new_len),
            (new_len, width),
            torch.float32,
            f"a table of {rows} rows and {width} features, interpolated to {new_len} rows",
            "Only the first axis changes its size, from max_len to new_len. F.interpolate works along the last axis.",
        )


@needs("table_shape")
@objective("limits")
def check_interpolation(student: Student, rng: Draw) -> None:
    """first and last row stay, each new row lies on the line between its old neighbours"""
    halfway = torch.tensor([[2.0, -4.0, 0.0], [6.0, 0.0, 1.0]])
    for table, new_len in (
        (halfway, 3),
        (rng.normal(rng.between(6, 8), 5), rng.between(11, 14)),
        (rng.normal(9, 4), rng.between(5, 7)),
        (rng.normal(7, 4), 7),
    ):
        got = student.interpolate_positions(table, new_len)
        expect_close(
            got,
            stretched(table, new_len),
            f"a table of {len(table)} rows, interpolated to {new_len}",
            tolerance=FORMULA_TOLERANCE,
            axes=["row", "feature"],
            hint=explain_table(got, table, new_len),
        )


@objective("limits")
def check_extension(student: Student, given: Given, rng: Draw) -> None:
    """extend_model(embedding, new_len) gives a copy with an interpolated table that takes new_len places, no more"""
    student.extend_model.expect_function()
    old_len, new_len, width = rng.between(6, 7), rng.between(10, 12), rng.between(4, 5)
    embedding, tok, pos = filled(given, rng, old_len, width)
    longer = extended(student, embedding, new_len)
    expect_registered(longer, "pos.weight", "parameter")
    got = longer.read("pos.weight")
    expect_close(
        got,
        fair(stretched(pos, new_len), student.interpolate_positions.attempt(pos, new_len), got),
        f"pos.weight of the copy, interpolated from {old_len} rows to {new_len}",
        tolerance=FORMULA_TOLERANCE,
        axes=["row", "feature"],
        hint=explain_table(got, pos, new_len),
    )
    hint = "Copy the token rows: only pos and max_len change."
    expect_close(longer.read("tok.weight"), tok, "tok.weight of the copy", axes=["row", "feature"], hint=hint)
    hint = "Set max_len of the copy to new_len: forward compares the length with it."
    expect_equal(longer.read("max_len"), new_len, "max_len of the copy", hint)
    expect_length_limit(longer, lambda length: rng.ids(2, length, len(tok)), new_len, width, ["AssertionError"])


def filled(
    given: Given, rng: Draw, max_len: int, width: int, dropout: float = 0.0
) -> tuple[Module, torch.Tensor, torch.Tensor]:
    """Return an embedding with max_len places, and the values of its two tables."""
    embedding = given.LookupSum(17, width, max_len, dropout)
    tok, pos = rng.normal(17, width), rng.normal(max_len, width)
    embedding.assign({"tok.weight": tok, "pos.weight": pos})
    return embedding, tok, pos


def extended(student: Student, embedding: Module, new_len: int) -> Module:
    """Return the student's longer copy, which must be a module."""
    longer = student.extend_model(embedding, new_len)
    came = "a tensor" if isinstance(longer, RemoteTensor) else "None" if longer is None else "something else"
    hint = "Return the module itself, with its longer table inside."
    expect(isinstance(longer, Module), expected="extend_model returns an nn.Module", got=came, hint=hint)
    return longer  # type: ignore[no-any-return]


# ------------------------------------------------------------ rotations

AXES = ["batch", "head", "place", "column"]


@objective("preview")
def check_rope_shape(student: Student, rng: Draw) -> None:
    """apply_rope(x) keeps shape and dtype of x, whatever axes stand before place and column"""
    student.apply_rope.expect_function()
    for shape in ((2, 3, 5, 8), (3, 5, 8), (5, 8), (2, 3, 1, 8)):
        expect_kind(
            student.apply_rope(rng.normal(*shape)),
            shape,
            torch.float32,
            f"apply_rope(x) for x of shape {shape}",
            "Only the last two axes matter, place and column: use x.shape[-2], x.shape[-1] and x[..., 0::2].",
        )


@needs("rope_shape")
@objective("preview")
def check_rotation(student: Student, rng: Draw) -> None:
    """at place p, pair i is turned by p * theta ** (-2i/d): two columns by p radians, more of them slower and slower"""
    for shape in ((2, 3, 4, 2), (2, 3, rng.between(5, 7), 8)):
        x = rng.normal(*shape)
        got = student.apply_rope(x)
        expect_close(
            got,
            turned(x, angles_for(*shape[-2:])),
            f"x of shape {shape}, turned",
            tolerance=allowed(x),
            axes=AXES,
            hint=explain_rotation(got, x),
        )


@needs("rope_shape")
@objective("preview")
def check_relative(student: Student, rng: Draw) -> None:
    """lengths of vectors stay, and the score of a query and a key depends on the distance of their places only"""
    length, width = rng.between(9, 11), 10
    query, key = rng.normal(1, width).expand(length, -1), rng.normal(1, width).expand(length, -1)
    sides = [
        expect_tensor(student.apply_rope(x.contiguous()), x.shape, "the turned x").to(torch.float64)
        for x in (query, key)
    ]
    for x, side in zip((query, key), sides, strict=True):
        expect_close(
            side.norm(dim=-1),
            x.to(torch.float64).norm(dim=-1),
            "the length of the turned vector, as before",
            tolerance=1e-4,
            axes=["place"],
            dtype=None,
            hint="A rotation keeps lengths: cos and sin of one pair belong to one angle, and each pair has both.",
        )
    scores = sides[0] @ sides[1].t()
    expect_close(
        scores[1:, 1:],
        scores[:-1, :-1],
        "one query and one key at all places: scores[i + 1, j + 1] equals scores[i, j]",
        tolerance=1e-4 * (1 + float(scores.abs().max())),
        axes=["i", "j"],
        dtype=None,
        hint="The angle grows by the same amount from each place to the next: it is the place times a constant.",
    )


# ------------------------------------------------------------ distances


@objective("preview")
def check_slopes(student: Student) -> None:
    """alibi_slopes(n_heads) is 2 ** (-8h/n_heads) for h = 1 to n_heads: 1/2, 1/4, ... 1/256 for eight heads"""
    student.alibi_slopes.expect_function()
    for n_heads in (8, 4, 16, 2, 1, 64):
        got = student.alibi_slopes(n_heads)
        expect_close(
            got,
            true_slopes(n_heads),
            f"alibi_slopes({n_heads})",
            tolerance=1e-4 * true_slopes(n_heads),
            axes=["head"],
            dtype=None,
            hint=explain_slopes(got, n_heads),
        )


@objective("preview")
def check_bias(student: Student, rng: Draw) -> None:
    """alibi_bias(n_heads, length) is -slope * |i - j| for every head"""
    student.alibi_bias.expect_function()
    for n_heads, length in ((4, rng.between(5, 7)), (8, 8), (2, rng.between(9, 12)), (1, 3), (16, 1)):
        got = student.alibi_bias(n_heads, length)
        places = torch.arange(length, dtype=torch.float64)
        distances = (places - places.unsqueeze(1)).abs()
        own = student.alibi_slopes.attempt(n_heads)
        if isinstance(own, RemoteTensor) and own.values.shape == (n_heads,) and not own.values.is_complex():
            own = RemoteTensor(weighed(own.values, distances))
        true = weighed(true_slopes(n_heads), distances)
        expect_close(
            got,
            fair(true, own, got),
            f"alibi_bias({n_heads}, {length})",
            tolerance=1e-5 * (1 + true.abs()),
            axes=["head", "query", "key"],
            dtype=None,
            hint=explain_bias(got, true_slopes(n_heads), length),
        )


def expect_buckets(got: Any, rel: torch.Tensor, bidirectional: bool, num_buckets: int, max_distance: int) -> None:
    """Expect T5's bucket for each distance; those on a border are not judged, since rounding decides about them."""
    name = (
        f"relative_bucket(rel, bidirectional={bidirectional}, num_buckets={num_buckets}, max_distance={max_distance})"
    )
    hint = "The result has the shape of rel, whatever that is: one bucket for each distance."
    values = expect_kind(got, rel.shape, torch.int64, f"{name} for rel of shape {tuple(rel.shape)}", hint)
    buckets, certain = bucket_rule(rel, bidirectional, num_buckets, max_distance)
    wrong = (values != buckets) & certain
    if bool(wrong.any()):
        first = tuple(wrong.nonzero()[0].tolist())
        expect(
            False,
            expected=f"{name}: bucket {buckets[first].item()} for rel = {rel[first].item()}",
            got=f"bucket {values[first].item()}; {int(wrong.sum())} of {rel.numel()} distances differ",
            hint=explain_buckets(values, certain, rel, bidirectional, num_buckets, max_distance),
        )


@objective("preview")
def check_buckets(student: Student, rng: Draw) -> None:
    """of 32 buckets, keys 1 to 7 places before get 1 to 7, those after 17 to 23, those 128 or more off 15 and 31"""
    student.relative_bucket.expect_function()
    queries, keys = rng.between(4, 5), rng.between(6, 7)
    for rel in (
        torch.arange(-7, 8),
        torch.tensor([-100000, -500, -128, 128, 500, 100000]),
        torch.arange(keys) - torch.arange(queries).unsqueeze(1),
        torch.tensor(3),
    ):
        expect_buckets(student.relative_bucket(rel), rel, bidirectional=True, num_buckets=32, max_distance=128)
