"""Visible checks of exercise 6: each function by its properties, and by a few values that can be worked out by hand."""

import math
from collections.abc import Mapping

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Given,
    RemoteTensor,
    Student,
    expect,
    expect_close,
    expect_equal,
    expect_length_limit,
    expect_registered,
    expect_tensor,
    needs,
    objective,
)
from graders.ex06_beyond_max_len.parts import (
    AGREEMENT,
    AXES,
    agree,
    expect_kind,
    expect_same_buckets,
    extended,
    fair,
    filled,
)


def named(came: float, mistakes: Mapping[float, str], otherwise: str) -> str:
    """Return the words for the number that came."""
    return next((words for number, words in mistakes.items() if abs(came - number) <= AGREEMENT), otherwise)


# ------------------------------------------------------------ a longer table

COLUMNS = torch.tensor([1.0, -2.0, 0.5])
LINES = (
    ([0, 6], [0, 3, 6]),
    ([0, 2, 4, 5, 6], [0, 4, 6]),
    ([0, 4, 6], [0, 2, 4, 5, 6]),
    ([0, 3, 9], [0, 2, 5, 9]),
    ([0, 2, 6, 4], [0, 4, 4]),
)
"""The first column of a table, and that of the table made of it."""
ALONG_PLACES = (
    "The table has new_len rows, and the dtype of the old one. F.interpolate works along the last axis, so transpose "
    "before it and after it."
)


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
    few, same = rng.normal(rng.between(6, 8), 3), rng.normal(7, 3)
    many = few.repeat_interleave(2, dim=0)[:-1]
    many[1::2] = (few[:-1] + few[1:]) / 2
    literals = [[torch.tensor(line).unsqueeze(1) * COLUMNS for line in pair] for pair in LINES]
    for table, rows in (*literals, (few, many), (many, few), (same, same)):
        what = f"a table of {len(table)} rows, interpolated to {len(rows)}"
        got = student.interpolate_positions(table, len(rows))
        values = expect_tensor(got, rows.shape, what, hint=ALONG_PLACES)
        hint = table_hint(values, table)
        expect_close(values, rows, what, tolerance=AGREEMENT, axes=["row", "feature"], hint=hint)


def table_hint(rows: torch.Tensor, table: torch.Tensor) -> str:
    """Say what these rows, which should be read off the table, look like."""
    align = (
        "Align the ends: F.interpolate does so with align_corners=True. By its default, rows are cells, and every new "
        "row is shifted by a part of one."
    )
    step = (
        "The step between new rows is (max_len - 1) / (new_len - 1), from first row to last: max_len / new_len ends "
        "too early."
    )
    first, last = agree(rows[0], table[0]), agree(rows[-1], table[-1])
    if agree(rows[: len(table)], table):
        return "The new rows follow the old ones, which stay where they are: spread all rows evenly over the old table."
    if bool((torch.cdist(rows, table).amin(dim=1) <= AGREEMENT).all()) and (first or last):
        return "Each new row copies one old row: mix the two neighbours, weighted by nearness."
    if agree(rows[0], table[1]):
        return "The two weights are exchanged: the nearer row counts more."
    if agree(rows[0], (table[0] + table[1]) / 2):
        return "Weigh the two neighbours by nearness: the plain mean suits only the place halfway."
    if not last:
        return step if first else align
    # What either mistake makes of row 1 where a table of 0, 6 gets three rows, or one of 0, 4, 6 five.
    otherwise = "Each new row lies between two old ones, and the nearer of them counts more: from first row to last."
    return named(float(rows[1, 0]), {1.6: align, 2.4: step, 4.0: step}, otherwise)


