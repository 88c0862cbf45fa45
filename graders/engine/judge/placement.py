"""Whether a module's tensors are where they belong: registered with the module, and on the input's device."""

from graders.engine.judge.expect import Unexpected, expect
from graders.engine.judge.student import Module, Trial

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


def expect_placement(trial: Trial) -> None:
    """Expect that the module worked on the (pretended or real) accelerator; an inconclusive trial is no fault."""
    if trial.kind in PLACEMENT_HINTS:
        raise Unexpected(
            "module and input on one accelerator: every tensor that forward makes or uses is there too",
            trial.message,
            PLACEMENT_HINTS[trial.kind],
            trial.line,
        )
