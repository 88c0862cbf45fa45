"""The tensors of a pretended accelerator: their values lie in CPU memory, and they say that they are elsewhere.

Whatever a GPU refuses because its operands lie on two devices is refused here too, as `DeviceMismatch`.
Students' code sees the device `cuda:0`. PyTorch's own code sees `meta`, the one type that needs neither a
driver nor kernels nor global state. Operators compute on the CPU values, so `.item()`, an assertion on ids or
a backward pass works.

Such a subclass is made of private parts of PyTorch, as there are no public ones: a reason to pin torch.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

DEVICE = torch.device("cuda", 0)
LABEL = torch.device("meta")
CPU = torch.device("cpu")
_aten = torch.ops.aten

_COPIES = frozenset({_aten._to_copy.default, _aten.copy_.default})
_PACK = _aten._pack_padded_sequence.default
# The second argument of these may stay on the CPU: indices, and the lengths of a packed batch.
_INDEXING = frozenset({_aten.index.Tensor, _aten._unsafe_index.Tensor, _aten.index_put.default})
_INDEXING_IN_PLACE = frozenset({_aten.index_put_.default, _aten._index_put_impl_.default})
_CPU_SECOND = _INDEXING | _INDEXING_IN_PLACE | {_PACK}
# Other operators take a CPU tensor without dimensions as a number; these look at its device all the same.
_NO_NUMBERS = frozenset(
    getattr(_aten, name).default for name in ("embedding", "gather", "index_select", "stack", "take")
)
_RESIZES = torch.Tag.inplace_view
_no_operator_modes = torch._C._DisableTorchDispatch
_NAMES = {"addmm": "linear", "mm": "matmul", "bmm": "matmul", "index": "indexing", "index_put": "indexing"}


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
        if held.requires_grad:
            held = held.detach()
        # Code that asks the wrapper about a conjugation still to be done hears of none.
        held = held.resolve_conj()
        # A sparse gradient has no strides; autograd compares sizes alone, so it may pass for a dense one.
        dense = held.layout == torch.strided
        memory = {"strides": held.stride(), "storage_offset": held.storage_offset()} if dense else {}
        make: Callable[..., PretendTensor] = Tensor._make_wrapper_subclass
        made = make(cls, held.size(), dtype=held.dtype, device=LABEL, requires_grad=requires_grad, **memory)
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return operate(func, args, kwargs or {})

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


@dataclass(frozen=True, slots=True)
class _Kind:
    """What matters here of an operator."""

    copies: bool
    mutable: bool
    resizes: bool
    cpu_second: bool
    no_numbers: bool


@cache
def _kind_of(func: Any) -> _Kind:
    return _Kind(
        func in _COPIES, func._schema.is_mutable, _RESIZES in func.tags, func in _CPU_SECOND, func in _NO_NUMBERS
    )


def operate(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Run one operator on the values, unless a GPU refuses it, and leave the result where a GPU does."""
    kind = _kind_of(func)
    tensors = list(_tensors_in((*args, *kwargs.values()) if kwargs else args))
    strangers = [tensor for tensor in tensors if not isinstance(tensor, PretendTensor)]
    here = len(strangers) < len(tensors)
    if here and strangers and not kind.copies:
        _refuse_mixture(func, kind, args, strangers)
    target = kwargs.get("device")
    if target is not None:
        here = target.type == LABEL.type
        kwargs = {**kwargs, "device": CPU if here else target}
    if here and kwargs.get("generator") is not None:
        raise DeviceMismatch(_name(func), "draws on the accelerator, with a random generator of the CPU")
    values = {name: values_of(value) for name, value in kwargs.items()} if kwargs else kwargs
    result = func(*values_of(args), **values)
    if kind.resizes and here:
        # unsqueeze_() and its like change sizes. The wrapper has its own, which its label's kernel changes.
        with _no_operator_modes():
            func(*args, **kwargs)
    if not here:
        return result
    if func is _PACK:
        return PretendTensor(result[0]), result[1]  # the sizes of the packed steps live on the CPU everywhere
    # In-place and out= operators return what they were given: the caller gets that very object back.
    given = {id(values_of(tensor)): tensor for tensor in tensors} if kind.mutable else {}
    return _wrapped(result, given)


def _refuse_mixture(func: Any, kind: _Kind, args: Any, strangers: list[Tensor]) -> None:
    for tensor in strangers:
        if tensor.device.type != "cpu":
            raise NotImplementedError(f"{_name(func)} got a tensor on {tensor.device}, which isn't pretended")
    if kind.cpu_second and isinstance(args[0], PretendTensor):
        strangers = [tensor for tensor in _tensors_in(args[2:]) if not isinstance(tensor, PretendTensor)]
    written = args[0] if kind.mutable else None
    for tensor in strangers:
        if tensor.dim() > 0 or tensor is written or kind.no_numbers:
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


def values_of(value: Any) -> Any:
    if isinstance(value, PretendTensor):
        return value.held
    return [values_of(item) for item in value] if isinstance(value, (list, tuple)) else value


def _wrapped(result: Any, given: dict[int, Tensor]) -> Any:
    if isinstance(result, Tensor):
        return given[id(result)] if id(result) in given else PretendTensor(result)
    if isinstance(result, (list, tuple)):
        return type(result)(_wrapped(item, given) for item in result)
    return result