@objective("limits")
def check_extension(student: Student, given: Given, rng: Draw) -> None:
    """extend_model(embedding, new_len) gives a copy with an interpolated table that takes new_len places, no more"""
    student.extend_model.expect_function()
    embedding, tok, _ = filled(given, rng, 3, 4)
    pos, rows = (torch.tensor(line).unsqueeze(1) * torch.tensor([1.0, -2.0, 0.5, 3.0]) for line in LINES[2])
    embedding.assign({"pos.weight": pos})
    longer = extended(student, embedding, 5)
    expect_registered(longer, "pos.weight", "parameter")
    what, got = "pos.weight of the copy, interpolated from 3 rows to 5", longer.read("pos.weight")
    values = expect_tensor(got, rows.shape, what, hint=ALONG_PLACES)
    expect_close(
        values,
        fair(rows, student.interpolate_positions.attempt(pos, 5), got),
        what,
        tolerance=AGREEMENT,
        axes=["row", "feature"],
        hint=table_hint(values, pos),
    )
    hint = "Copy the token rows: only pos and max_len change."
    expect_close(longer.read("tok.weight"), tok, "tok.weight of the copy", axes=["row", "feature"], hint=hint)
    hint = "Set max_len of the copy to new_len: forward compares the length with it."
    expect_equal(longer.read("max_len"), 5, "max_len of the copy", hint)
    expect_length_limit(longer, lambda length: rng.ids(2, length, len(tok)), 5, 4, ["AssertionError"])


# ------------------------------------------------------------ rotations

SPEEDS = torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=torch.float64)
"""By how many radians from place to place the four pairs of eight columns are turned, with the default theta."""
PAIRS = [*AXES[:3], "pair"]


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
            "Only the last two axes matter, place and column: read their sizes from the end, x.shape[-2:].",
        )


@needs("rope_shape")
@objective("preview")
def check_rotation(student: Student, rng: Draw) -> None:
    """place 0 stays; at place p two columns are turned by p radians, and eight by p, p/10, p/100 and p/1000"""
    # Four places: no angle is as large as half a turn, so that each can be read off the result.
    places = torch.arange(4, dtype=torch.float64).unsqueeze(1)
    for speeds in (SPEEDS[:1], SPEEDS):
        x = rng.normal(2, 3, 4, 2 * len(speeds))
        what = f"x of shape {tuple(x.shape)}, turned"
        got = expect_tensor(student.apply_rope(x), x.shape, what)
        hint = place_hint(x, got)
        expect_close(
            got[..., 0, :], x[..., 0, :], f"place 0 of {what}", tolerance=1e-5, axes=[*AXES[:2], "column"], hint=hint
        )
        kept = f"lengths of the pairs (columns 2i and 2i + 1) of {what}"
        hint = layout_hint(x, got)
        expect_close(neighbours(got), neighbours(x), kept, tolerance=AGREEMENT, axes=PAIRS, dtype=None, hint=hint)
        turns = angles_between(x, got)
        expect_close(
            turns,
            (places * speeds).expand_as(turns),
            f"angles of the pairs of {what}, in radians",
            tolerance=1e-5,
            axes=PAIRS,
            dtype=None,
            hint=angle_hint(turns[0, 0, 1]),
        )


def angles_between(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    """Return how far each pair of neighbouring columns was turned, from half a turn back to half a turn on."""
    a, b = (x.to(torch.float64).unflatten(-1, (-1, 2)) for x in (before, after))
    return torch.atan2(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], (a * b).sum(dim=-1))


def neighbours(x: torch.Tensor) -> torch.Tensor:
    """Return the length of each pair of columns side by side."""
    return x.unflatten(-1, (-1, 2)).norm(dim=-1)


def halves(x: torch.Tensor) -> torch.Tensor:
    """Return the length of each pair of columns half the width apart."""
    return x.unflatten(-1, (2, -1)).norm(dim=-2)


