"""How a permutation gap is judged: what it must be, and which mistake gives another number."""

import math

import torch

from graders.engine.judge.vocabulary import RemoteTensor, Unexpected, expect

TOLERANCE = 1e-4


def expect_gap(got: object, expected: float, what: str, hint: str) -> None:
    """Expect a gap of this size, as a number or in a tensor of one element."""
    value = number_in(got)
    close = abs(value - expected) <= TOLERANCE * (1 + expected)
    size = f"{expected:.6g}" if expected else "0, up to rounding,"
    expect(close, expected=f"{size} for {what}", got=f"{value:.6g}", hint=hint)


def number_in(got: object) -> float:
    """Return the number that a gap is, which must be finite."""
    if isinstance(got, RemoteTensor):
        if got.values.numel() != 1 or got.values.is_complex():
            raise Unexpected("a gap is one number", f"{got.values.numel()} numbers", "Take the largest: .max().item().")
        value = float(got.values)
    elif isinstance(got, int | float):
        value = float(got)
    else:
        raise Unexpected("a gap is a float", kind_of(got), "End it with `return difference.abs().max().item()`.")
    expect(math.isfinite(value), expected="a gap is a finite number", got=f"{value}", hint="Divide by nothing.")
    return value


def kind_of(answer: object) -> str:
    """Say what an answer is that is neither tensor nor number."""
    return "None" if answer is None else f"a {getattr(answer, 'type_name', type(answer).__name__)}"


def explain_causal_gap(got: object, difference: torch.Tensor) -> str:
    """Say which mistake gives this gap under a causal mask over two places, where one does.

    `difference` is that of the second place and the first, halved: what a swap changes at either place.
    """
    size = difference.abs()
    for mistaken, words in (
        (0.0, "Compare place by place, and permute axis 1: draw the permutation again while it is 0, 1, 2, ..."),
        (2 * size.max(), "Permute the output as well: compare with attention(x)[:, p]."),
        (difference.max(), "Take the absolute value first: a difference may be negative."),
        (size.mean(), "Take the largest difference, not the mean."),
        (2 * size.sum(), "Take the largest difference, not the sum."),
        (2**0.5 * difference.norm(), "Take the largest absolute difference, not the norm."),
        (size.square().mean(), "Take the largest absolute difference, not the mean square."),
    ):
        if abs(number_in(got) - float(mistaken)) <= TOLERANCE * (1 + abs(float(mistaken))):
            return words
    return (
        "Permute axis 1 of the input on one side and of the output on the other; take the largest |difference| of all "
        "items, places and features."
    )
