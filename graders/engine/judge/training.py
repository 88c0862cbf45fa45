"""What must hold in training: one dropout on the finished result, and gradients that arrive where they should."""

from collections.abc import Sequence

import torch

from graders.engine.judge.expect import expect, expect_close, expect_tensor
from graders.engine.judge.words import number

DEFAULT_OF_TORCH = 0.5


def expect_dropout(answers: Sequence[object], plain: torch.Tensor, rate: float, what: str, hint: str = "") -> None:
    """Expect the first answer to be `plain` with a share `rate` of its values zero and the others divided by 1 - rate,
    and the second, of another call, to have other zeros.

    The share may be off by five standard deviations of a fair draw; each value must be drawn by itself. A `hint`
    takes the place of the one that the share suggests.
    """
    resized = "Dropout changes neither shape nor dtype of the result."
    values, again = (expect_tensor(answer, plain.shape, what, hint=resized) for answer in answers)
    dropped = (values == 0) & (plain != 0)
    share = float(dropped.to(torch.float64).mean())
    margin = 5 * (rate * (1 - rate) / plain.numel()) ** 0.5
    expect(
        abs(share - rate) <= margin,
        expected=f"{what} in training mode, dropout={number(rate)}: a share of {number(rate)} of the values is zero",
        got=f"a share of {number(share)}",
        hint=hint or _explain_share(share, rate, margin),
    )
    _expect_own_draws(dropped, rate, what)
    kept = torch.where(dropped, 0.0, plain.to(torch.float64) / (1 - rate))
    expect_close(
        values,
        kept,
        f"{what} in training mode: kept values are those of eval() divided by 1 - dropout",
        tolerance=1e-5 * (1 + kept.abs()),
        hint="Dropout comes last: what it keeps is the finished result, scaled by 1 / (1 - p).",
    )
    _expect_new_draw(dropped[plain != 0], again[plain != 0] == 0, rate, what)


def _explain_share(share: float, rate: float, margin: float) -> str:
    """Say which mistake gives this share of zeros, where one does."""
    for mistaken, words in (
        (0.0, "No value of the result is dropped: dropout is not called, or acts before the last step or on one term."),
        (0.1, "That is the default rate: pass the argument dropout on as p."),
        (DEFAULT_OF_TORCH, "That is the default rate of torch's own dropout: pass the argument dropout on as p."),
        (rate * rate, "Only where two dropouts coincide is a value zero: apply one to the sum, not one to each term."),
        (1 - rate, "dropout is the probability to drop a value, not to keep it: pass it on as p."),
        (1 - (1 - rate) ** 2, "Dropout acts twice: apply it once, to the finished result."),
    ):
        if abs(share - mistaken) <= margin and abs(mistaken - rate) > margin:
            return words
    return "Pass the argument dropout on as p, and apply one dropout to the whole finished result."


def _expect_own_draws(dropped: torch.Tensor, rate: float, what: str) -> None:
    """Expect that no axis shares one draw: along it, most lines hold kept and dropped values."""
    for axis in range(dropped.dim()) if rate > 0 else ():
        uniform = dropped.all(dim=axis) | (~dropped).all(dim=axis)
        expect(
            float(uniform.to(torch.float64).mean()) < 0.5,
            expected=f"{what} in training mode: every value is dropped or kept by a draw of its own",
            got=f"most lines along axis {axis} are dropped or kept as a whole",
            hint="Apply dropout to the result in its full shape (batch, seq, d_model), not to something smaller.",
        )


def _expect_new_draw(first: torch.Tensor, second: torch.Tensor, rate: float, what: str) -> None:
    """Expect two masks to differ as often as two fair draws do, give or take six standard deviations."""
    size, count = first.numel(), int((first != second).sum())
    change = 2 * rate * (1 - rate)
    expect(
        count >= change * size - 6 * (change * (1 - change) * size) ** 0.5,
        expected=f"{what} in training mode, called twice: what is dropped is drawn anew, so that about "
        f"{number(change * size)} of {size} values change between kept and dropped",
        got=f"{count} change",
        hint="Let torch's dropout draw in every call: keep no mask, compute none from the places, and set no seed.",
    )


def expect_gradient(came: object, expected: torch.Tensor, path: str, *, tolerance: float = 0.0) -> None:
    """Expect this gradient for the tensor at a path; `tolerance` is relative to 1 + the expected size."""
    expect(
        came is not None,
        expected=f"a gradient for {path}",
        got="none: it is cut off from the output",
        hint="Remove detach(), .data and torch.no_grad() from the look-up: this must learn.",
    )
    axes = ["row", "feature"] if expected.dim() == 2 else ["feature"]
    values = expect_tensor(came, expected.shape, f"the gradient of {path}", dtype=None)
    hint = "Each row gets the sum of the gradients of all its places, unscaled; rows that are not used get none."
    if expected.dim() == 2 and bool(expected[0].any()) and not bool(values[0].any()):
        hint = f"Row 0 of {path} gets no gradient: remove padding_idx, which switches it off."
    if expected.dim() == 2 and bool(expected[-1].any()) and not bool(values[-1].any()):
        hint = f"The last row of {path} gets no gradient: remove padding_idx, and let the last place learn as well."
    limit = tolerance * (1 + expected.abs())
    expect_close(values, expected, f"the gradient of {path}", tolerance=limit, axes=axes, dtype=None, hint=hint)
