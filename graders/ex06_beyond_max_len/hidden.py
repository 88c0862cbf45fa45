"""Hidden checks of exercise 6: gradients, dtypes, long inputs, other parameters, and what must stay as it was."""

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Given,
    RemoteTensor,
    Student,
    dtype_name,
    expect,
    expect_all_learn,
    expect_close,
    expect_dropout,
    expect_equal,
    expect_gradient,
    expect_placement,
    expect_tensor,
    needs,
    objective,
)
from graders.ex06_beyond_max_len.explain import explain_rotation, explain_table
from graders.ex06_beyond_max_len.explain_distances import explain_buckets
from graders.ex06_beyond_max_len.formulas import allowed, angles_for, bucket_rule, stretched, turned
from graders.ex06_beyond_max_len.parts import AXES, expect_kind, expect_same_buckets, extended, fair, filled

UNTOUCHED = "An operation in place (+=, x[...] = ..., masked_fill_) wrote into the argument: make a new tensor."
CUT_OFF = "The result is cut off from its argument: remove detach(), .data, .item(), numpy and torch.no_grad()."


@needs("table_shape")
@objective("limits")
def check_interpolation_gradient(student: Student, rng: Draw) -> None:
    """gradients flow back through interpolate_positions, to each old row as much as it counts in the new ones"""
    rows, width = rng.between(5, 7), 4
    for new_len in (rng.between(9, 12), 4, rows):
        # Interpolating unit rows shows how much each old row counts in each new one.
        unit = student.interpolate_positions(torch.eye(rows, dtype=torch.float64), new_len)
        counts = expect_tensor(unit, (new_len, rows), "the table of unit rows, interpolated", dtype=None)
        hint = "Make each new row of old ones: none of them counts here."
        expect(bool(counts.any()), expected="a table of unit rows, interpolated", got="zeros", hint=hint)
        upstream = rng.normal(new_len, width).to(torch.float64)
        table = rng.normal(rows, width).to(torch.float64)
        came = student.interpolate_positions.forward_backward(table, new_len, upstream=upstream).inputs[0]
        expect(came is not None, expected="a gradient for the table", got="none", hint=CUT_OFF)
        expect_close(
            came,
            counts.to(torch.float64).t() @ upstream,
            f"the gradient of a table of {rows} rows, interpolated to {new_len}",
            tolerance=1e-4,
            axes=["row", "feature"],
            dtype=None,
            hint="Each old row gets the gradients of the new ones, times its weight in them: detach no part of it.",
        )


@needs("interpolation")
@objective("limits")
def check_tables(student: Student, rng: Draw) -> None:
    """interpolate_positions keeps the dtype, takes tables of any size, and leaves its argument alone"""
    for dtype, rows, new_len, tolerance in (
        (torch.float64, 8, 13, 1e-4),
        (torch.float16, 6, 11, 5e-2),
        (torch.float32, 11, 15, 1e-4),
        (torch.float32, 7, 61, 1e-4),
        (torch.float32, 9, 2, 1e-4),
        (torch.float32, 300, 431, 1e-2),
        (torch.float16, 300, 200, 5e-2),
    ):
        table = rng.normal(rows, 3).to(dtype)
        got, (after, _) = student.interpolate_positions.call_and_show_arguments(table, new_len)
        what = f"a {dtype_name(dtype)} table of {rows} rows, interpolated to {new_len}"
        hint = "Give F.interpolate the size itself, size=new_len: a scale_factor is rounded."
        expect_kind(got, (new_len, 3), dtype, what, hint)
        hint = explain_table(got, table, new_len)
        expect_close(
            got, stretched(table, new_len), what, tolerance=tolerance, axes=["row", "feature"], dtype=dtype, hint=hint
        )
        expect_close(after, table, "the caller's table after the call, as before", dtype=dtype, hint=UNTOUCHED)


@needs("extension")
@objective("limits")
def check_copy(student: Student, given: Given, rng: Draw) -> None:
    """the copy is interpolated for any length, of the same class, learns all rows, and keeps dropout rate and mode"""
    embedding, _, pos = filled(given, rng, 6, 40, dropout=0.4)
    ids = rng.ids(16, 20, 17)
    for training in (True, False):
        longer = extended(student, embedding.train() if training else embedding.eval(), 20)
        hint = "Set the mode of the copy to that of the original, copy.train(embedding.training): a new module trains."
        expect_equal(longer.in_training(), training, f"copy.training, where the original has training={training}", hint)
        hint = "Make the copy with copy.deepcopy(embedding), or call type(embedding)."
        expect_equal(longer.remote.type_name, embedding.remote.type_name, "the class of the copy", hint)
        expect_all_learn(longer, "All of the copy must learn: from_pretrained freezes a table unless freeze=False.")
        if not training:
            # Nobody has set a mode of the copy so far: its dropout must know by itself that it rests.
            first = expect_tensor(longer(ids), (16, 20, 40), "the output of the copy", dtype=None)
            expect_close(
                longer(ids),
                first,
                "the copy of an original in eval(), called twice: the same output",
                tolerance=1e-6 * (1 + first.abs()),
                axes=["batch", "place", "feature"],
                dtype=None,
                hint="Call copy.train(embedding.training): assigned to copy.training, it never gets to copy.drop.",
            )
        plain = expect_tensor(longer.eval()(ids), (16, 20, 40), "the output of the copy in eval()", dtype=None)
        hint = "Hand the dropout rate of the original, embedding.drop.p, on to the copy."
        longer.train()
        expect_dropout([longer(ids), longer(ids)], plain, 0.4, "the output of the copy", hint)
    got = longer.read("pos.weight")
    expect_close(
        got,
        fair(stretched(pos, 20), student.interpolate_positions.attempt(pos, 20), got),
        "pos.weight of the copy, interpolated from 6 rows to 20",
        tolerance=1e-4,
        axes=["row", "feature"],
        hint=explain_table(got, pos, 20),
    )
    upstream = rng.integers(16, 20, 40)
    seen = longer.eval().forward_backward(ids, upstream=upstream, of=["pos.weight"])
    expect_gradient(seen.gradients["pos.weight"], upstream.sum(dim=0), "pos.weight", tolerance=1e-5)


