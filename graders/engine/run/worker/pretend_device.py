"""An accelerator that is only pretended: makes the device `cuda:0` usable, and moves modules to it and back.

The modes are made of private parts of PyTorch, as there are no public ones: a reason to pin torch.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch
from numpy import ndarray
from torch import Tensor, nn, overrides
from torch.utils import _device, _python_dispatch

from graders.engine.run.worker.pretend_tensor import CPU, DEVICE, LABEL, PretendTensor, operate, values_of

# Built from Python data below the operators, so these are met one level higher.
_FROM_DATA = frozenset({torch.tensor, torch.as_tensor, torch.asarray, torch.scalar_tensor})
_FROM_DATA_LIKE = frozenset({Tensor.new_tensor, Tensor.new})
_SUBSCRIPTS = frozenset({Tensor.__getitem__, Tensor.__setitem__})

# Taken before any student code can replace them.
_to, _cuda, _parameters = Tensor.to, Tensor.cuda, nn.Module.parameters
_in_inference_mode = torch.is_inference_mode_enabled
_no_functions = torch._C.DisableTorchFunction
_swap: Callable[[Tensor, Tensor], None] = torch.utils.swap_tensors
_function_modes: Callable[[], list[Any]] = overrides._get_current_function_mode_stack
_push_function_mode: Callable[[Any], None] = overrides._push_mode
_pop_function_mode: Callable[[], Any] = overrides._pop_mode
_operator_mode: Callable[[], Any] = _python_dispatch._get_current_dispatch_mode
_pop_operator_mode: Callable[[], Any] = _python_dispatch._pop_mode


class _Operators(_python_dispatch.TorchDispatchMode):  # type: ignore[no-untyped-call, unused-ignore]
    """Brings operators without a pretend operand here as well: factories, and those on CPU tensors alone."""

    def __init__(self, filename: str) -> None:
        # The base class makes its own state when it is entered.
        self._filename = filename
        self.cpu_line: int | None = None

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise the first operator imports torch._dynamo: half a second, and more than a worker may do.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _in_inference_mode():
            # Here operators made of others arrive whole, such as `to` with its device among the arguments.
            with self:
                result = func.decompose(*args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        # The tensors' own methods need no look at devices any more, for which each would come to `_Functions` first.
        with _no_functions():
            result = operate(func, args, kwargs or {})
        if isinstance(result, Tensor) and not isinstance(result, PretendTensor):
            self.cpu_line = _current_line(self._filename) or self.cpu_line
        return result


class _Functions(overrides.TorchFunctionMode):
    """Puts the label in the place of the devices that students name, and builds tensors from Python data."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if kwargs and "device" in kwargs:
            kwargs = {**kwargs, "device": _relabelled(kwargs["device"])}
        if func is _cuda:
            return _to(args[0], LABEL)
        if func is _to:
            return _to(args[0], *map(_relabelled, args[1:]), **(kwargs or {}))
        if func in _FROM_DATA:
            return _built(func, (), args, kwargs or {})
        if func in _FROM_DATA_LIKE and isinstance(args[0], PretendTensor):
            return _built(func, args[:1], args[1:], {"device": LABEL, **(kwargs or {})})
        if func in _SUBSCRIPTS and isinstance(args[0], PretendTensor):
            return func(args[0], _subscript(args[1]), *args[2:])
        return func(*args, **kwargs) if kwargs else func(*args)


def _relabelled(place: Any) -> Any:
    """Return the label for whatever names an NVIDIA device, and everything else as it is."""
    if isinstance(place, torch.device):
        kind = place.type
    elif isinstance(place, str):
        kind = place.partition(":")[0]
    else:
        kind = DEVICE.type if type(place) is int else ""
    return LABEL if kind == DEVICE.type else place


def _built(func: Callable[..., Any], owner: Any, data: Any, kwargs: dict[str, Any]) -> Any:
    from_tensor = any(isinstance(value, Tensor) for value in (*data, *kwargs.values()))
    if kwargs.get("device") != LABEL or from_tensor:
        return func(*owner, *data, **kwargs)
    made = func(*values_of(owner), *data, **{**kwargs, "device": CPU})
    return PretendTensor(made, made.requires_grad)


def _subscript(index: Any) -> Any:
    """Return an index whose lists are CPU tensors; PyTorch would make tensors without values of them."""
    if isinstance(index, tuple):
        return tuple(map(_subscript, index))
    return torch.as_tensor(index) if isinstance(index, (list, ndarray)) else index


def _current_line(filename: str) -> int | None:
    frame = sys._getframe()
    while frame.f_code.co_filename != filename:
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_lineno


@contextmanager
def pretend_accelerator(filename: str) -> Iterator[_Operators]:
    """Make `DEVICE` usable inside the block.

    What it yields knows, as `cpu_line`, the line of `filename` that last made a CPU tensor.
    """
    operators = _Operators(filename)
    with operators, undisturbed():
        _push_function_mode(_Functions())
        yield operators


@contextmanager
def undisturbed() -> Iterator[None]:
    """Leave modes and the default device as they were, whatever student code enters or sets."""
    modes, operator_mode, current = _function_modes(), _operator_mode(), _device.CURRENT_DEVICE
    default = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    try:
        yield
    finally:
        torch._GLOBAL_DEVICE_CONTEXT.device_context, _device.CURRENT_DEVICE = default, current
        while _function_modes():
            _pop_function_mode()
        for mode in modes:
            _push_function_mode(mode)
        while _operator_mode() not in (operator_mode, None):
            _pop_operator_mode()


def move(module: nn.Module) -> nn.Module:
    """Return `module.to(DEVICE)`, with each parameter the same object, so that all who hold it see it move.

    So it is on a GPU. A buffer is replaced by a new tensor, here and there.
    """
    with _no_functions():
        for parameter in _parameters(module):
            _exchange(parameter, PretendTensor(parameter.clone()))
    return module.to(DEVICE)


def move_back(module: nn.Module) -> nn.Module:
    """Return `module.to("cpu")`, with the same care: parts of it may be the student's global objects."""
    with _no_functions():
        for parameter in _parameters(module):
            if isinstance(parameter, PretendTensor):
                _exchange(parameter, parameter.held)
    return module.to(CPU)


def _exchange(parameter: nn.Parameter, values: Tensor) -> None:
    other = nn.Parameter(values, parameter.requires_grad)
    own = {name: value for name, value in vars(parameter).items() if name not in ("held", "_is_param")}
    vars(other).update(own)
    other._backward_hooks = parameter._backward_hooks
    # One that a graph or a view still holds can't be exchanged. `.to` gives the module a new one, and who
    # holds the old one is as far from the module as on a GPU.
    with suppress(RuntimeError):
        _swap(parameter, other)
