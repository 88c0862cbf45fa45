"""Hidden checks of exercise 2: the sum in every shape, dropout, exact gradients, training, dtypes, devices."""

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Module,
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
from graders.ex02_token_pos.visible import Sizes, draw_sizes, make

AXES = ["item", "place", "feature"]
PATHS = ["tok.weight", "pos.weight"]


def fill(module: Module, sizes: Sizes, rng: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    """Put whole numbers into both tables and return them: sums are then exact."""
    tok, pos = rng.table(sizes.vocab, sizes.d_model), rng.table(sizes.max_len, sizes.d_model)
    module.assign({"tok.weight": tok, "pos.weight": pos})
    return tok, pos


@needs("shape")
@objective("implement")
def check_mode(student: Student, rng: Draw) -> None:
    """eval() holds and nothing is random in it"""
    sizes = draw_sizes(rng)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    expect_same_answer_twice(make(student, sizes, dropout=0.4), ids)


@needs("tables", "shape")
@objective("implement")
def check_state(student: Student, rng: Draw) -> None:
    """calls leave nothing behind: short, long, short again; objects and tables share nothing"""
    sizes = draw_sizes(rng)
    module = make(student, sizes)
    expect_calls_leave_nothing(module, rng.ids(2, 7, sizes.vocab), rng.ids(3, sizes.max_len - 1, sizes.vocab))
    # As many tokens as places: now both tables have one shape, and must still be two.
    expect_nothing_shared(student.TokenPosEmbedding, PATHS, vocab_size=11, d_model=6, max_len=11)
    student.TokenPosEmbedding(vocab_size=11, d_model=6, max_len=3)
    expect_tensor(
        module(rng.ids(2, sizes.max_len - 1, sizes.vocab)),
        (2, sizes.max_len - 1, sizes.d_model),
        "the output after an object with a smaller max_len was made",
        dtype=None,
        hint="Keep max_len on self, not on the class.",
    )


@needs("tables", "mode")
@objective("implement")
def check_untouched(student: Student, rng: Draw) -> None:
    """a call changes neither the ids nor the tables, and no random state"""
    sizes = draw_sizes(rng)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab, low=0)
    expect_arguments_untouched(make(student, sizes), ids, weights=PATHS)
    kwargs = {"vocab_size": sizes.vocab, "d_model": sizes.d_model, "max_len": sizes.max_len}
    expect_randomness_untouched(student.TokenPosEmbedding, rng, ids, **kwargs)


@needs("positions", "tokens", "state")
@objective("stack")
def check_addition(student: Student, rng: Draw) -> None:
    """the output is tok row plus pos row, for any batch: L == B, B > max_len, one place, id 0"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    tok, pos = fill(module, sizes, rng)
    for batch, seq in ((5, 5), (sizes.max_len + 2, 4), (3, 1), (2, sizes.max_len - 1)):
        ids = rng.ids(batch, seq, sizes.vocab, low=0)
        expect_close(
            module(ids),
            tok[ids] + pos[:seq],
            f"tok[id] + pos[place] for {batch} items of {seq} places",
            tolerance=1e-5,
            axes=AXES,
            dtype=None,
            hint="Add the two rows; count places along axis 1; treat id 0 like any other id.",
        )


@needs("addition")
@objective("limits")
def check_long_input(student: Student, rng: Draw) -> None:
    """the whole table is used and learns: 300 places and more, up to the last, in training mode"""
    sizes = Sizes(batch=2, seq=310, max_len=310, d_model=8, vocab=300)
    module = make(student, sizes).train()
    tok, pos = rng.normal(sizes.vocab, sizes.d_model), rng.normal(sizes.max_len, sizes.d_model)
    module.assign({"tok.weight": tok, "pos.weight": pos})
    ids, upstream = rng.ids(sizes.batch, sizes.seq, sizes.vocab), rng.integers(sizes.batch, sizes.seq, sizes.d_model)
    ids[0, 0] = sizes.vocab - 1
    seen = module.forward_backward(ids, upstream=upstream, of=PATHS)
    expect_close(
        seen.result,
        tok[ids] + pos,
        "tok[id] + pos[place] for 310 places, dropout=0",
        tolerance=1e-5,
        axes=AXES,
        dtype=None,
        hint="Every place up to max_len - 1 and every id up to vocab_size - 1 has a row of its own, used as it is.",
    )
    expect_gradient(seen.gradients["pos.weight"], upstream.sum(dim=0), "pos.weight")


@needs("tables", "mode")
@objective("implement")
def check_dropout(student: Student, rng: Draw) -> None:
    """in training, one dropout acts on the sum, with the rate asked for"""
    sizes = Sizes(batch=16, seq=20, max_len=24, d_model=64, vocab=31)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    default = student.TokenPosEmbedding(sizes.vocab, sizes.d_model)
    modules = {0.4: make(student, sizes, dropout=0.4), 0.0: make(student, sizes, dropout=0.0), 0.1: default}
    for rate, module in modules.items():
        rows = sizes.max_len if module is not default else 512
        module.assign({"tok.weight": rng.normal(sizes.vocab, sizes.d_model), "pos.weight": rng.normal(rows, 64)})
        plain = expect_tensor(module.eval()(ids), (16, 20, 64), "the output in eval()", dtype=None)
        name = "the output with the default rate" if module is default else "the output"
        hint = "Keep the default dropout=0.1 of the signature, and pass it on." if module is default else ""
        module.train()
        expect_dropout([module(ids), module(ids)], plain, rate, name, hint)


@needs("learnable", "positions")
@objective("contrast")
def check_gradient_positions(student: Student, rng: Draw) -> None:
    """each used row of pos gets the sum of its gradients, the others get none"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    upstream = rng.integers(sizes.batch, sizes.seq, sizes.d_model)
    came = module.forward_backward(ids, upstream=upstream, of=PATHS).gradients["pos.weight"]
    expected = torch.zeros(sizes.max_len, sizes.d_model)
    expected[: sizes.seq] = upstream.sum(dim=0)
    expect_gradient(came, expected, "pos.weight")


