"""Hidden checks of exercise 3: defaults, custom positions, eps, order of the parts, gradients, dtypes, devices."""

from dataclasses import replace

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Student,
    dtype_name,
    expect_arguments_untouched,
    expect_calls_leave_nothing,
    expect_close,
    expect_dropout,
    expect_gradient,
    expect_nothing_shared,
    expect_placement,
    expect_randomness_untouched,
    expect_same_answer_twice,
    expect_tensor,
    needs,
    objective,
)
from graders.ex03_bert_segments.visible import AXES, PATHS, Sizes, draw_sizes, expected_output, fill, make, normalise

TOLERANCE = 1e-4


def answer_to(
    values: dict[str, torch.Tensor],
    token_ids: torch.Tensor,
    token_type_ids: torch.Tensor | None = None,
    position_ids: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return what the module should give for these ids; segment 0, and places from 0, where none are given."""
    segments = torch.zeros_like(token_ids) if token_type_ids is None else token_type_ids
    positions = torch.arange(token_ids.shape[1]) if position_ids is None else position_ids
    return expected_output(values, token_ids, segments, positions)


@needs("tables", "shape")
@objective("stack")
def check_state(student: Student, rng: Draw) -> None:
    """calls leave nothing behind, eval() holds, changed tables count at once, objects share nothing"""
    sizes = draw_sizes(rng)
    module = make(student, sizes, dropout=0.4)
    short, long = rng.ids(2, 7, sizes.vocab), rng.ids(3, sizes.max_len - 1, sizes.vocab)
    expect_same_answer_twice(module, short)
    expect_calls_leave_nothing(module, short, long)
    first = expect_tensor(module(short), (2, 7, sizes.d_model), "the output", dtype=None)
    module(short, token_type_ids=torch.ones_like(short), position_ids=torch.arange(7) + 1)
    expect_close(
        module(short),
        first,
        "the answer for token ids alone, after a call with segment and position ids as before it",
        tolerance=TOLERANCE,
        axes=AXES,
        dtype=None,
        hint="Keep no ids between calls: what is not given means segment 0 and places 0, 1, 2, ...",
    )
    kwargs = {"vocab_size": 11, "d_model": 6, "max_len": 11, "type_vocab_size": 11}
    expect_nothing_shared(student.BertEmbeddings, PATHS[:3], **kwargs)
    fresh = make(student, sizes).eval()
    values = fill(module, sizes, rng)
    fresh.assign(values)
    expect_close(
        module(short),
        expect_tensor(fresh(short), (2, 7, sizes.d_model), "the output", dtype=None),
        "the answer after its tables changed, as training changes them: that of a new module with these tables",
        tolerance=TOLERANCE,
        axes=AXES,
        dtype=None,
        hint="Look all rows up in every call: rows kept from an earlier call do not learn.",
    )


@needs("tables", "state")
@objective("stack")
def check_untouched(student: Student, rng: Draw) -> None:
    """a call changes neither the ids nor the tables, and no random state"""
    sizes = draw_sizes(rng)
    ids, segments = rng.ids(2, sizes.seq, sizes.vocab, low=0), rng.ids(2, sizes.seq, sizes.types, low=0)
    positions = rng.ids(2, sizes.seq, sizes.max_len, low=0)
    module = make(student, sizes)
    fill(module, sizes, rng)
    expect_arguments_untouched(module, ids, segments, positions, weights=PATHS)
    kwargs = {"vocab_size": sizes.vocab, "d_model": sizes.d_model, "max_len": sizes.max_len}
    expect_randomness_untouched(student.BertEmbeddings, rng, ids, **kwargs)


@needs("normalised_sum", "state")
@objective("stack")
def check_batch(student: Student, rng: Draw) -> None:
    """any batch works: L == B, B > max_len, one place, max_len places; id 0 is an ordinary token"""
    sizes = draw_sizes(rng)
    long = Sizes(batch=2, seq=310, max_len=310, d_model=8, vocab=300, types=2)
    shapes = [(sizes, 5, 5), (sizes, sizes.max_len + 2, 4), (sizes, 3, 1), (long, 2, 310)]
    for size, batch, seq in shapes:
        module = make(student, size).eval()
        values = fill(module, size, rng)
        ids, segments = rng.ids(batch, seq, 4, low=0), rng.ids(batch, seq, size.types, low=0)
        ids[0, -1] = size.vocab - 1
        expect_close(
            module(ids, segments),
            answer_to(values, ids, segments),
            f"norm(tok + pos + seg) for {batch} items of {seq} places",
            tolerance=TOLERANCE,
            axes=AXES,
            dtype=None,
            hint="Places run along axis 1, up to max_len - 1, and every place counts: skipping id 0 is RoBERTa's rule.",
        )


@needs("normalised_sum")
@objective("stack")
def check_default_segments(student: Student, rng: Draw) -> None:
    """missing segment ids mean segment 0 at every place, given ones are used as they are"""
    sizes = replace(draw_sizes(rng), types=2)
    module = make(student, sizes).eval()
    values = fill(module, sizes, rng)
    ids = rng.ids(2, sizes.seq, sizes.vocab)
    hint = "Without token_type_ids, look up row 0 of seg for every place: torch.zeros_like(token_ids)."
    for name, segments in (("no", None), ("only ones as", torch.ones_like(ids))):
        expect_close(
            module(ids) if segments is None else module(ids, segments),
            answer_to(values, ids, segments),
            f"norm(tok + pos + seg) for {name} segment ids",
            tolerance=TOLERANCE,
            axes=AXES,
            dtype=None,
            hint=hint,
        )


@needs("default_segments")
@objective("stack")
def check_position_ids(student: Student, rng: Draw) -> None:
    """given position ids are used as they are, as (seq,) and as (batch, seq), with or without segment ids"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    values = fill(module, sizes, rng)
    ids, segments = rng.ids(3, sizes.seq, sizes.vocab), rng.ids(3, sizes.seq, sizes.types, low=0)
    each = rng.ids(3, sizes.seq, sizes.max_len, low=0)
    for name, positions in {
        "of shape (seq,)": rng.ids(1, sizes.seq, sizes.max_len, low=0)[0],
        "of shape (batch, seq)": each,
        "that begin at 3": torch.arange(sizes.seq).clamp(max=sizes.max_len - 4) + 3,
        "that are all 0": torch.zeros(sizes.seq, dtype=torch.int64),
        "of dtype int32": each.to(torch.int32),
    }.items():
        for given in (segments, None):
            expect_close(
                module(ids, token_type_ids=given, position_ids=positions),
                answer_to(values, ids, given, positions),
                f"norm(tok + pos[position_ids] + seg) for position ids {name}, "
                f"{'without' if given is None else 'with'} segment ids",
                tolerance=TOLERANCE,
                axes=AXES,
                dtype=None,
                hint="Make 0, 1, 2, ... only where position_ids is None, and look the given ones up unchanged; segment "
                "ids are used in both cases.",
            )


@needs("normalised_sum", "state")
@objective("stack")
def check_eps(student: Student, rng: Draw) -> None:
    """the norm adds eps to the variance: 1e-12 by default, or the one given"""
    sizes = Sizes(batch=2, seq=5, max_len=9, d_model=8, vocab=11, types=2)
    ids = rng.ids(2, 5, sizes.vocab)
    tiny = torch.tensor([1e-4, -1e-4] * 4).repeat(sizes.vocab, 1)
    plain = {"norm.weight": torch.ones(8), "norm.bias": torch.zeros(8)}
    given = {"vocab_size": sizes.vocab, "d_model": sizes.d_model, "max_len": sizes.max_len}
    for eps, kwargs in ((1e-12, given), (1e-8, {**given, "eps": 1e-8})):
        module = student.BertEmbeddings(**kwargs).eval()
        module.assign({"tok.weight": tiny, "pos.weight": torch.zeros(9, 8), "seg.weight": torch.zeros(2, 8), **plain})
        expect_close(
            module(ids),
            normalise(tiny[ids], plain, eps),
            f"the norm of rows with variance 1e-8, for eps={eps:g}",
            tolerance=1e-2,
            axes=AXES,
            dtype=None,
            hint="Pass eps on, nn.LayerNorm(d_model, eps=eps): it is added to the variance, under the root. "
            "torch's own default is 1e-5, BERT's is 1e-12.",
        )


@needs("tables", "state")
@objective("stack")
def check_dropout(student: Student, rng: Draw) -> None:
    """in training, one dropout acts on the normalised sum, with the rate asked for"""
    sizes = Sizes(batch=16, seq=20, max_len=24, d_model=64, vocab=31, types=2)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    default = student.BertEmbeddings(sizes.vocab, sizes.d_model)
    modules = {0.4: make(student, sizes, dropout=0.4), 0.0: make(student, sizes, dropout=0.0), 0.1: default}
    for rate, module in modules.items():
        fill(module, sizes if module is not default else replace(sizes, max_len=512), rng)
        plain = expect_tensor(module.eval()(ids), (16, 20, 64), "the output in eval()", dtype=None)
        name = "the output with the default rate" if module is default else "the output"
        hint = "Keep the default dropout=0.1 of the signature, and pass it on." if module is default else ""
        module.train()
        expect_dropout([module(ids), module(ids)], plain, rate, name, hint)


@needs("normalised_sum", "state")
@objective("contrast")
def check_gradient(student: Student, rng: Draw) -> None:
    """every used row of every table gets its gradient through the norm, the others get none"""
    sizes = draw_sizes(rng)
    module = make(student, sizes)
    values = fill(module, sizes, rng)
    ids = rng.ids(2, sizes.max_len - 1, vocab=7)
    segments = torch.stack([torch.zeros_like(ids[0]), torch.ones_like(ids[0])])
    positions = torch.arange(1, sizes.max_len)
    upstream = rng.integers(*ids.shape, sizes.d_model)
    # Places 0 and up with given segments, then the last place with the default ones.
    for mode, types, given in ((module.train, segments, None), (module.eval, None, positions)):
        mode()
        seen = module.forward_backward(ids, types, given, upstream=upstream, of=PATHS)
        for path, expected in expected_gradients(values, ids, types, given, upstream).items():
            expect_gradient(seen.gradients[path], expected, path, tolerance=TOLERANCE)


def expected_gradients(
    values: dict[str, torch.Tensor],
    ids: torch.Tensor,
    segments: torch.Tensor | None,
    positions: torch.Tensor | None,
    upstream: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Return the gradients of all five tensors by LayerNorm's own formula, in float64."""
    upstream = upstream.to(torch.float64)
    unit = {"norm.weight": torch.ones(1), "norm.bias": torch.zeros(1)}
    places = (torch.arange(ids.shape[1]) if positions is None else positions).expand_as(ids)
    types = torch.zeros_like(ids) if segments is None else segments
    index = {"tok.weight": ids, "pos.weight": places, "seg.weight": types}
    total = sum((values[path].to(torch.float64)[rows] for path, rows in index.items()), torch.zeros(1))
    scaled = normalise(total, unit)
    inner = upstream * values["norm.weight"]
    deviation = total.var(dim=-1, correction=0, keepdim=True).sqrt()
    centred = inner - inner.mean(dim=-1, keepdim=True) - scaled * (inner * scaled).mean(dim=-1, keepdim=True)
    row_gradient = centred / deviation
    gradients = {
        path: torch.zeros(values[path].shape, dtype=torch.float64).index_add_(
            0, rows.flatten(), row_gradient.flatten(0, 1)
        )
        for path, rows in index.items()
    }
    return gradients | {"norm.weight": (upstream * scaled).sum((0, 1)), "norm.bias": upstream.sum((0, 1))}


@needs("normalised_sum", "state")
@objective("stack")
def check_dtype(student: Student, rng: Draw) -> None:
    """vectors have dtype and precision of the tables: float32, double() and half() carry through"""
    sizes = draw_sizes(rng)
    ids = rng.ids(2, sizes.seq, sizes.vocab)
    for dtype, tolerance in ((torch.float32, 1e-4), (torch.float64, 1e-9), (torch.float16, 5e-2)):
        module = make(student, sizes).eval()
        if dtype != torch.float32:
            module.to(dtype)
        values = {path: value.to(dtype).to(torch.float64) for path, value in fill(module, sizes, rng).items()}
        expect_close(
            module(ids),
            answer_to(values, ids),
            f"the output of a {dtype_name(dtype)} module",
            tolerance=tolerance,
            axes=AXES,
            dtype=dtype,
            hint="Convert nothing to a fixed dtype: the output has dtype and precision of the tables.",
        )


@needs("normalised_sum", "state")
@objective("stack")
def check_ids(student: Student, rng: Draw) -> None:
    """int32 ids work, and so does a transposed batch"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    values = fill(module, sizes, rng)
    ids, turned = rng.ids(2, sizes.seq, sizes.vocab), rng.ids(sizes.seq, 2, sizes.vocab).t()
    for name, given in (("int32", ids.to(torch.int32)), ("transposed", turned)):
        segments = torch.zeros_like(given)
        expect_close(
            module(given, segments),
            answer_to(values, given, segments),
            f"the output for {name} ids",
            tolerance=TOLERANCE,
            axes=AXES,
            dtype=None,
            hint="Use reshape instead of view, and make positions whole numbers of their own.",
        )


@needs("shape")
@objective("stack")
def check_device(student: Student, rng: Draw) -> None:
    """positions and default segments follow the ids to another device"""
    sizes = draw_sizes(rng)
    ids, segments = rng.ids(2, sizes.seq, sizes.vocab), rng.ids(2, sizes.seq, sizes.types, low=0)
    kwargs = {"vocab_size": sizes.vocab, "d_model": sizes.d_model, "max_len": sizes.max_len}
    for inputs in ([ids], [ids, segments % 2]):
        expect_placement(student.BertEmbeddings.place(inputs, **kwargs))
