"""Visible checks of exercise 3: three tables and a norm of the right sizes, and a normalised sum of three rows."""

from dataclasses import dataclass
from typing import Any

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Module,
    RemoteTensor,
    Student,
    expect_all_learn,
    expect_close,
    expect_length_limit,
    expect_parameter_count,
    expect_registered,
    expect_tensor,
    needs,
    objective,
)

AXES = ["item", "place", "feature"]
PATHS = ["tok.weight", "pos.weight", "seg.weight", "norm.weight", "norm.bias"]


@dataclass(frozen=True)
class Sizes:
    """Sizes of one check; no two axes are alike, so that exchanged axes show."""

    batch: int
    seq: int
    max_len: int
    d_model: int
    vocab: int
    types: int


def draw_sizes(rng: Draw) -> Sizes:
    """Return sizes from ranges that do not overlap, with four segment types."""
    return Sizes(
        batch=2,
        seq=rng.between(5, 8),
        max_len=rng.between(9, 12),
        d_model=rng.between(13, 16),
        vocab=rng.between(18, 23),
        types=4,
    )


def make(student: Student, sizes: Sizes, dropout: float = 0.0) -> Module:
    """Return a student's module of these sizes."""
    module: Module = student.BertEmbeddings(
        vocab_size=sizes.vocab,
        d_model=sizes.d_model,
        max_len=sizes.max_len,
        type_vocab_size=sizes.types,
        dropout=dropout,
    )
    return module


def fill(module: Module, sizes: Sizes, rng: Draw) -> dict[str, torch.Tensor]:
    """Put known values into the tables and the norm, and return them by path."""
    values = {
        "tok.weight": rng.normal(sizes.vocab, sizes.d_model),
        "pos.weight": rng.normal(sizes.max_len, sizes.d_model),
        "seg.weight": rng.normal(sizes.types, sizes.d_model),
        "norm.weight": 1 + rng.normal(sizes.d_model).abs(),
        "norm.bias": rng.normal(sizes.d_model),
    }
    module.assign(values)
    return values


