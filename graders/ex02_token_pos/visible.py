"""Visible checks of exercise 2: the tables are there, of the right size, and each row arrives at its place."""

from dataclasses import dataclass

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Module,
    Student,
    expect_all_learn,
    expect_length_limit,
    expect_parameter_count,
    expect_registered,
    expect_rows,
    expect_tensor,
    needs,
    objective,
)


@dataclass(frozen=True)
class Sizes:
    """Sizes of one check; no two axes are alike, so that exchanged axes show."""

    batch: int
    seq: int
    max_len: int
    d_model: int
    vocab: int


def draw_sizes(rng: Draw) -> Sizes:
    """Return sizes from ranges that do not overlap."""
    return Sizes(rng.between(2, 4), rng.between(5, 8), rng.between(9, 12), 2 * rng.between(7, 8), rng.between(18, 23))


def make(student: Student, sizes: Sizes, dropout: float = 0.0) -> Module:
    """Return a student's module of these sizes."""
    module: Module = student.TokenPosEmbedding(
        vocab_size=sizes.vocab, d_model=sizes.d_model, max_len=sizes.max_len, dropout=dropout
    )
    return module


@objective("implement")
def check_constructor(student: Student) -> None:
    """TokenPosEmbedding(vocab_size, d_model, max_len=512, dropout=0.1) makes a module"""
    student.TokenPosEmbedding.expect_module_class()
    student.TokenPosEmbedding(vocab_size=11, d_model=6, max_len=9, dropout=0.3)
    student.TokenPosEmbedding(11, 6, 9, 0.3)
    student.TokenPosEmbedding(11, 6)


@needs("constructor")
@objective("implement")
def check_tables(student: Student, rng: Draw) -> None:
    """tok is a (vocab_size, d_model) table, pos a (max_len, d_model) table, both registered"""
    sizes = draw_sizes(rng)
    expect_tables(make(student, sizes), sizes)
    default = Sizes(2, 5, max_len=512, d_model=6, vocab=11)
    expect_tables(student.TokenPosEmbedding(default.vocab, default.d_model), default)


def expect_tables(module: Module, sizes: Sizes) -> None:
    """Expect both tables, registered as parameters, with the sizes asked for."""
    for path, rows in (("tok.weight", sizes.vocab), ("pos.weight", sizes.max_len)):
        expect_registered(module, path, "parameter")
        name = "vocab_size" if path == "tok.weight" else "max_len"
        expect_tensor(
            module.read(path),
            (rows, sizes.d_model),
            f"{path} for vocab_size={sizes.vocab}, d_model={sizes.d_model}, max_len={sizes.max_len}",
            dtype=None,
            hint=f"{path.partition('.')[0]} has {name} rows of d_model numbers.",
        )


@needs("constructor")
@objective("implement")
def check_parameter_count(student: Student, rng: Draw) -> None:
    """there are (vocab_size + max_len) * d_model parameters, max_len * d_model of them for positions"""
    sizes = draw_sizes(rng)
    expect_parameter_count(
        make(student, sizes),
        (sizes.vocab + sizes.max_len) * sizes.d_model,
        f"({sizes.vocab} + {sizes.max_len}) * {sizes.d_model}",
        "Exactly two tables learn, tok and pos, each of its own: compare the shapes with the sizes asked for.",
    )


@needs("tables")
@objective("contrast")
def check_learnable(student: Student, rng: Draw) -> None:
    """both tables are trained: every parameter requires a gradient"""
    hint = "Learned positions learn: remove requires_grad = False, and leave fixed sinusoids to exercise 1."
    expect_all_learn(make(student, draw_sizes(rng)), hint)


@needs("constructor")
@objective("implement")
def check_shape(student: Student, rng: Draw) -> None:
    """(batch, seq) ids become (batch, seq, d_model) vectors"""
    sizes = draw_sizes(rng)
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    expect_tensor(
        make(student, sizes)(ids),
        (sizes.batch, sizes.seq, sizes.d_model),
        f"the output for ids of shape ({sizes.batch}, {sizes.seq})",
        dtype=None,
        hint="One vector of d_model numbers for every id: the first two axes are those of the ids.",
    )


@needs("tables", "shape")
@objective("implement")
def check_positions(student: Student, rng: Draw) -> None:
    """place p of every item gets row p of pos"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    table = rng.table(sizes.max_len, sizes.d_model)
    module.assign({"tok.weight": torch.zeros(sizes.vocab, sizes.d_model), "pos.weight": table})
    expect_rows(
        module(rng.ids(sizes.batch, sizes.seq, sizes.vocab, low=0)),
        table,
        torch.arange(sizes.seq).expand(sizes.batch, sizes.seq),
        "pos.weight",
        "With a tok table of zeros the output is the position rows alone: 0, 1, 2, ... along axis 1, whatever the ids, "
        "added and unscaled.",
    )


@needs("tables", "shape")
@objective("implement")
def check_tokens(student: Student, rng: Draw) -> None:
    """every id gets its row of tok"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    table = rng.table(sizes.vocab, sizes.d_model)
    module.assign({"tok.weight": table, "pos.weight": torch.zeros(sizes.max_len, sizes.d_model)})
    ids = rng.ids(sizes.batch, sizes.seq, sizes.vocab)
    expect_rows(
        module(ids),
        table,
        ids,
        "tok.weight",
        "With a pos table of zeros the output is the token rows alone, added and unscaled.",
    )


@needs("shape")
@objective("limits")
def check_longest(student: Student, rng: Draw) -> None:
    """a sequence of max_len places is accepted, one more raises AssertionError"""
    sizes = draw_sizes(rng)
    expect_length_limit(
        make(student, sizes),
        lambda length: rng.ids(sizes.batch, length, sizes.vocab),
        sizes.max_len,
        sizes.d_model,
        ["AssertionError"],
    )
