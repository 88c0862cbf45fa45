"""An accelerator that is only pretended: tensors with their values in CPU memory that say they are elsewhere.

Whatever a GPU refuses because its operands lie on two devices is refused here too, as `DeviceMismatch`.
Students' code sees the device `cuda:0`. PyTorch's own code sees `meta`, the one type that needs neither a
driver nor kernels nor global state. Operators compute on the CPU values, so `.item()`, an assertion on ids or
a backward pass works.

Subclasses and modes are made of private parts of PyTorch, as there are no public ones: a reason to pin torch.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import Tensor, nn, overrides
from torch.utils import _device, _python_dispatch

DEVICE = torch.device("cuda", 0)
_LABEL = torch.device("meta")
_CPU = torch.device("cpu")
_aten = torch.ops.aten

_COPIES = frozenset({_aten._to_copy.default, _aten.copy_.default})
_PACK = _aten._pack_padded_sequence.default
# The second argument of these may stay on the CPU: indices, and the lengths of a packed batch.
_INDEXING = frozenset({_aten.index.Tensor, _aten._unsafe_index.Tensor, _aten.index_put.default})
_INDEXING_IN_PLACE = frozenset({_aten.index_put_.default, _aten._index_put_impl_.default})
_CPU_SECOND = _INDEXING | _INDEXING_IN_PLACE | {_PACK}
# Other operators take a CPU tensor without dimensions as a number; these look at its device all the same.
_NO_NUMBERS = frozenset(
    {_aten.embedding.default, _aten.index_select.default, _aten.gather.default, _aten.take.default}
)
# Built from Python data below the operators, so these are met one level higher.
_FROM_DATA = frozenset({torch.tensor, torch.as_tensor, torch.asarray, torch.scalar_tensor})
_FROM_DATA_LIKE = frozenset({Tensor.new_tensor, Tensor.new})
_NAMES = {"addmm": "linear", "mm": "matmul", "bmm": "matmul", "index": "indexing", "index_put": "indexing"}

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


class DeviceMismatch(RuntimeError):
    """An operator met tensors of two devices: "Expected all tensors to be on the same device" on a GPU."""

    def __init__(self, operator: str, words: str) -> None:
        super().__init__(f"{operator} {words}")
        self.operator = operator


class PretendTensor(Tensor):
    """A tensor on the pretend accelerator; `held` is the CPU tensor with its values."""

    held: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]
    device = property(lambda self: DEVICE)
    is_cuda = property(lambda self: True)
    is_meta = property(lambda self: False)

    @staticmethod
    def __new__(cls, held: Tensor, requires_grad: bool = False) -> "PretendTensor":
        # The wrapper knows nothing of a lazy conjugation, so code that asks it must not find one inside.
        held = held.detach().resolve_conj()
        # A sparse gradient has no strides; autograd compares sizes alone, so it may pass for a dense one.
        dense = held.layout == torch.strided
        memory = {"strides": held.stride(), "storage_offset": held.storage_offset()} if dense else {}
        make: Callable[..., PretendTensor] = Tensor._make_wrapper_subclass
        made = make(cls, held.size(), dtype=held.dtype, device=_LABEL, requires_grad=requires_grad, **memory)
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _operate(func, args, kwargs or {})

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"{self.held!r} on {DEVICE}"

    def __format__(self, spec: str) -> str:
        return format(self.held, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> "PretendTensor":
        copy = PretendTensor(self.held.clone(), self.requires_grad)
        copy._is_param = isinstance(self, nn.Parameter)
        memo[id(self)] = copy
        return copy

    def tolist(self) -> Any:
        return self.held.tolist()

    def get_device(self) -> int:
        return 0

    def numpy(self, *, force: bool = False) -> Any:
        if not force:
            raise DeviceMismatch("numpy", "got a tensor on the accelerator, and reads the CPU's memory only")
        return self.held.numpy()

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self.numpy()


def _operate(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Run one operator on the values, unless a GPU refuses it, and leave the result where a GPU does."""
    tensors = list(_tensors_in((*args, *kwargs.values())))
    here = any(isinstance(tensor, PretendTensor) for tensor in tensors)
    if here and func not in _COPIES:
        _refuse_mixture(func, args, tensors)
    target = kwargs.get("device")
    if target is not None:
        here = target.type == _LABEL.type
        kwargs = {**kwargs, "device": _CPU if here else target}
    if here and kwargs.get("generator") is not None:
        raise DeviceMismatch(_name(func), "draws on the accelerator, with a random generator of the CPU")
    result = func(*_values(args), **{name: _values(value) for name, value in kwargs.items()})
    if torch.Tag.inplace_view in func.tags and here:
        # unsqueeze_() and its like change sizes. The wrapper has its own, which its label's kernel changes.
        with torch._C._DisableTorchDispatch():
            func(*args, **kwargs)
    if not here:
        return result
    if func is _PACK:
        return PretendTensor(result[0]), result[1]  # the sizes of the packed steps live on the CPU everywhere
    # In-place and out= operators return what they were given: the caller gets that very object back.
    return _wrapped(result, {id(_values(tensor)): tensor for tensor in tensors})