def place_hint(x: torch.Tensor, got: torch.Tensor) -> str:
    """Say what happened to place 0, which has the angle 0."""
    before, after = x[..., 0, :], got[..., 0, :]
    if agree(angles_between(before, after)[..., 0], torch.ones(x.shape[:2])):
        return "Places count from 0: the first row has the angle 0 and stays as it is."
    if agree(after[0, 0], before[0, 0]):
        return "Places run along the last axis but one, x.shape[-2]."
    if agree(after[..., 0::2], before[..., 0::2]) and agree(after[..., 1::2], -before[..., 1::2]):
        return "This is a reflection: turned by the angle 0, the second number of a pair keeps its sign."
    if agree(after, before.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)):
        return "The two numbers of each pair are exchanged."
    if agree(after - before, (after - before)[:1, :1].expand_as(before)):
        return "Sines and cosines are added: RoPE turns x, it adds nothing to it."
    return layout_hint(x, got)


def layout_hint(x: torch.Tensor, got: torch.Tensor) -> str:
    """Say which columns were turned together, where they are not neighbours."""
    if agree(halves(got), halves(x)):
        return "These pairs are columns i and i + d/2. That is another layout: pair i is made of columns 2i and 2i + 1."
    if agree(neighbours(got), halves(x)):
        return "Pair i is made of columns 2i and 2i + 1: take the even and the odd columns, not the two halves."
    if agree(halves(got), neighbours(x)):
        return (
            "The pairs are turned, and put back in another order: the two numbers of a pair stand side by side again, "
            "as with torch.stack(..., dim=-1).flatten(-2)."
        )
    return (
        "A rotation keeps lengths: each new number is made of both old numbers of its pair, with cos and sin of one "
        "angle, and one of the signs is a minus."
    )


def angle_hint(turns: torch.Tensor) -> str:
    """Say how place 1 was turned, where it should be by 1 radian in pair 0, and by 1/10 in pair 1 of 4."""
    first = {
        0.0: "Nothing is turned: the answer is x itself.",
        -1.0: "This turns clockwise, by -angle: swap the signs of the two terms with sin.",
        2.0: "Each pair is turned twice as far as asked for.",
        0.001: "The slowest pair comes first: pair 0 has the full angle, and later ones less.",
    }
    second = {
        1.0: "Every pair turns by the angle of pair 0: later pairs turn slower.",
        0.316228: "The exponent lacks the factor two: pair i has theta ** (-2 * i / d).",
        0.01: "The exponent has the factor two twice: arange(0, d, 2) counts 2 * i already.",
        0.046416: "The exponent is divided by d itself, not by d - 2.",
        10 - 4 * math.pi: "The minus of the exponent is missing: later pairs turn slower.",
    }
    otherwise = "The angle is the place times a number that is 1 for pair 0 and smaller for each pair after it."
    if len(turns) > 1 and abs(float(turns[0]) - 1) <= AGREEMENT:
        return named(float(turns[1]), second, otherwise)
    return named(float(turns[0]), first, otherwise)


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
    largest = float(scores.abs().max())
    expect(
        float(scores.max() - scores.min()) > 1e-3 * (1 + largest),
        expected="one query and one key at all places: scores that depend on the distance of their places",
        got="the same score everywhere",
        hint="Turn each place by another angle: here no place is told from another.",
    )
    expect_close(
        scores[1:, 1:],
        scores[:-1, :-1],
        "one query and one key at all places: scores[i + 1, j + 1] equals scores[i, j]",
        tolerance=1e-4 * (1 + largest),
        axes=["i", "j"],
        dtype=None,
        hint="The angle grows by the same amount from each place to the next: it is the place times a constant.",
    )


# ------------------------------------------------------------ distances

SLOPES = {1: [1 / 256], 2: [1 / 16, 1 / 256], 4: [1 / 4, 1 / 16, 1 / 64, 1 / 256]}
EIGHT = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]


