"""Properties that every module of a lesson must have, whatever it computes: no memory, no side effects, limits."""

from collections.abc import Callable, Sequence

import torch

from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import Unexpected, expect, expect_close, expect_refusal, expect_tensor
from graders.engine.judge.student import Definition, Module, Placement
from graders.engine.judge.words import clean, describe, number
from graders.engine.run.connection import Raised
from graders.engine.run.values import RemoteTensor


def expect_same_answer_twice(module: Module, *inputs: torch.Tensor) -> None:
    """Expect that in evaluation mode the same inputs give the same answer, and that the mode stays as it was."""
    for training in (True, False):
        module.train() if training else module.eval()
        first = _tensor_of(module(*inputs))
        expect(
            module.inventory().training is training,
            expected=f"module.training is {training} before a call and after it",
            got=f"{not training} after the call",
            hint="Remove self.train() and self.eval() from forward: the caller decides the mode.",
        )
    expect_close(
        module(*inputs),
        first,
        "the same answer to the same input in evaluation mode",
        tolerance=1e-6 * (1 + first.abs()),
        dtype=None,
        hint="In eval() nothing may be random: dropout needs training=self.training or an nn.Dropout, layers are made "
        "in __init__, and nothing counts calls.",
    )


def expect_registered(module: Module, path: str, kind: str) -> None:
    """Expect that the tensor at a path is registered as a "parameter" or as a "buffer"."""
    came = module.registration(path)
    name, _, part = path.partition(".")
    missing = f"Keep the stub's name self.{name}" + (f", and make it a layer that has {part}." if part else ".")
    expect(
        came == kind,
        expected=f"{path} is {REGISTERED[kind]}",
        got=REGISTERED.get(came, came),
        hint=REGISTRATION_HINTS.get((kind, came), missing),
    )


REGISTERED = {
    "parameter": "a registered parameter",
    "buffer": "a registered buffer",
    "plain": "a tensor that is not registered",
    "missing": "nothing of that name",
}
REGISTRATION_HINTS = {
    ("buffer", "plain"): "Use self.register_buffer(name, tensor): .to(device) does not move an ordinary attribute.",
    ("buffer", "parameter"): "It is fixed: use self.register_buffer(name, tensor) instead of nn.Parameter.",
    ("parameter", "plain"): "Assign the layer itself to self: what sits in a list, a dict or .data is not registered.",
    ("parameter", "buffer"): "It must be trained: make it a layer or an nn.Parameter, not a buffer.",
}


def expect_calls_leave_nothing(module: Module, short: torch.Tensor, long: torch.Tensor) -> None:
    """Expect the same answer to a short input before and after a longer one, in evaluation mode."""
    module.eval()
    first = _tensor_of(module(short))
    module(long)
    expect_close(
        module(short),
        first,
        "the answer to a short input, after a longer one as before it",
        tolerance=1e-6 * (1 + first.abs()),
        dtype=None,
        hint="Keep nothing between calls: no cached rows, no running offset.",
    )


def expect_arguments_untouched(module: Module, *inputs: torch.Tensor, weights: Sequence[str]) -> None:
    """Expect that a call in evaluation mode changes neither its arguments nor these weights."""
    module.eval()
    before = {path: _tensor_of(module.read(path)) for path in weights}
    _, after = module.call_and_show_arguments(*inputs)
    for sent, seen in zip(inputs, after, strict=True):
        expect_close(
            seen,
            sent,
            "the caller's tensor is as it was before the call",
            dtype=sent.dtype,
            hint="An in-place operation (+=, add_, x[...] = ...) wrote into the argument: make a new tensor instead.",
        )
    for path, values in before.items():
        expect_close(
            module.read(path),
            values,
            f"{path} is as it was before the call",
            dtype=values.dtype,
            hint="forward wrote into the module's own table: += on a slice or a looked-up row changes it.",
        )


def expect_randomness_untouched(definition: Definition, rng: Draw, *inputs: torch.Tensor, **kwargs: object) -> None:
    """Expect that making an object doesn't seed torch's generator and that a call in eval() leaves it alone."""
    seed = rng.seed()
    module = definition(**kwargs).eval()
    expect(
        torch.equal(module.call_then_random(*inputs, seed=seed), _random_numbers(seed)),
        expected="torch's random numbers go on as if forward had not been called (evaluation mode)",
        got="other random numbers after the call",
        hint="Remove torch.manual_seed and random numbers from forward: in eval() nothing is random.",
    )
    expect(
        not torch.equal(definition.random_after(seed, **kwargs), definition.random_after(seed + 1, **kwargs)),
        expected="torch's random numbers depend on the caller's seed after an object is made",
        got="the same random numbers after making it under two seeds",
        hint="Remove torch.manual_seed from your class: the caller decides the seed.",
    )