@needs("learnable", "tokens")
@objective("contrast")
def check_gradient_tokens(student: Student, rng: Draw) -> None:
    """each used row of tok gets the sum of its gradients, the others get none"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    ids = rng.ids(sizes.batch, sizes.seq, vocab=7)
    upstream = rng.integers(sizes.batch, sizes.seq, sizes.d_model)
    came = module.forward_backward(ids, upstream=upstream, of=PATHS).gradients["tok.weight"]
    expected = torch.zeros(sizes.vocab, sizes.d_model)
    expected.index_add_(0, ids.flatten(), upstream.flatten(0, 1))
    expect_gradient(came, expected, "tok.weight")


@needs("gradient_positions", "gradient_tokens")
@objective("contrast")
def check_training_step(student: Student, rng: Draw) -> None:
    """after a training step the next call uses the new rows, and can be trained again"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    tok, pos = fill(module, sizes, rng)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    upstream = rng.integers(sizes.batch, sizes.seq, sizes.d_model)
    module.forward_backward(ids, upstream=upstream, of=PATHS)
    step = torch.zeros_like(pos)
    step[: sizes.seq] = upstream.sum(dim=0)
    module.assign({"pos.weight": pos - step})
    second = module.forward_backward(ids, upstream=upstream, of=PATHS)
    hint = "Look both rows up in every call: rows kept from the first call do not learn."
    expected = tok[ids] + (pos - step)[: sizes.seq]
    expect_close(second.result, expected, "the output after a step", tolerance=1e-5, axes=AXES, dtype=None, hint=hint)
    expect_gradient(second.gradients["pos.weight"], step, "pos.weight")


@needs("addition")
@objective("implement")
def check_dtype(student: Student, rng: Draw) -> None:
    """vectors have dtype and precision of the tables: float32, double() and half() carry through"""
    sizes = draw_sizes(rng)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float64, 1e-12), (torch.float16, 1e-2)):
        module = make(student, sizes).eval()
        if dtype != torch.float32:
            module.to(dtype)
        tok = rng.normal(sizes.vocab, sizes.d_model).to(dtype)
        pos = rng.normal(sizes.max_len, sizes.d_model).to(dtype)
        module.assign({"tok.weight": tok, "pos.weight": pos})
        expect_close(
            module(ids),
            tok.to(torch.float64)[ids] + pos.to(torch.float64)[: sizes.seq],
            f"the output of a {dtype_name(dtype)} module",
            tolerance=tolerance,
            axes=AXES,
            dtype=dtype,
            hint="Convert nothing to a fixed dtype: the sum has dtype and precision of the tables.",
        )


@needs("addition")
@objective("implement")
def check_ids(student: Student, rng: Draw) -> None:
    """int32 ids work, and so does a transposed batch"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    tok, pos = fill(module, sizes, rng)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab, low=0)
    turned = rng.ids(sizes.seq, sizes.batch, sizes.vocab, low=0).t()
    for name, given in (("int32", ids.to(torch.int32)), ("transposed", turned)):
        expect_close(
            module(given),
            tok[given.long()] + pos[: sizes.seq],
            f"the output for {name} ids",
            tolerance=1e-5,
            axes=AXES,
            dtype=None,
            hint="Use reshape instead of view, and make positions whole numbers of their own.",
        )


@needs("shape")
@objective("implement")
def check_device(student: Student, rng: Draw) -> None:
    """positions and tables follow the ids to another device"""
    sizes = draw_sizes(rng)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    kwargs = {"vocab_size": sizes.vocab, "d_model": sizes.d_model, "max_len": sizes.max_len}
    expect_placement(student.TokenPosEmbedding.place([ids], **kwargs))