@objective("preview")
def check_slopes(student: Student) -> None:
    """alibi_slopes(n_heads) is a geometric series that begins with its ratio: 1/2, 1/4, ... 1/256 for eight heads"""
    student.alibi_slopes.expect_function()
    for n_heads in (8, 4, 2, 1, 16, 64):
        what, hint = f"alibi_slopes({n_heads})", "Return one slope for each head."
        slopes = expect_tensor(student.alibi_slopes(n_heads), (n_heads,), what, dtype=None, hint=hint)
        slopes = slopes.to(torch.float64)
        # Of more than eight heads, every second, fourth, ... has a slope of the eight.
        listed = torch.tensor(SLOPES.get(n_heads, EIGHT), dtype=torch.float64)
        every = n_heads // len(listed)
        which = what if every == 1 else f"{what}, one head in {every}"
        hint = slopes_hint(float(slopes[0]), n_heads)
        expect_close(
            slopes[every - 1 :: every], listed, which, tolerance=1e-4 * listed, axes=["head"], dtype=None, hint=hint
        )
        before = torch.cat((torch.ones(1, dtype=torch.float64), slopes[:-1]))
        expect_close(
            slopes,
            before * slopes[0].abs(),
            f"{what}: each slope is the one before it, times the first",
            tolerance=1e-4 * before.abs(),
            axes=["head"],
            dtype=None,
            hint="The slopes are a geometric series that begins with its own ratio: all are positive.",
        )


def slopes_hint(first: float, n_heads: int) -> str:
    """Say what the slope of the first head tells."""
    mistakes = {
        1.0: "Count the heads from 1: the first slope is the ratio itself, not 1.",
        0.917004: "The factor 8 is missing: the last slope is 2 ** -8, for any number of heads.",
        0.367879: "The base is 2, not e.",
        2.0: "The exponent is negative: slopes are smaller than 1.",
        1 / 256: "The first head has the steepest slope: count the heads upwards from 1.",
        -0.5: "Slopes are positive: the minus belongs to the bias.",
        -1.0: "These are the exponents: raise 2 to them.",
    }
    if n_heads == 8:
        return named(first, mistakes, "Eight heads have 1/2, 1/4, and so on: each slope is half of the one before.")
    return "The ratio depends on n_heads: with fewer heads it is smaller, and the last slope is 1/256 all the same."


@objective("preview")
def check_bias(student: Student, rng: Draw) -> None:
    """alibi_bias(n_heads, length) is -slope * |i - j| for every head"""
    student.alibi_bias.expect_function()
    for n_heads, length in ((4, 3), (8, 8), (2, rng.between(9, 12)), (1, 3), (8, 1)):
        what = f"alibi_bias({n_heads}, {length})"
        hint = "Heads are the first axis: (n_heads, length, length). Nothing is masked, every bias is a finite number."
        got = expect_tensor(student.alibi_bias(n_heads, length), (n_heads, length, length), what, dtype=None, hint=hint)
        bias = got.to(torch.float64)
        slopes = torch.tensor(SLOPES.get(n_heads, EIGHT), dtype=torch.float64)
        # With slopes of their own, wrong as they may be, a student can still get the bias right.
        slopes = fair(slopes, student.alibi_slopes.attempt(n_heads), RemoteTensor(-bias[:, 0, 1:2].flatten()))
        first_row = [[0 - slope * key for key in range(length)] for slope in slopes.tolist()]
        for values, expected, words, axes in (
            (bias[:, 0], torch.tensor(first_row, dtype=torch.float64), "query 0", ["head", "key"]),
            (bias, bias.mT, "the same for query i and key j as for query j and key i", ["head", "query", "key"]),
            (bias[:, 1:, 1:], bias[:, :-1, :-1], "the same one place on", ["head", "query - 1", "key - 1"]),
        ):
            expect_close(
                values,
                expected,
                f"{what}, {words}",
                tolerance=1e-5 * (1 + expected.abs()),
                axes=axes,
                dtype=None,
                hint=bias_hint(bias),
            )