def _random_numbers(seed: int) -> torch.Tensor:
    return torch.rand(3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def expect_length_limit(
    module: Module, make_input: Callable[[int], torch.Tensor], max_len: int, width: int, families: Sequence[str]
) -> None:
    """Expect that a sequence of `max_len` places works and one of max_len + 1 is refused by the module's own check."""
    module.eval()
    longest = module.attempt(make_input(max_len))
    batch = make_input(max_len).shape[0]
    if not isinstance(longest, RemoteTensor):
        raise Unexpected(
            f"a sequence of exactly max_len = {max_len} places is accepted",
            _outcome(longest),
            f"max_len itself is legal: refuse when length > max_len, here from {max_len + 1} on.",
        )
    expect_tensor(longest, (batch, max_len, width), f"the answer for {max_len} places", dtype=None)
    expect_refusal(
        module.attempt(make_input(max_len + 1)),
        families,
        f"{max_len + 1} places with max_len = {max_len} are refused by your own check",
        "Compare the length with self.max_len at the start of forward, before any table is used; raise "
        f"{families[0]} if it is larger, and say both numbers.",
    )


def _outcome(answer: object) -> str:
    if isinstance(answer, Raised):
        return clean(f"{answer.type_name}: {answer.message}", 200)
    return describe(answer)


def expect_dropout(got: object, plain: torch.Tensor, rate: float, what: str) -> None:
    """Expect `got` to be `plain` with about `rate` of its values zero and the others scaled by 1 / (1 - rate).

    `plain` must have no zeros. The share of zeros may be off by five standard deviations of a fair draw.
    """
    values = expect_tensor(got, plain.shape, what)
    zero = values == 0
    share = float(zero.to(torch.float64).mean())
    margin = 5 * (rate * (1 - rate) / plain.numel()) ** 0.5
    expect(
        abs(share - rate) <= margin,
        expected=f"{what}: {number(rate)} of the values are zero in training mode with dropout={number(rate)}",
        got=f"{share:.3f} of them are zero",
        hint=_explain_share(share, rate, margin),
    )
    kept = torch.where(zero, plain.to(torch.float64) * 0, plain.to(torch.float64) / (1 - rate))
    expect_close(
        values,
        kept,
        f"{what}: kept values are those of eval() divided by 1 - dropout",
        tolerance=1e-5 * (1 + kept.abs()),
        hint="Dropout comes last: what it keeps is the finished result, scaled by 1 / (1 - p).",
    )


def _explain_share(share: float, rate: float, margin: float) -> str:
    """Say which mistake gives this share of zeros, where one does."""
    for mistaken, words in (
        (0.0, "No value of the result is dropped: dropout is not called, or acts before the last step or on one term."),
        (rate * rate, "Only where two dropouts coincide is a value zero: apply one to the sum, not one to each term."),
        (1 - rate, "dropout is the probability to drop a value, not to keep it: pass it on as p."),
        (1 - (1 - rate) ** 2, "Dropout acts twice: apply it once, to the finished result."),
    ):
        if abs(share - mistaken) <= margin and mistaken != rate:
            return words
    return "Pass the argument dropout on as p, and apply one dropout to the finished result."


def expect_placement(placement: Placement) -> None:
    """Expect that the module worked on the (pretended or real) accelerator; an inconclusive probe is no fault."""
    if placement.kind in ("ok", "inconclusive"):
        return
    raise Unexpected(
        "module and input on one accelerator: every tensor that forward makes or uses is there too",
        placement.message,
        PLACEMENT_HINTS.get(placement.kind, ""),
        placement.line,
    )


PLACEMENT_HINTS = {
    "mismatch": "Make tensors in forward with device=<input>.device, and register what __init__ makes: as a buffer, a "
    "parameter or a submodule, so that .to(device) moves it.",
    "wrong_output_device": "Return the result on the input's device: remove .cpu() and .to('cpu').",
    "cuda_hardcoded": "Name no device in your code: follow the input's device instead.",
}


def _tensor_of(answer: object) -> torch.Tensor:
    if not isinstance(answer, RemoteTensor):
        raise Unexpected("a tensor", _outcome(answer))
    return answer.values
