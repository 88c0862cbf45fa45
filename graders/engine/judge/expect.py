"""What a check may expect. Each function says in words what was expected and what came, and never broadcasts.

Comparisons are made in float64 with explicit tolerances; a value that is not finite is never equal to anything.
"""

import math
from collections.abc import Sequence

import torch

from graders.engine.clean import clean
from graders.engine.judge.words import describe, dtype_name, indices, number
from graders.engine.run.raised import Raised
from graders.engine.run.values import RemoteTensor


class Unexpected(Exception):
    """An answer was not the expected one."""

    def __init__(self, expected: str, got: str, hint: str = "", line: int | None = None) -> None:
        super().__init__(f"expected {expected}; got {got}")
        self.expected = expected
        self.got = got
        self.hint = hint
        self.line = line


def expect(condition: bool, *, expected: str, got: str, hint: str = "") -> None:
    """Raise Unexpected unless `condition` holds."""
    if not condition:
        raise Unexpected(expected, got, hint)


def expect_equal(got: object, expected: object, what: str, hint: str = "") -> None:
    """Expect two plain values (numbers, texts, shapes) to be equal and of one type."""
    if type(got) is not type(expected) or got != expected:
        raise Unexpected(f"{what}: {expected}", clean(str(got)), hint)


def tensor_in(answer: object) -> torch.Tensor:
    """Return the values of an answer that must be a tensor of finite real numbers, of any shape and dtype.

    Later answers are compared with them, which a value that is not finite would leave no way to tell from any other.
    """
    if not isinstance(answer, RemoteTensor):
        raise Unexpected("a tensor", describe(answer))
    hint = (
        "Look for a division, a root or a logarithm, and for numbers that nothing was written over, as torch.empty has."
    )
    return expect_tensor(answer, answer.values.shape, "the tensor", dtype=None, hint=hint)


def expect_tensor(
    got: object, shape: Sequence[int], what: str, *, dtype: torch.dtype | None = torch.float32, hint: str = ""
) -> torch.Tensor:
    """Expect a finite tensor of exactly this shape and dtype (None: any) and return its values."""
    wanted = f"{what}: a tensor of shape {tuple(shape)}" + (f", {dtype_name(dtype)}" if dtype else "")
    if got is None:
        raise Unexpected(wanted, "None", "forward returns nothing: end it with return and the tensor.")
    if not isinstance(got, RemoteTensor):
        raise Unexpected(wanted, describe(got), "Return the tensor itself, and nothing around it.")
    values = got.values
    if tuple(values.shape) != tuple(shape):
        raise Unexpected(wanted, describe(got), hint)
    if dtype is not None and values.dtype != dtype:
        raise Unexpected(wanted, describe(got), hint)
    if dtype is None and values.is_complex():
        raise Unexpected(f"{wanted} of real numbers", describe(got), hint)
    if not _is_finite(values):
        bad = _first(~torch.isfinite(values))
        raise Unexpected(f"{what}: finite numbers", f"{values[bad].item()} at {list(bad)}", hint)
    return values


def expect_close(
    got: object,
    expected: torch.Tensor,
    what: str,
    *,
    tolerance: float | torch.Tensor = 0.0,
    axes: Sequence[str] = (),
    dtype: torch.dtype | None = torch.float32,
    hint: str = "",
) -> torch.Tensor:
    """Expect a tensor of the same shape whose every value is within `tolerance` (default: exactly equal).

    A tolerance that is not finite allows nothing: it comes from an answer, and would let every other one pass.
    `axes` names the axes, for example ("item", "place", "feature"), so that the message can say where it is wrong.
    """
    if isinstance(got, torch.Tensor):
        got = RemoteTensor(got)
    values = expect_tensor(got, expected.shape, what, dtype=dtype, hint=hint)
    difference = (values.to(torch.float64) - expected.to(torch.float64)).abs()
    limit = torch.as_tensor(tolerance, dtype=torch.float64)
    right = difference <= limit
    if not _is_finite(limit):
        right = right & torch.isfinite(limit)
    if not bool(right.all()):
        wrong = ~right
        raise Unexpected(
            f"{what}: {_shown(expected, wrong)}{_place(wrong, axes)}",
            f"{_shown(values, wrong)}; {_extent(wrong, axes)}",
            hint,
        )
    return values


def _is_finite(values: torch.Tensor) -> bool:
    """Return whether all values are finite numbers; a third of the time that looking at each of them takes."""
    if values.numel() == 0 or not values.is_floating_point():
        return bool(torch.isfinite(values).all())  # the size of a finite complex number may be none
    return math.isfinite(float(values.abs().max()))  # of anything that is not a number, the largest is not one either


def _shown(values: torch.Tensor, wrong: torch.Tensor) -> str:
    return number(float(values[_first(wrong)]))


def _first(mask: torch.Tensor) -> tuple[int, ...]:
    # As numbers, since argmax knows no bool; nonzero() would list the indices of all, which may be 60 million.
    first = mask.flatten().to(torch.uint8).argmax()
    return tuple(int(index) for index in torch.unravel_index(first, mask.shape))


def _place(wrong: torch.Tensor, axes: Sequence[str]) -> str:
    if wrong.dim() == 0:
        return ""
    first = _first(wrong)
    if len(axes) == len(first):
        return " at " + ", ".join(f"{axis} {index}" for axis, index in zip(axes, first, strict=True))
    return f" at {list(first)}"


def _extent(wrong: torch.Tensor, axes: Sequence[str]) -> str:
    """Say how much is wrong, and along which axes: "wrong at every item, place 1 to 4, every feature"."""
    count, size = int(wrong.sum()), wrong.numel()
    if len(axes) != wrong.dim() or size == 1:
        return f"{count} of {size} values differ"
    parts = []
    for axis, name in enumerate(axes):
        others = [other for other in range(wrong.dim()) if other != axis]
        hit = wrong.any(dim=others) if others else wrong
        chosen = indices(hit.nonzero().flatten().tolist(), wrong.shape[axis])
        parts.append(f"{chosen} {name}" if chosen == "every" else f"{name} {chosen}")
    return f"{count} of {size} values differ: {', '.join(parts)}"


def expect_refusal(outcome: object, families: Sequence[str], what: str, hint: str = "") -> None:
    """Expect that a call raised one of these built-in exceptions by the module's own check."""
    wanted = f"{what}: {' or '.join(families)}"
    if not isinstance(outcome, Raised):
        raise Unexpected(wanted, f"no exception, but {describe(outcome)}", hint)
    came = f"{clean(outcome.type_name)}: {clean(outcome.message, 200)}"
    if not set(families) & set(outcome.families):
        raise Unexpected(wanted, came, hint, outcome.line)
    # A build of torch without CUDA raises AssertionError for .cuda(): that is no check of anything.
    if "CUDA" in outcome.message or "cuda" in outcome.message:
        hint = "This exception is about CUDA. Remove .cuda() and device names from your code."
        raise Unexpected(wanted, came, hint, outcome.line)