def bias_hint(bias: torch.Tensor) -> str:
    """Say what the bias of neighbouring places tells."""
    itself = "The distance of a place to itself is 0."
    if bias.shape[-1] == 1:
        return itself
    after, before = bias[:, 0, 1], bias[:, 1, 0]
    if bool((after > 0).all() and (before > 0).all()):
        return "The bias is negative: the farther a key, the smaller its score."
    if bool((after > 0).any() or (before > 0).any()):
        side = "after" if bool((after > 0).any()) else "before"
        return f"Take the absolute distance: here keys {side} the query get a bonus."
    if agree(bias, bias[:, :1].expand_as(bias)):
        return (
            "This grows with the key's own place. After softmax it would do the same for masked attention; asked for "
            "is the distance of query and key."
        )
    if bool(bias.diagonal(dim1=1, dim2=2).any()):
        return itself
    if not bool(after.any() and before.any()):
        return "The form asked for is symmetric: a key after the query counts like one before it."
    if agree(bias[:, 0, 2], 4 * after):
        return "The bias is linear in the distance: don't square it."
    if len(bias) > 1 and agree(after, after[:1].expand_as(after)):
        return "Each head has a slope of its own: the slopes are not used."
    if bool(after[0] > after[-1]):
        return "The slopes are in reverse order: the first head has the steepest one."
    return "Only the distance counts, each place of it as much as the one before, and for each head another slope."


NEAR = torch.tensor([7, 6, 5, 4, 3, 2, 1, 0, 17, 18, 19, 20, 21, 22, 23])
"""The buckets of rel = -7 to 7."""
FAR = {-100000: 15, -500: 15, -128: 15, -100: 15, -48: 13, -24: 11, -12: 9}
FAR |= {12: 25, 24: 27, 48: 29, 100: 31, 128: 31, 500: 31, 100000: 31}


@objective("preview")
def check_buckets(student: Student, rng: Draw) -> None:
    """of 32 buckets, keys 1 to 7 places before get 1 to 7, those after 17 to 23, those 128 or more off 15 and 31"""
    student.relative_bucket.expect_function()
    queries, keys = rng.between(4, 5), rng.between(6, 7)
    pairs = torch.arange(keys) - torch.arange(queries).unsqueeze(1)
    for rel, buckets in (
        (torch.arange(-7, 8), NEAR),
        (torch.tensor(list(FAR)), torch.tensor(list(FAR.values()))),
        (pairs, NEAR[pairs + 7]),
        (torch.tensor(3), torch.tensor(19)),
    ):
        call = f"relative_bucket(rel) for rel of shape {tuple(rel.shape)}"
        hint = "The result has the shape of rel, whatever that is: one bucket for each distance."
        values = expect_kind(student.relative_bucket(rel), rel.shape, torch.int64, call, hint)
        expect_same_buckets(values, buckets, rel, call, bucket_hint(values, buckets, rel))


def bucket_hint(values: torch.Tensor, buckets: torch.Tensor, rel: torch.Tensor) -> str:
    """Say what these buckets have in common."""
    before, after, wrong = values[rel <= 0], values[rel > 0], values != buckets
    near = bool((rel.abs() < 8).all())
    if near and agree(values, rel.abs() + 16 * (rel < 0)):
        return "The direction is swapped: rel = key - query, so rel > 0 means a key after the query."
    if near and agree(values, rel.abs()):
        return "Both directions share all buckets: halve num_buckets, and let rel > 0 use the upper half."
    if near and agree(values, rel.abs() + 32 * (rel > 0)):
        return "Halve num_buckets before anything else: here the upper half lies beyond it."
    if bool((wrong == (rel == 0)).all()):
        return "rel = 0 belongs to the lower half: compare with rel > 0."
    if bool((values[rel == -12] == 12).any()):
        return "Only distances below 8 have a bucket each: halve num_buckets first, and exact is half of that."
    if bool((after > 31).any() or (before > 15).any()):
        return "Limit the far buckets to the last one of their range, size - 1."
    if not near and bool((values < buckets)[rel.abs() >= 128].any()):
        return "The far buckets come after the near ones, and reach the last of the range at max_distance."
    if not near and bool((values > buckets).any()):
        return "Far distances share buckets, which grow with the logarithm, cut down to a whole number."
    return "Near distances have a bucket each; far ones share buckets that grow with the logarithm, up to the last."