@needs("extension")
@objective("limits")
def check_original(student: Student, given: Given, rng: Draw) -> None:
    """the original stays as it was, and shares nothing with its copy, even where new_len is its own max_len"""
    embedding, tok, pos = filled(given, rng, 7, 4, dropout=0.4)
    ids = rng.ids(60, 7, 17)
    for new_len in (12, 7):
        longer = extended(student, embedding, new_len)
        hint = "Change the copy, not the original: assign to attributes of the new module only."
        expect_equal(embedding.read("max_len"), 7, "max_len of the original, after extend_model", hint)
        expect_equal(embedding.in_training(), True, "training of the original, after extend_model", hint)
        expect_all_learn(embedding, hint)
        for path, values in (("tok.weight", tok), ("pos.weight", pos)):
            before = "the original's " + path
            expect_close(embedding.read(path), values, f"{before}, after extend_model", hint=hint)
            longer.assign({path: torch.zeros(len(tok) if path == "tok.weight" else new_len, 4)})
            shared = f"Both modules hold one tensor at {path}: copy its values, as clone() or copy.deepcopy do."
            expect_close(embedding.read(path), values, f"{before}, after that of the copy was changed", hint=shared)
        longer.eval()
        hint = "Give the copy an nn.Dropout of its own: one that both hold follows the mode of either."
        answers = [embedding(ids), embedding(ids)]
        expect_dropout(answers, pos.repeat(60, 1, 1), 0.4, "the output of the original, after copy.eval(),", hint)


@needs("relative")
@objective("preview")
def check_calls(student: Student, rng: Draw) -> None:
    """apply_rope leaves x alone and keeps nothing between calls: other lengths, widths and dtypes before"""
    # No other check has this width: were angles kept, the first ones would be those of bfloat16.
    short, long = rng.normal(2, 3, 4, 14), rng.normal(2, 3, 9, 14)
    hint = "Compute the angles anew in each call, or keep them by length, width, theta, offset and dtype."
    student.apply_rope(short.to(torch.bfloat16))
    first, (after,) = student.apply_rope.call_and_show_arguments(short)
    expect_close(after, short, "the caller's x after the call, as before", axes=AXES, hint=UNTOUCHED)
    answer = expect_tensor(first, short.shape, "the turned x")
    rows = expect_tensor(student.apply_rope(long), long.shape, "a longer x of the same width, turned", hint=hint)
    student.apply_rope(long[..., :6].contiguous(), theta=50.0, offset=3)
    for got, expected, what in (
        (student.apply_rope(short), answer, "the answer to a short x, after longer and narrower ones as before"),
        (student.apply_rope(long[..., :4, :].contiguous()), rows[..., :4, :], "the first 4 places alone, as among 9"),
        (student.apply_rope(long[..., :1, :].contiguous()), rows[..., :1, :], "the first place alone, as among 9"),
        (answer.norm(dim=-1), short.norm(dim=-1), "lengths of float32 vectors, after a call with bfloat16"),
    ):
        expect_close(got, expected, what, tolerance=1e-4, dtype=None, hint=hint)


@needs("rotation")
@objective("preview")
def check_angles(student: Student, rng: Draw) -> None:
    """the angles follow theta, at every place of long and short inputs with any axes in front"""
    for shape, theta in (((2, 9, 9, 10), 500.0), ((6, 6, 6), 10000.0), ((1100, 6), 10000.0), ((2, 64, 12), 1e6)):
        x = rng.normal(*shape)
        got = student.apply_rope(x, theta=theta)
        expect_close(
            got,
            turned(x, angles_for(*shape[-2:], theta)),
            f"x of shape {shape}, turned with theta={theta:g}",
            tolerance=allowed(x),
            axes=AXES[4 - len(shape) :],
            hint=explain_rotation(got, x, theta),
        )


