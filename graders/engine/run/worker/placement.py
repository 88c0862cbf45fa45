"""Whether a student's module works on an accelerator, which is only pretended: no worker may use a real one.

A module is tried cold (moved, then called) and warm (called on the CPU, moved, called again), in evaluation
and in training mode, each time with a backward pass. Cold meets tables that the first call makes on the wrong
device, warm what a first call keeps.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol
from warnings import catch_warnings, simplefilter

from torch import Tensor, device, enable_grad, inference_mode, nn, ones_like
from torch.autograd.graph import _engine_run_backward

from graders.engine.run.worker.finding import FAULTS, Placement, explained
from graders.engine.run.worker.pretend_device import move, move_back, pretend_accelerator, undisturbed
from graders.engine.run.worker.pretend_tensor import DEVICE

Make = Callable[[], nn.Module]
Inputs = tuple[Any, ...]


class Watch(Protocol):
    """What knows, afterwards, which line last made a CPU tensor."""

    cpu_line: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to move a module: the device, how to get there and back, and what must hold meanwhile."""

    device: device
    move: Callable[[nn.Module], nn.Module]
    move_back: Callable[[nn.Module], nn.Module]
    entered: Callable[[str], AbstractContextManager[Watch | None]]


_ON_CPU = Place(device("cpu"), lambda module: module, lambda module: module, lambda _: nullcontext())
PRETENDED = Place(DEVICE, move, move_back, pretend_accelerator)


def probe_placement(make: Make, inputs: Inputs, filename: str) -> Placement:
    """Return how what `make` makes fares on an accelerator when it is called with `inputs`.

    `inputs` are CPU tensors, or other values, which are passed as they are. `filename` is the name under
    which the student's code was compiled; `line` is a line of it. Nothing that it raises comes through.
    """
    return probe_on(PRETENDED, make, inputs, filename)


def probe_on(place: Place, make: Make, inputs: Inputs, filename: str) -> Placement:
    """Return the first fault that one of the four tries shows, else the first inconclusive one, else "ok"."""
    trial = Trial(place, inputs, filename)
    try:
        # Warnings that the student turned into errors would end a try for nothing.
        with catch_warnings(), inference_mode(False), enable_grad(), undisturbed():
            simplefilter("ignore")
            # Warm comes first, as a global cache should be filled on the CPU. But a fault that needs no first
            # call is told as one.
            warm = [_on_new_module(_warm, make, training, trial) for training in (False, True)]
            cold = [_on_new_module(_cold, make, training, trial) for training in (False, True)]
    except BaseException:
        # What student code may do to torch or to an exception's own parts can break the probe itself. That is
        # no finding about devices, and it must not end the worker.
        return Placement("inconclusive", "the module could not be tried on an accelerator")
    found = cold + warm
    return _first(found, FAULTS) or _first(found, {"inconclusive"}) or found[0]


class _Alike(Tensor):
    """A tensor on the CPU that is of no more exact a type than the pretended ones."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What all tries at one place share."""

    place: Place
    inputs: Inputs
    filename: str


def _on_new_module(
    attempt: Callable[[nn.Module, Trial], Placement], make: Make, training: bool, trial: Trial
) -> Placement:
    try:
        module = make()
        if not isinstance(module, nn.Module):
            return Placement("inconclusive", "what was made is no nn.Module")
        module.train(training)
    except BaseException as error:
        return explained(error, trial.filename)
    found = attempt(module, trial)
    return replace(found, kind="inconclusive") if found.kind == "raised" else found


def _cold(module: nn.Module, trial: Trial) -> Placement:
    found = _run(module, trial)
    # Code that names CUDA where its input is on CUDA is right; where it isn't, the call on the CPU tells.
    return replace(found, kind="inconclusive") if found.kind == "cuda_hardcoded" else found


def _warm(module: nn.Module, trial: Trial) -> Placement:
    found = _run(module, replace(trial, place=_ON_CPU))
    if found.kind in FAULTS:
        message = f"called on the CPU it wants an accelerator all the same: {found.message}"
        return replace(found, kind="cuda_hardcoded", message=message)
    if found.kind != "ok":
        return found
    # What is neither the module's first call nor a plain tensor on the CPU either: only the device is left to refuse.
    alike = tuple(value.as_subclass(_Alike) if type(value) is Tensor else value for value in trial.inputs)
    again = _run(module, replace(trial, place=_ON_CPU, inputs=alike))
    found = _cold(module, trial)
    if found.kind == "ok":
        return found
    if found.kind == "raised" and again.kind == "ok":
        found = replace(found, kind="refused")
    return replace(found, message=f"after a first call on the CPU, {found.message}")


def _run(module: nn.Module, trial: Trial) -> Placement:
    place = trial.place
    try:
        with place.entered(trial.filename) as watch:
            try:
                outputs = _outputs(place.move(module), trial)
                if astray := _astray(outputs, place):
                    return replace(astray, line=watch.cpu_line if watch else None)
                return _run_backward(outputs, trial)
            finally:
                place.move_back(module)
    except BaseException as error:
        return explained(error, trial.filename)


def _outputs(module: nn.Module, trial: Trial) -> list[Tensor]:
    return list(_tensors_in(module(*[_brought(value, trial.place) for value in trial.inputs])))


def _run_backward(outputs: list[Tensor], trial: Trial) -> Placement:
    # torch.autograd.backward() switches function modes off while it runs, and a hook or a checkpoint making
    # a tensor would meet the real CUDA then. The private function that it ends in leaves them on.
    wanted = tuple(output for output in outputs if output.requires_grad)
    ones = tuple(ones_like(output) for output in wanted)
    try:
        if wanted:
            _engine_run_backward(wanted, ones, False, False, (), allow_unreachable=True, accumulate_grad=True)
    except BaseException as error:
        found = explained(error, trial.filename)
        return replace(found, message=f"in the backward pass, {found.message}")
    return Placement("ok") if outputs else Placement("inconclusive", "it returned no tensor")


def _brought(value: Any, place: Place) -> Any:
    """Return a copy, which student code may change, on the device of `place`."""
    if not isinstance(value, Tensor):
        return value
    return value.detach().clone().to(place.device).requires_grad_(value.requires_grad)


def _astray(outputs: list[Tensor], place: Place) -> Placement | None:
    """Return what to say of outputs that aren't with the inputs; a number beside others may be on the CPU."""
    wrong = [output for output in outputs if output.device.type != place.device.type]
    if len(wrong) < len(outputs):
        wrong = [output for output in wrong if output.dim() > 0]
    if not wrong:
        return None
    device_type, shape = wrong[0].device.type, tuple(wrong[0].shape)
    if device_type == "meta":
        return Placement("inconclusive", f"its output of shape {shape} has no values")
    where, there = _spoken(place.device.type), _spoken(device_type)
    return Placement("wrong_output_device", f"the input is on {where}, the output of shape {shape} on {there}")


def _spoken(device_type: str) -> str:
    return "the CPU" if device_type == "cpu" else "the accelerator"


def _tensors_in(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors_in(item)


def _first(found: list[Placement], kinds: Collection[str]) -> Placement | None:
    return next((placement for placement in found if placement.kind in kinds), None)
