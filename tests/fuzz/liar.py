"""Workers whose answers are well-formed nonsense: a real one stands behind each, and what it answers is spoilt."""

import contextlib
import json
import math
import random
from typing import Any

import torch

from graders.engine.run.answers import read_answer
from graders.engine.run.connection import Connection
from graders.engine.run.raised import Raised
from graders.engine.run.supply import WorkerSupply
from graders.engine.run.values import RemoteObject, RemoteTensor, pack
from graders.engine.run.wire import DTYPES, Closed, Message, WireError, encode
from tests.fuzz.frames import RAISED, mutated
from tests.fuzz.reading import NUMBER, message_in

MARK = b"# the answers about this file are spoilt\n"
"""A file without this line, such as the reference, is answered for honestly."""
SHAPES = [(), (0,), (1,), (3,), (2, 3), (3, 2), (0, 4), (1, 1, 1), (5, 6, 7), (1,) * 16, (900, 1), (1, 900), (1 << 16,)]
WORDS = ["", "ok", "class", "parameter", "mismatch", "\x1b[2J", "::error::x", "x" * 3000, "tok.weight", "TODO 3: x"]
NUMBERS = [0, 1, -1, 7, 10**9, (1 << 63) - 1, 1 - (1 << 63), 0.0, 0.5, 1e308, 5e-324, math.nan, math.inf, -math.inf]
FAMILIES = ["NotImplementedError", "MemoryError", "SyntaxError", "TypeError", "ValueError", "ModuleNotFoundError"]
TRIES = 30


class LyingSupply:
    """Starts real workers; of the answers about a marked file, a `share` is spoilt."""

    def __init__(self, real: WorkerSupply, tell: random.Random, share: float) -> None:
        self._real = real
        self._tell = tell
        self._share = share
        self.isolation = real.isolation
        self.lies = 0

    def start(self, memory_mib: int) -> Any:
        return _LyingConnection(self._real.start(memory_mib), self)

    def close(self) -> None:
        """The real supply is somebody else's to close."""

    def spoilt(self, order: str, arguments: dict[str, Any], answer: Any) -> Message | None:
        """Return a lie in place of an answer, or None where this one is left as it is."""
        if self._tell.random() > self._share:
            return None
        self.lies += 1
        return lie(order, arguments, answer, self._tell)


class _LyingConnection:
    def __init__(self, worker: Connection, supply: LyingSupply) -> None:
        self._worker = worker
        self._supply = supply
        self._lies = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._worker, name)

    def order(self, name: str, arguments: dict[str, Any], deadline: float) -> Any:
        answer = self._worker.order(name, arguments, deadline)
        if name == "load":
            self._lies = MARK in arguments["source"].numpy().tobytes()
        lie = self._supply.spoilt(name, arguments, answer) if self._lies else None
        if lie is None:
            return answer
        return self._worker._guarded(lambda: read_answer(lie, NUMBER, name, arguments))


def lie(order: str, arguments: dict[str, Any], answer: Any, tell: random.Random) -> Message:
    """Return another answer: mostly one that has the form of this order's, so that the judge goes on with it."""
    if tell.random() < 0.1:
        return Message({"id": NUMBER, "raised": {**RAISED, "families": [tell.choice(FAMILIES)]}}, [])
    for _ in range(TRIES):
        told = _another(answer, tell)
        try:
            read_answer(told, NUMBER, order, arguments)
        except WireError:
            continue
        return told
    return told


def _another(answer: Any, tell: random.Random) -> Message:
    strange = isinstance(answer, Raised) or tell.random() < 0.3
    value = anything(tell, 0) if strange else exchanged(answer, tell)
    tensors: list[torch.Tensor] = []
    packed = json.loads(json.dumps(pack(value, tensors, _refuse), allow_nan=False))
    if tell.random() < 0.3:
        with contextlib.suppress(WireError, Closed):
            return message_in(mutated(encode({"id": NUMBER, "value": packed}, tensors), tell))
    return Message({"id": NUMBER, "value": packed}, tensors)


def anything(tell: random.Random, depth: int) -> Any:
    """Return a value of any kind that travels."""
    match tell.randrange(9 if depth < 3 else 6):
        case 0:
            return tell.choice(WORDS)
        case 1:
            return tell.choice(NUMBERS)
        case 2:
            return tell.choice([None, True, False])
        case 3:
            return RemoteObject(tell.choice(WORDS), tell.choice([None, 0, 1, 99, (1 << 63) - 1]))
        case 4 | 5:
            return torch.full(tell.choice(SHAPES), tell.choice([0, 1, 7])).to(tell.choice(list(DTYPES.values())))
        case 6:
            return {tell.choice(WORDS): anything(tell, depth + 1) for _ in range(tell.randrange(4))}
        case 7:
            return tuple(anything(tell, depth + 1) for _ in range(tell.randrange(4)))
    return [anything(tell, depth + 1) for _ in range(tell.randrange(4))]


def exchanged(value: Any, tell: random.Random) -> Any:
    """Return a value with one part of it exchanged for anything, mostly something of its own kind."""
    match value:
        case dict() if value and tell.random() < 0.9:
            chosen = tell.choice(list(value))
            return {key: exchanged(item, tell) if key == chosen else plain(item) for key, item in value.items()}
        case list() if value and tell.random() < 0.9:
            at = tell.randrange(len(value))
            return [exchanged(item, tell) if number == at else plain(item) for number, item in enumerate(value)]
        case bool():
            return not value
        case int() | float() if tell.random() < 0.8:
            return tell.choice(NUMBERS)
        case str() if tell.random() < 0.8:
            return tell.choice(WORDS)
        case RemoteTensor() if tell.random() < 0.5:
            held = value.values
            return tell.choice(
                [held.double(), held * 2, held.unsqueeze(0), held[..., :1], held.mT if held.dim() > 1 else -held]
            )
    return anything(tell, 0)


def plain(value: Any) -> Any:
    """Return a value as it is sent: a tensor is only its numbers."""
    match value:
        case RemoteTensor():
            return value.values
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list() | tuple():
            return type(value)(plain(item) for item in value)
    return value


def _refuse(value: object) -> RemoteObject:
    raise TypeError(f"a lie holds a {type(value).__name__}, which does not travel")
