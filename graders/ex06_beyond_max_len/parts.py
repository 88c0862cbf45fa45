"""Exercise 6: what visible and hidden checks share, and no answer: how results are compared, and modules to extend."""

from collections.abc import Sequence

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Given,
    Module,
    RemoteTensor,
    Student,
    Unexpected,
    dtype_name,
    expect,
    expect_tensor,
)

AGREEMENT = 1e-4
AXES = ["batch", "head", "place", "column"]


def agree(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors have one shape and, up to rounding, the same numbers."""
    if one.shape != other.shape or one.is_complex() or other.is_complex():
        return False
    return bool(((one.to(torch.float64) - other.to(torch.float64)).abs() <= AGREEMENT).all())


def fair(true: torch.Tensor, own: object, got: object) -> torch.Tensor:
    """Return what `got` should be: the student's own numbers where it is made of them, as a mistake costs once."""
    if isinstance(own, RemoteTensor) and isinstance(got, RemoteTensor) and own.values.shape == true.shape:
        return own.values if agree(own.values, got.values) else true
    return true


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


def expect_same_buckets(values: torch.Tensor, buckets: torch.Tensor, rel: torch.Tensor, call: str, hint: str) -> None:
    """Expect these buckets, and name the first distance that has another one."""
    wrong = values != buckets
    if bool(wrong.any()):
        first = tuple(wrong.nonzero()[0].tolist())
        raise Unexpected(
            f"{call}: bucket {buckets[first].item()} for rel = {rel[first].item()}",
            f"bucket {values[first].item()}; {int(wrong.sum())} of {rel.numel()} distances differ",
            hint,
        )


def filled(
    given: Given, rng: Draw, max_len: int, width: int, dropout: float = 0.0
) -> tuple[Module, torch.Tensor, torch.Tensor]:
    """Return an embedding with max_len places, and the values of its two tables."""
    embedding = given.PlaceRows(17, width, max_len, dropout)
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