@needs("relative")
@objective("preview")
def check_offset(student: Student, rng: Draw) -> None:
    """a piece of a sequence, turned with the offset of its first place, is that piece of the whole, turned"""
    x = rng.normal(2, 3000, 8)
    whole = expect_tensor(student.apply_rope(x), x.shape, "the whole sequence, turned")
    for start, stop in ((5, 12), (2999, 3000), (1, 3000), (0, 3)):
        piece = x[..., start:stop, :].contiguous()
        got = student.apply_rope(piece, offset=start)
        hint = f"Row 0 of x stands at place offset, here {start}: add offset to every place before the angles are made."
        if isinstance(got, RemoteTensor) and torch.equal(got.values, whole[..., : stop - start, :]):
            hint = "The first rows of the whole came back: x holds the piece already, only its angles need the offset."
        expect_close(
            got,
            whole[..., start:stop, :],
            f"places {start} to {stop - 1} of 3000 alone, turned with offset={start}",
            tolerance=allowed(piece, start),
            axes=["batch", "place", "column"],
            hint=hint,
        )


@needs("relative")
@objective("preview")
def check_precision(student: Student, rng: Draw) -> None:
    """the result has the dtype of x, and angles are precise whatever it is: also in bfloat16 at place 1500 and later"""
    for dtype, rounding in ((torch.bfloat16, 2.0**-6), (torch.float16, 2.0**-9), (torch.float64, 0.0)):
        for length, offset in ((1500, 0), (3, 4000)):
            x = rng.normal(length, 8).to(dtype)
            single = student.apply_rope(x.to(torch.float32), offset=offset)
            expected = expect_tensor(single, x.shape, "x in float32, turned")
            what = f"{dtype_name(dtype)} x at places {offset} to {offset + length - 1}, turned as in float32"
            got = student.apply_rope(x, offset=offset)
            expect_kind(got, x.shape, dtype, what, "")
            expect_close(
                got,
                expected,
                what,
                tolerance=allowed(x, offset) + rounding * float(x.abs().max()),
                axes=AXES[2:],
                dtype=dtype,
                hint="Compute places, powers and angles in float32 whatever x is, and convert the result: bfloat16 "
                "counts to 256 only, float16 to 2048.",
            )


@needs("relative")
@objective("preview")
def check_rope_gradient(student: Student, rng: Draw) -> None:
    """gradients flow back through apply_rope, turned the other way"""
    for shape, offset in (((2, 3, 6, 8), 0), ((7, 6), 4)):
        x, upstream = (rng.normal(*shape).to(torch.float64) for _ in range(2))
        came = student.apply_rope.forward_backward(x, upstream=upstream, offset=offset).inputs[0]
        expect(came is not None, expected="a gradient for x", got="none", hint=CUT_OFF)
        gradient = expect_tensor(came, shape, "the gradient of x", dtype=None)
        # The gradient of a rotation is the rotation back: turned once more, it is what was sent.
        expect_close(
            student.apply_rope(gradient, offset=offset),
            upstream,
            "the gradient of x, turned once more: the gradient of the result",
            tolerance=1e-4 * (1 + float(upstream.abs().max())),
            axes=AXES[4 - len(shape) :],
            dtype=None,
            hint="Both numbers of a pair pass their gradients on, through cos and through sin: detach neither.",
        )


@needs("buckets")
@objective("preview")
def check_bucket_rule(student: Student) -> None:
    """buckets at every distance, in both directions or one, whatever their number and the limit; rel stays as it is"""
    both = [(True, 32, 128), (True, 8, 20), (True, 64, 200), (True, 24, 500), (True, 10, 100)]
    for two_way, num_buckets, max_distance in [*both, (False, 32, 128), (False, 10, 30), (False, 16, 200)]:
        rel = torch.arange(-600, 601).view(1, 1201)
        got, (after, *_) = student.relative_bucket.call_and_show_arguments(rel, two_way, num_buckets, max_distance)
        call = f"relative_bucket(rel, bidirectional={two_way}, num_buckets={num_buckets}, max_distance={max_distance})"
        hint = "The result has the shape of rel, whatever that is: one bucket for each distance."
        values = expect_kind(got, rel.shape, torch.int64, f"{call} for rel of shape {tuple(rel.shape)}", hint)
        buckets, certain = bucket_rule(rel, two_way, num_buckets, max_distance)
        hint = explain_buckets(values, certain, rel, two_way, num_buckets, max_distance)
        # Distances on a border are not judged, since rounding decides about them.
        expect_same_buckets(values, torch.where(certain, buckets, values), rel, call, hint)
        expect_close(after, rel, "the caller's rel after the call, as before", dtype=torch.int64, hint=UNTOUCHED)


@needs("interpolation", "rotation", "buckets")
@objective("preview")
def check_device(student: Student, rng: Draw) -> None:
    """interpolation, rotation and buckets work where their argument is, on another device too"""
    expect_placement(student.interpolate_positions.place([rng.normal(5, 4), 9]))
    expect_placement(student.apply_rope.place([rng.normal(2, 5, 6)], offset=3))
    for two_way in (True, False):
        expect_placement(student.relative_bucket.place([torch.arange(-40, 41)], bidirectional=two_way))
