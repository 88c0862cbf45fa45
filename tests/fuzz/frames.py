"""Real answers to every order as frames, and mutations that know how a frame is made, so that they reach beyond it."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import torch

from graders.engine.run.values import RemoteObject, pack
from graders.engine.run.wire import DTYPES, MAGIC, PREFIX, encode
from graders.engine.run.worker.orders import ORDERS
from tests.fuzz.reading import NUMBER

NAMES = sorted(ORDERS)
FACTS = {"shape": [4, 3], "dtype": "float32", "requires_grad": True}
TABLE = {"tok.weight": FACTS, "pos.weight": {**FACTS, "shape": [9, 3]}}
PLACED = {"kind": "mismatch", "message": "add: cpu and cuda", "line": 7, "operator": "add"}
KIND = {"defined": True, "kind": "class", "callable": True, "is_module_class": True}
RESULT = torch.arange(12.0).reshape(3, 4)
EVERYTHING = {
    "tensors": [torch.tensor([True, False]), torch.zeros(0, 3), torch.ones(2, 3).t(), torch.tensor(1j), None],
    "numbers": (1, -2, 0.5, float("nan"), float("-inf"), True),
    "others": [RemoteObject("Linear", 3), RemoteObject("function"), "text", {"a": {"b": []}}],
}
ANSWERS: dict[str, list[Any]] = {
    "load": [{"names": ["Model", "helper"], "notes": ["cell 3 was left out"]}],
    "open_todos": [[[1, 10], [2, 30]], []],
    "describe": [{**KIND, "lines": {"__init__": 3, "forward": 9}}],
    "make": [RemoteObject("Model", 0), EVERYTHING, None],
    "give": [None],
    "make_given": [RemoteObject("Layer", 1)],
    "call_function": [{"result": 0.25}],
    "call": [{"result": RESULT}, {"result": EVERYTHING}],
    "arguments_now": [[RESULT.t(), None], [1, 2]],
    "backward": [{"result": RESULT, "inputs": [None, RESULT], "gradients": [RESULT.half()]}],
    "backward_function": [{"result": RESULT, "inputs": [RESULT, None]}],
    "inventory": [{"parameters": TABLE, "buffers": {}, "training": True}],
    "registration": ["parameter"],
    "read": [RESULT.to(torch.int64), EVERYTHING],
    "assign": [None],
    "set_mode": [None],
    "cast": [None],
    "random_numbers": [torch.rand(3, dtype=torch.float64)],
    "train": [[0.7, 0.6, float("nan")]],
    "place": [PLACED, {**PLACED, "line": None}],
    "place_function": [PLACED],
}
RAISED = {
    "type": "IndexError", "families": ["IndexError"], "message": "index out of range", "line": 12,
    "frames": [[12, "forward"], [30, "look_up"]],
}  # fmt: skip


def honest() -> Iterator[tuple[str, bytes]]:
    """Yield orders, each with a frame that answers it as a worker does."""
    for order, answers in ANSWERS.items():
        for answer in answers:
            tensors: list[torch.Tensor] = []
            packed = pack(answer, tensors, lambda value: RemoteObject(type(value).__name__))
            yield order, encode({"id": NUMBER, "value": packed}, tensors)
        yield order, encode({"id": NUMBER, "raised": RAISED})


LEAVES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 1 << 26, 1 << 31, 1 << 63, (1 << 63) - 1, -(1 << 63), 1 << 64, 10**400, 0.0, -0.0,
    1.0, 1e308, 5e-324, float("nan"), float("inf"), "@1e400", "@-1e999", "@1.0e2", "", "nan", "inf", "NaN", "cpu",
    "cuda", "meta", "x" * 5000, "\ud800", "\x1b[31m", "::error::", "\0", [], {}, [[]], [0, 0], [0] * 1025, [0, 1 << 26],
    [1] * 17, {"list": []}, {"tuple": [None, 1.5]}, {"dict": []}, {"dict": [["a", 1], ["a", 2]]}, {"float": "nan"},
    {"generator": 3}, {"object": "Thing", "handle": 0}, {"object": "Thing", "handle": -1}, {"list": [{"list": [0]}]},
    {"tensor": 0, "requires_grad": False, "device": "cpu", "type": "Tensor"}, NUMBER, *DTYPES,
]  # fmt: skip
TAGS = ["list", "tuple", "dict", "float", "tensor", "object", "generator", "handle", "transposed", "value", "raised"]
Place = tuple[Any, Any]
"""A list or dictionary, and an index or key of it."""


def mutated(stream: bytes, tell: random.Random) -> bytes:
    """Return a stream that differs a little: mostly one whose lengths, and often sizes, still fit."""
    parts = _taken_apart(stream)
    if parts is None or tell.random() < 0.1:
        return _with_damage(stream, tell)
    try:
        return _changed(*parts, tell)
    except RecursionError:  # it has been wrapped too often
        return _with_damage(stream, tell)


def _changed(fields: dict[str, Any], body: bytes, tell: random.Random) -> bytes:
    for _ in range(tell.choice((1, 1, 1, 2, 3))):
        places = list(_places(fields))
        if places:
            tell.choice(CHANGES)(*tell.choice(places), places, tell)
    if tell.random() < 0.8:
        body = _fitted(fields.get("tensors"), body, tell)
    text = json.dumps(fields)
    for raw in ("1e400", "-1e999", "1.0e2"):
        text = text.replace(f'"@{raw}"', raw)
    if tell.random() < 0.05:
        text = text[:-1] + ', "id": "' + NUMBER + '"}'  # a key for the second time
    return PREFIX.pack(MAGIC, len(text), len(body)) + text.encode() + body


def _taken_apart(stream: bytes) -> tuple[dict[str, Any], bytes] | None:
    if len(stream) < PREFIX.size:
        return None
    _, header_bytes, _ = PREFIX.unpack_from(stream)
    try:
        fields = json.loads(stream[PREFIX.size : PREFIX.size + header_bytes])
    except (ValueError, RecursionError):
        return None
    return (fields, stream[PREFIX.size + header_bytes :]) if isinstance(fields, dict) else None


def _places(tree: Any, depth: int = 0) -> Iterator[Place]:
    """Yield where anything is, nothing far down in what is nested or wide without end."""
    keys = list(tree) if isinstance(tree, dict) else range(min(len(tree), 50)) if isinstance(tree, list) else []
    for key in keys:
        yield tree, key
        if depth < 12:
            yield from _places(tree[key], depth + 1)


def _replace(holder: Any, key: Any, places: list[Place], tell: random.Random) -> None:
    holder[key] = copy.deepcopy(tell.choice(LEAVES))


def _copy(holder: Any, key: Any, places: list[Place], tell: random.Random) -> None:
    other, at = tell.choice(places)
    if at in other if isinstance(other, dict) else at < len(other):
        holder[key] = copy.deepcopy(other[at])


def _remove(holder: Any, key: Any, places: list[Place], tell: random.Random) -> None:
    del holder[key]


def _add(holder: Any, key: Any, places: list[Place], tell: random.Random) -> None:
    if isinstance(holder, dict):
        holder[tell.choice(TAGS)] = copy.deepcopy(tell.choice(LEAVES))
    else:
        holder.insert(key, copy.deepcopy(tell.choice([holder[key], *LEAVES])))


def _rename(holder: Any, key: Any, places: list[Place], tell: random.Random) -> None:
    if isinstance(holder, dict):
        holder[tell.choice([*TAGS, key * 2, ""])] = holder.pop(key)


def _wrap(holder: Any, key: Any, places: list[Place], tell: random.Random) -> None:
    for _ in range(tell.choice((1, 1, 2, 9, 400))):
        holder[key] = tell.choice(([holder[key]], {"list": [holder[key]]}, {"dict": [["k", holder[key]]]}))


def _repeat(holder: Any, key: Any, places: list[Place], tell: random.Random) -> None:
    if isinstance(holder, list):
        times = tell.choice((1, 2, 20, 1100 if len(str(holder[key])) < 40 else 3))
        holder[key:key] = [copy.deepcopy(holder[key]) for _ in range(times)]


CHANGES: list[Callable[[Any, Any, list[Place], random.Random], None]] = [
    _replace, _replace, _copy, _remove, _add, _rename, _wrap, _repeat,
]  # fmt: skip


def _fitted(entries: Any, body: bytes, tell: random.Random) -> bytes:
    """Return a body as long as the header's entries ask for, where they make sense and ask for little."""
    total = 0
    for entry in entries if isinstance(entries, list) else []:
        match entry:
            case [str(name), list(shape)] if name in DTYPES and all(isinstance(size, int) for size in shape):
                count = DTYPES[name].itemsize
                for size in shape[:17]:
                    count *= size
                total += count
    if not 0 <= total <= 50_000:
        return body
    fitted = bytearray((body + tell.choice((b"\0", b"\1", b"\xff")) * total)[:total])
    if fitted and tell.random() < 0.2:
        fitted[tell.randrange(total)] = tell.choice((2, 127, 128, 255))
    return bytes(fitted)


def _with_damage(stream: bytes, tell: random.Random) -> bytes:
    data = bytearray(stream or b"x")
    for _ in range(tell.randint(1, 3)):
        at = tell.randrange(len(data) + 1)
        match tell.randrange(4):
            case 0:
                data[at : at + 1] = tell.randbytes(1)
            case 1:
                del data[at : at + tell.randint(1, 9)]
            case 2:
                data[at:at] = tell.choice([b"0", b"[", b'"', b"-", b"e9", b"\0", tell.randbytes(5), b"PEG1"])
            case _:
                data = data[:at]
    return bytes(data)