def normalise(total: torch.Tensor, values: dict[str, torch.Tensor], eps: float = 1e-12) -> torch.Tensor:
    """Return LayerNorm's formula on the last axis, in float64: mean 0 and variance 1, then weight and bias."""
    total = total.to(torch.float64)
    centred = total - total.mean(dim=-1, keepdim=True)
    scaled = centred / (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    return scaled * values["norm.weight"] + values["norm.bias"]


def expected_output(
    values: dict[str, torch.Tensor],
    token_ids: torch.Tensor,
    token_type_ids: torch.Tensor,
    position_ids: torch.Tensor,
) -> torch.Tensor:
    """Return what the module should give in evaluation mode for these ids, in float64."""
    ids = {"tok.weight": token_ids, "pos.weight": position_ids, "seg.weight": token_type_ids}
    return normalise(sum(values[path][rows.long()] for path, rows in ids.items()), values)


@objective("stack")
def check_constructor(student: Student) -> None:
    """BertEmbeddings(vocab_size, d_model, max_len=512, type_vocab_size=2, dropout=0.1, eps=1e-12) makes a module"""
    student.BertEmbeddings.expect_module_class()
    student.BertEmbeddings(vocab_size=11, d_model=6, max_len=9, type_vocab_size=3, dropout=0.3, eps=1e-6)
    student.BertEmbeddings(11, 6, 9, 3, 0.3, 1e-6)
    student.BertEmbeddings(11, 6)


@needs("constructor")
@objective("stack")
def check_tables(student: Student, rng: Draw) -> None:
    """tok, pos and seg are tables of the right sizes, norm has weight and bias, all registered"""
    sizes = draw_sizes(rng)
    expect_parts(make(student, sizes), sizes)
    default = Sizes(batch=2, seq=5, max_len=512, d_model=6, vocab=11, types=2)
    expect_parts(student.BertEmbeddings(default.vocab, default.d_model), default)


def expect_parts(module: Module, sizes: Sizes) -> None:
    """Expect all five tensors, registered as parameters, with the sizes asked for."""
    rows = {"tok": sizes.vocab, "pos": sizes.max_len, "seg": sizes.types}
    for path in PATHS:
        expect_registered(module, path, "parameter")
        name = path.partition(".")[0]
        shape = (rows[name], sizes.d_model) if name in rows else (sizes.d_model,)
        expect_tensor(
            module.read(path),
            shape,
            f"{path} for vocab_size={sizes.vocab}, d_model={sizes.d_model}, max_len={sizes.max_len}, "
            f"type_vocab_size={sizes.types}",
            dtype=None,
            hint="tok has vocab_size rows, pos max_len, seg type_vocab_size; norm has d_model numbers twice.",
        )


@needs("constructor")
@objective("stack")
def check_parameter_count(student: Student, rng: Draw) -> None:
    """there are (vocab_size + max_len + type_vocab_size + 2) * d_model parameters, and all of them learn"""
    sizes = draw_sizes(rng)
    module = make(student, sizes)
    expect_parameter_count(
        module,
        (sizes.vocab + sizes.max_len + sizes.types + 2) * sizes.d_model,
        f"({sizes.vocab} + {sizes.max_len} + {sizes.types} + 2) * {sizes.d_model}",
        "Three tables and one LayerNorm with weight and bias learn: compare the shapes with the sizes asked for.",
    )
    expect_all_learn(module, "All of it learns: remove requires_grad = False.")


@needs("constructor")
@objective("stack")
def check_shape(student: Student, rng: Draw) -> None:
    """(batch, seq) ids become (batch, seq, d_model) vectors, with and without segment and position ids"""
    sizes = draw_sizes(rng)
    module = make(student, sizes)
    ids, segments = rng.ids(2, sizes.seq, sizes.vocab), rng.ids(2, sizes.seq, sizes.types, low=0)
    positions = torch.arange(sizes.seq)
    for given, answer in {
        "token ids alone": module(ids),
        "token and segment ids": module(ids, segments),
        "token and position ids": module(ids, position_ids=positions),
        "token, segment and position ids": module(ids, token_type_ids=segments, position_ids=positions),
    }.items():
        expect_tensor(
            answer,
            (2, sizes.seq, sizes.d_model),
            f"the output for {given}",
            dtype=None,
            hint="One vector of d_model numbers for every token id, whichever of the other ids are given.",
        )


@needs("tables", "shape")
@objective("stack")
def check_normalised_sum(student: Student, rng: Draw) -> None:
    """the output is LayerNorm of token row plus position row plus segment row"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    values = fill(module, sizes, rng)
    ids, segments = rng.ids(2, sizes.seq, sizes.vocab), rng.ids(2, sizes.seq, sizes.types, low=0)
    got = module(ids, segments)
    expect_close(
        got,
        expected_output(values, ids, segments, torch.arange(sizes.seq)),
        "norm(tok + pos + seg) with the given segment ids",
        tolerance=1e-4,
        axes=AXES,
        dtype=None,
        hint=explain_sum(got, values, ids, segments),
    )


def explain_sum(
    got: Any, values: dict[str, torch.Tensor], token_ids: torch.Tensor, token_type_ids: torch.Tensor
) -> str:
    """Return which plausible formula gives just this answer, or what the right one is."""
    tok, seg = values["tok.weight"][token_ids], values["seg.weight"][token_type_ids]
    pos = values["pos.weight"][: token_ids.shape[1]].expand_as(tok)
    total = (tok + pos + seg).to(torch.float64)
    weight, bias = values["norm.weight"], values["norm.bias"]
    centred = total - total.mean(dim=-1, keepdim=True)
    plain = normalise(total, {"norm.weight": torch.ones(1), "norm.bias": torch.zeros(1)})
    candidates = (
        (total, "The sum is not normalised: send it through self.norm."),
        (plain, "weight and bias of the norm are not used: call self.norm itself, or give it both."),
        (plain * weight, "The bias of the norm is not added."),
        (plain + bias, "The weight of the norm is not used."),
        (normalise(normalise(total, values), values), "The norm acts twice: once is enough."),
        (centred / total.std(dim=-1, keepdim=True) * weight + bias, "LayerNorm divides by the variance over d_model "
         "numbers, not over d_model - 1: unbiased=False."),
        (total / total.square().mean(dim=-1, keepdim=True).sqrt() * weight + bias, "LayerNorm subtracts the mean "
         "before it divides."),
        (normalise(tok + pos, values), "The segment rows are missing from the sum."),
        (normalise(tok + seg, values), "The position rows are missing from the sum."),
        (normalise(pos + seg, values), "The token rows are missing from the sum."),
        (normalise(tok + pos + values["seg.weight"][0], values), "The given segment ids are not used."),
        (normalise(tok, values) + pos + seg, "Normalise the sum of all three rows, not the token rows alone."),
    )  # fmt: skip
    comparable = isinstance(got, RemoteTensor) and got.values.shape == total.shape
    for formula, words in candidates if comparable else ():
        if bool(((got.values.to(torch.float64) - formula).abs() <= 1e-4).all()):
            return words
    return "Add all three rows, then normalise the sum over its last axis; places count from 0, ids are used as given."


@needs("shape")
@objective("limits")
def check_longest(student: Student, rng: Draw) -> None:
    """a sequence of max_len places is accepted, one more is refused"""
    sizes = draw_sizes(rng)
    expect_length_limit(
        make(student, sizes),
        lambda length: rng.ids(2, length, sizes.vocab),
        sizes.max_len,
        sizes.d_model,
        ["AssertionError", "ValueError"],
    )