def _refuse_mixture(func: Any, args: Any, tensors: list[Tensor]) -> None:
    written = args[0] if func._schema.is_mutable else None
    if func in _CPU_SECOND and isinstance(args[0], PretendTensor):
        tensors = list(_tensors_in(args[2:]))
    for tensor in tensors:
        if isinstance(tensor, PretendTensor):
            continue
        if tensor.device.type != "cpu":
            raise NotImplementedError(f"{_name(func)} got a tensor on {tensor.device}, which isn't pretended")
        if tensor.dim() > 0 or tensor is written or func in _NO_NUMBERS:
            shape, dtype = tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")
            words = f"got one tensor on the accelerator and one on the CPU (shape {shape}, {dtype})"
            raise DeviceMismatch(_name(func), words)


def _name(func: Any) -> str:
    """Return the name a student knows: "embedding" for embedding_dense_backward, "add" for add_."""
    name = func._schema.name.removeprefix("aten::").removesuffix("_backward").strip("_")
    name = name.removeprefix("native_").removesuffix("_dense").removesuffix("_impl")
    return str(_NAMES.get(name, name))


def _tensors_in(value: Any) -> Iterator[Tensor]:
    for item in value:
        if isinstance(item, Tensor):
            yield item
        elif isinstance(item, (list, tuple)):
            yield from _tensors_in(item)


def _values(value: Any) -> Any:
    if isinstance(value, PretendTensor):
        return value.held
    return [_values(item) for item in value] if isinstance(value, (list, tuple)) else value


def _wrapped(result: Any, given: dict[int, Tensor]) -> Any:
    if isinstance(result, Tensor):
        return given[id(result)] if id(result) in given else PretendTensor(result)
    if isinstance(result, (list, tuple)):
        return type(result)(_wrapped(item, given) for item in result)
    return result


class _Operators(_python_dispatch.TorchDispatchMode):
    """Brings operators without a pretend operand here as well: factories, and those on CPU tensors alone."""

    def __init__(self, filename: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
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
        result = _operate(func, args, kwargs or {})
        if isinstance(result, Tensor) and not isinstance(result, PretendTensor):
            self.cpu_line = _current_line(self._filename) or self.cpu_line
        return result


class _Functions(overrides.TorchFunctionMode):
    """Puts the label in the place of the devices that students name, and builds tensors from Python data."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if kwargs and "device" in kwargs:
            kwargs = {**kwargs, "device": _relabelled(kwargs["device"])}
        if func is _cuda:
            return _to(args[0], _LABEL)
        if func is _to:
            return _to(args[0], *map(_relabelled, args[1:]), **(kwargs or {}))
        if func in _FROM_DATA:
            return _built(func, (), args, kwargs or {})
        if func in _FROM_DATA_LIKE and isinstance(args[0], PretendTensor):
            return _built(func, args[:1], args[1:], {"device": _LABEL, **(kwargs or {})})
        return func(*args, **kwargs) if kwargs else func(*args)


def _relabelled(place: Any) -> Any:
    """Return the label for whatever names an NVIDIA device, and everything else as it is."""
    if isinstance(place, torch.device):
        kind = place.type
    elif isinstance(place, str):
        kind = place.partition(":")[0]
    else:
        kind = DEVICE.type if type(place) is int else ""
    return _LABEL if kind == DEVICE.type else place


def _built(func: Callable[..., Any], owner: Any, data: Any, kwargs: dict[str, Any]) -> Any:
    from_tensor = any(isinstance(value, Tensor) for value in (*data, *kwargs.values()))
    if kwargs.get("device") != _LABEL or from_tensor:
        return func(*owner, *data, **kwargs)
    made = func(*_values(owner), *data, **{**kwargs, "device": _CPU})
    return PretendTensor(made, made.requires_grad)


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
    return module.to(_CPU)


def _exchange(parameter: nn.Parameter, values: Tensor) -> None:
    other = nn.Parameter(values, parameter.requires_grad)
    own = {name: value for name, value in vars(parameter).items() if name not in ("held", "_is_param")}
    vars(other).update(own)
    other._backward_hooks = parameter._backward_hooks
    # One that a graph or a view still holds can't be exchanged. `.to` gives the module a new one, and who
    # holds the old one is as far from the module as on a GPU.
    with suppress(RuntimeError):
        _swap(parameter, other)
