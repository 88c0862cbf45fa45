"""Whether a module's tensors are where they belong: registered with it, no more than asked for, on one device."""

import math

from graders.engine.judge.expect import Unexpected, expect
from graders.engine.judge.module import Module, Trial

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
PLACEMENT_HINTS = {
    "mismatch": "Make tensors in forward with device=<input>.device, and register what __init__ makes: as a buffer, a "
    "parameter or a submodule, so that .to(device) moves it.",
    "wrong_output_device": "Return the result on the input's device: remove .cpu() and .to('cpu').",
    "cuda_hardcoded": "Name no device in your code: follow the input's device instead.",
    "refused": "Work on the device of the input, whichever it is, instead of refusing one.",
}


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


def expect_parameter_count(module: Module, count: int, formula: str, hint: str) -> None:
    """Expect exactly so many registered parameters; the message shows the formula and what is there."""
    parameters = module.inventory().parameters
    came = sum(math.prod(facts.shape) for facts in parameters.values())
    listing = ", ".join(f"{name} {facts.shape}" for name, facts in parameters.items())
    expect(
        came == count,
        expected=f"{formula} = {count} parameters",
        got=f"{came}: {listing or 'none registered'}",
        hint=hint,
    )


def expect_all_learn(module: Module, hint: str) -> None:
    """Expect that every parameter requires a gradient."""
    frozen = [name for name, facts in module.inventory().parameters.items() if not facts.requires_grad]
    expect(not frozen, expected="no frozen parameter", got=f"frozen: {', '.join(frozen)}", hint=hint)


def expect_placement(trial: Trial) -> None:
    """Expect that the module worked on the (pretended or real) accelerator; an inconclusive trial is no fault."""
    if trial.kind in PLACEMENT_HINTS:
        raise Unexpected(
            "module and input on one accelerator: every tensor that forward makes or uses is there too",
            trial.message,
            PLACEMENT_HINTS[trial.kind],
            trial.line,
        )
