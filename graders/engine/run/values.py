"""Values as plain data: what may travel between judge and worker, and how it is written down.

Numbers, texts, None, lists, tuples, dicts and tensors travel; everything else stays where it is and is named.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from graders.engine.run.wire import DTYPE_NAMES, MAX_TENSORS, WireError, may_travel

MAX_DEPTH = 8
MAX_TEXT = 2000
MAX_INT = 1 << 63

# Taken before any student code can replace it.
_no_overrides = torch._C.DisableTorchFunction
_requires_grad = torch._C.TensorBase.requires_grad.__get__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class RemoteTensor:
    """A tensor that the worker sent, with what it said about it."""

    values: torch.Tensor
    requires_grad: bool = False
    device: str = "cpu"
    type_name: str = "Tensor"


@dataclass(frozen=True, slots=True)
class RemoteObject:
    """Something that stays in the worker: a handle where there is one, and its type's name."""

    type_name: str
    handle: int | None = None


@dataclass(frozen=True, slots=True)
class Generator:
    """Stands for a generator of torch's own, seeded so: an argument that the judge sends and never gets back."""

    seed: int


def pack(value: object, tensors: list[torch.Tensor], keep: Callable[[object], RemoteObject], depth: int = 0) -> Any:
    """Return `value` as JSON; its tensors are appended to `tensors`, and `keep` names what cannot travel."""
    if value is None or type(value) is bool:
        return value
    if type(value) is int and -MAX_INT < value < MAX_INT:
        return value
    if isinstance(value, torch.Tensor):
        return _pack_tensor(value, tensors)
    if isinstance(value, float):  # numpy's float64 is one
        plain = float.__float__(value)
        return plain if math.isfinite(plain) else {"float": str(plain)}
    if type(value) is str:
        return cut_text(value)
    if isinstance(value, Generator):
        return {"generator": value.seed}
    if isinstance(value, RemoteObject):
        return {"object": value.type_name, "handle": value.handle}
    if isinstance(value, list | tuple) and depth < MAX_DEPTH and _length(value) <= MAX_TENSORS:
        items = [pack(item, tensors, keep, depth + 1) for item in _items(value)]
        return {"list" if isinstance(value, list) else "tuple": items}
    if type(value) is dict and depth < MAX_DEPTH and len(value) <= MAX_TENSORS:
        keys = [cut_text(str(key)) for key in value]
        if len(set(keys)) == len(keys):  # else one item would hide another
            items = [pack(item, tensors, keep, depth + 1) for item in value.values()]
            return {"dict": [list(pair) for pair in zip(keys, items, strict=True)]}
    return pack(keep(value), tensors, keep)


def _length(value: list[Any] | tuple[Any, ...]) -> int:
    """Return how many items there are, whatever a subclass says of itself; a named tuple is one."""
    return list.__len__(value) if isinstance(value, list) else tuple.__len__(value)


def _items(value: list[Any] | tuple[Any, ...]) -> list[Any]:
    return list(list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value))


def _pack_tensor(tensor: torch.Tensor, tensors: list[torch.Tensor]) -> dict[str, Any]:
    # A subclass may answer every operator as it likes: below this line its overrides do not exist.
    with _no_overrides():
        name = DTYPE_NAMES.get(tensor.dtype)
        plain = tensor.layout == torch.strided and tensor.device.type in ("cpu", "cuda")
        if name is None or not plain or not may_travel(tensor.dtype, tensor.shape):
            kind = f"{tensor.dtype} tensor of shape {tuple(tensor.shape)} on {tensor.device}, {tensor.layout}"
            return {"object": kind.replace("torch.", ""), "handle": None}
        facts = {
            "tensor": len(tensors),
            "requires_grad": bool(_requires_grad(tensor)),
            "device": tensor.device.type,
            "type": type(tensor).__name__[:100],
        }
        held = tensor.detach()
        if held.device.type != "cpu":
            held = held.cpu()
        if held.is_conj() or held.is_neg():  # complex numbers whose signs are still to be turned
            held = held.resolve_conj().resolve_neg()
        # A transposed batch must arrive as one: the other side gives it the same strides again.
        if not held.is_contiguous():
            if held.dim() >= 2 and held.mT.is_contiguous():
                facts["transposed"] = True
                held = held.mT
            held = held.contiguous()
        tensors.append(held)
        return facts


def unpack(data: Any, tensors: Sequence[torch.Tensor]) -> Any:
    """Return the value that `pack` described; raises WireError for anything it would not have written."""
    return _unpack(data, dict(enumerate(tensors)), 0)


def unpack_all(data: dict[str, Any], tensors: Sequence[torch.Tensor]) -> dict[str, Any]:
    """Return named values that `pack` described one by one, with all their tensors in one list."""
    left = dict(enumerate(tensors))
    return {name: _unpack(item, left, 0) for name, item in data.items()}


def _unpack(data: Any, left: dict[int, torch.Tensor], depth: int) -> Any:
    """Unpack one item; each tensor is in one place only, and no more in `left` once it is found there."""
    match data:
        case None | bool():
            return data
        case str():
            return cut_text(data)
        case int() if -MAX_INT < data < MAX_INT:
            return data
        case float() if math.isfinite(data):
            return data
        case dict() if len(data) == 1 and depth <= MAX_DEPTH:
            [(tag, inside)] = data.items()
            return _unpack_tagged(tag, inside, left, depth)
        case {"tensor": index} if type(index) is int and index in left:
            return _unpack_tensor(left.pop(index), data)
        case {"object": str(name), "handle": handle} if len(data) == 2 and (handle is None or _counts(handle)):
            return RemoteObject(cut_text(name), handle)
    raise WireError("a value is neither plain nor tagged as one that may travel, or it is nested too deeply")


def _unpack_tagged(tag: str, inside: Any, left: dict[int, torch.Tensor], depth: int) -> Any:
    match tag, inside:
        case "list", list() if len(inside) <= MAX_TENSORS:
            return [_unpack(item, left, depth + 1) for item in inside]
        case "tuple", list() if len(inside) <= MAX_TENSORS:
            return tuple(_unpack(item, left, depth + 1) for item in inside)
        case "dict", list() if len(inside) <= MAX_TENSORS and all(map(_is_pair, inside)):
            found = {cut_text(key): _unpack(item, left, depth + 1) for key, item in inside}
            if len(found) == len(inside):  # else one item hides another
                return found
        case "float", "nan" | "inf" | "-inf":
            return float(inside)
        case "generator", int() if _counts(inside):
            return Generator(inside)
    raise WireError("a tag does not fit what it stands for")


def _unpack_tensor(values: torch.Tensor, told: dict[str, Any]) -> RemoteTensor:
    match told:
        case {"requires_grad": bool(requires_grad), "device": "cpu" | "cuda" as device, "type": str(name)}:
            if len(told) == 5 and told.get("transposed") is True and values.dim() >= 2:
                return RemoteTensor(values.mT, requires_grad, device, cut_text(name))
            if len(told) == 4:
                return RemoteTensor(values, requires_grad, device, cut_text(name))
    raise WireError("what is told about a tensor is malformed")


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)


def _counts(number: Any) -> bool:
    return type(number) is int and 0 <= number < MAX_INT


def cut_text(text: str) -> str:
    """Return a text cut to a size one can read, without the lone surrogates that no file or terminal would take."""
    if len(text) <= MAX_TEXT and text.isascii():
        return text
    return text[:MAX_TEXT].encode("utf-8", "replace").decode()
