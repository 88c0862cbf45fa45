"""Properties that every module of a lesson must have, whatever it computes: no memory, no side effects, limits."""

from collections.abc import Callable, Sequence

import torch

from graders.engine.clean import clean
from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import Unexpected, expect, expect_close, expect_refusal, expect_tensor, tensor_in
from graders.engine.judge.module import Module
from graders.engine.judge.student import Definition
from graders.engine.judge.words import describe
from graders.engine.run.raised import Raised
from graders.engine.run.values import RemoteTensor

REFUSALS = {"AssertionError", "ValueError", "IndexError"}
"""What a length check may raise, rightly or not, and what a table raises that is too short."""


def expect_same_answer_twice(module: Module, *inputs: torch.Tensor) -> None:
    """Expect that in evaluation mode the same inputs give the same answer, and that the mode stays as it was."""
    for training in (True, False):
        module.train() if training else module.eval()
        first = tensor_in(module(*inputs))
        expect(
            module.in_training() is training,
            expected=f"module.training is {training} before a call and after it",
            got=f"{not training} after the call",
            hint="Remove self.train() and self.eval() from forward: the caller decides the mode.",
        )
    expect_close(
        module(*inputs),
        first,
        "the same answer to the same input in evaluation mode",
        tolerance=_rounding(first),
        dtype=None,
        hint="In eval() nothing may be random: dropout needs training=self.training or an nn.Dropout, layers are made "
        "in __init__, and nothing counts calls.",
    )


def expect_calls_leave_nothing(module: Module, short: torch.Tensor, long: torch.Tensor) -> None:
    """Expect the same answer to a short input before and after a longer one, in evaluation mode."""
    module.eval()
    first = tensor_in(module(short))
    module(long)
    expect_close(
        module(short),
        first,
        "the answer to a short input, after a longer one as before it",
        tolerance=_rounding(first),
        dtype=None,
        hint="Keep nothing between calls: no cached rows, no running offset.",
    )


def _rounding(values: torch.Tensor) -> torch.Tensor:
    """Return by how much each value may be off where the same is computed twice; of any dtype, truth values as well."""
    return 1e-6 * (1 + values.to(torch.float64).abs())


def expect_nothing_shared(definition: Definition, paths: Sequence[str], **kwargs: object) -> None:
    """Expect that filling the tensors at these paths, one after the other, changes none of the others, here or in
    a second object."""
    first, second = definition(**kwargs), definition(**kwargs)
    theirs = {path: tensor_in(second.read(path)) for path in paths}
    hint = "Make every table anew in __init__, one for each name: none on the class, in a cache or under two names."
    filled: dict[str, torch.Tensor] = {}
    for number, path in enumerate(paths):
        filled[path] = torch.full_like(theirs[path], 7.0 + number)
        first.assign({path: filled[path]})
    for path in paths:
        what = f"{path}, as it was filled, after another tensor of the module was"
        expect_close(first.read(path), filled[path], what, dtype=None, hint=hint)
        what = f"{path} of a second object, after that of the first was changed"
        expect_close(second.read(path), theirs[path], what, dtype=None, hint=hint)


def expect_arguments_untouched(module: Module, *inputs: torch.Tensor, weights: Sequence[str]) -> None:
    """Expect that a call changes neither its arguments nor these weights, in training and in evaluation mode."""
    before = {path: tensor_in(module.read(path)) for path in weights}
    for mode, name in ((module.train, "training"), (module.eval, "evaluation")):
        mode()
        _, after = module.call_and_show_arguments(*inputs)
        for sent, seen in zip(inputs, after, strict=True):
            expect_close(
                seen,
                sent,
                f"the caller's tensor after a call in {name} mode, as it was before",
                dtype=sent.dtype,
                hint="An operation in place (+=, add_, x[...] = ...) wrote into the argument: make a new tensor.",
            )
        for path, values in before.items():
            expect_close(
                module.read(path),
                values,
                f"{path} after a call in {name} mode, as it was before",
                dtype=values.dtype,
                hint="forward wrote into the module's own table: += on a slice or a looked-up row changes it.",
            )


def expect_randomness_untouched(definition: Definition, rng: Draw, *inputs: torch.Tensor, **kwargs: object) -> None:
    """Expect that nothing seeds torch's generator, and that a call in eval() does not use it either."""
    seed = rng.seed()
    module = definition(**kwargs)
    expect(
        torch.equal(module.eval().call_then_random(*inputs, seed=seed), _random_numbers(seed)),
        expected="torch's random numbers go on as if forward had not been called (evaluation mode)",
        got="other random numbers after the call",
        hint="Remove torch.manual_seed and random numbers from forward: in eval() nothing is random.",
    )
    module.train()
    after = {
        "making an object": [definition.call_then_random(seed=seed + n, **kwargs) for n in (0, 1)],
        "a call in training mode": [module.call_then_random(*inputs, seed=seed + n) for n in (0, 1)],
    }
    for event, (one, other) in after.items():
        expect(
            not torch.equal(one, other),
            expected=f"torch's random numbers after {event} depend on the caller's seed",
            got="the same random numbers under two seeds",
            hint="Remove torch.manual_seed from your class: the caller decides the seed.",
        )


def _random_numbers(seed: int) -> torch.Tensor:
    return torch.rand(3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def expect_length_limit(
    module: Module, make_input: Callable[[int], torch.Tensor], max_len: int, width: int, families: Sequence[str]
) -> None:
    """Expect that `max_len` places work and that more are refused by the module's own check, in either mode."""
    longest_input = make_input(max_len)
    longest = module.eval().attempt(longest_input)
    if isinstance(longest, Raised) and not REFUSALS & set(longest.families):
        longest = module(longest_input)  # no matter of length: let it end the check with its own words
    if not isinstance(longest, RemoteTensor):
        hint = f"max_len itself is legal: refuse when length > max_len, here from {max_len + 1} on."
        if isinstance(longest, Raised) and "IndexError" in longest.families:
            hint = f"The table has rows 0 to {max_len - 1}: count places from 0, and give the table max_len rows."
        line = longest.line if isinstance(longest, Raised) else None
        raise Unexpected(f"a sequence of exactly max_len = {max_len} places is accepted", _outcome(longest), hint, line)
    shape = (longest_input.shape[0], max_len, width)
    expect_tensor(longest, shape, f"the answer for {max_len} places", dtype=None, hint="Cut nothing off.")
    for mode, name in ((module.eval, "evaluation"), (module.train, "training")):
        mode()
        for length in (max_len + 1, 2 * max_len):
            expect_refusal(
                module.attempt(make_input(length)),
                families,
                f"{length} places with max_len = {max_len} are refused by your own check ({name} mode)",
                "Compare the length with max_len at the start of forward, before any table is used; raise "
                f"{families[0]} if it is larger, and say both numbers.",
            )


def _outcome(answer: object) -> str:
    if isinstance(answer, Raised):
        return clean(f"{answer.type_name}: {answer.message}", 200)
    return describe(answer)
