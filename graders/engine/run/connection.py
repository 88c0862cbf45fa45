"""The judge's end of one worker: give an order, await its answer until the deadline, keep what it prints, kill it."""

import contextlib
import itertools
import secrets
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from graders.engine.run.values import RemoteObject, clean_text, pack, unpack
from graders.engine.run.wire import Closed, DeadlinePassed, Message, WireError, encode, receive, send

KEPT_OUTPUT_BYTES = 64 << 10
READ_BYTES = 64 << 10
READS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class End:
    """How a worker ended: exit code (negative for a signal, as in subprocess) and CPU seconds where known."""

    exit_code: int
    cpu_seconds: float | None = None


class WorkerLost(Exception):
    """The worker is gone: killed at the deadline ("timeout"), or ended by itself ("crashed")."""

    def __init__(self, reason: str, end: End) -> None:
        super().__init__(f"{reason}, exit code {end.exit_code}")
        self.reason = reason
        self.end = end


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of the student's, as far as plain data can tell it."""

    type_name: str
    families: tuple[str, ...]
    message: str
    line: int | None
    frames: tuple[tuple[int, str], ...]


class Connection:
    """One living worker. `kill_and_reap` is how its supplier ends it and learns how it ended."""

    def __init__(self, line: socket.socket, output: socket.socket, kill_and_reap: Callable[[], End]) -> None:
        self._line = line
        self._output = output
        self._kill_and_reap = kill_and_reap
        self._kept = bytearray()
        self._numbers = itertools.count()
        self.alive = True
        line.setblocking(False)
        output.setblocking(False)

    def wait_ready(self, timeout: float) -> None:
        """Wait until the worker says that its restrictions hold; raises WorkerLost or OSError."""
        message = self._guarded(lambda: self._receive(time.monotonic() + timeout))
        if message.fields.get("ready") is not True:
            self.close()
            raise OSError(f"a worker could not restrict itself: {message.fields.get('problem')}")

    def order(self, name: str, arguments: dict[str, Any], deadline: float) -> Any:
        """Return the worker's answer to one order: a value, or Raised. Raises WorkerLost."""
        tensors: list[torch.Tensor] = []
        packed = {key: pack(value, tensors, _refuse) for key, value in arguments.items()}
        # A frame written in advance by student code cannot know this number.
        number = f"{next(self._numbers)}-{secrets.token_hex(8)}"
        fields = {"id": number, "order": name, "arguments": packed, "label": arguments.get("label", "")}
        frame = encode(fields, tensors)

        def exchange() -> Any:
            send(self._line, frame, deadline)
            message = self._receive(deadline)
            if message.fields.get("id") != number:
                raise WireError("an answer to another order")
            return _read_answer(message)

        return self._guarded(exchange)

    def take_output(self) -> bytes:
        """Return what the worker printed since the last call, at most 64 KiB of it."""
        if self.alive:
            self._drain()
        taken = bytes(self._kept)
        self._kept.clear()
        return taken

    def close(self) -> End | None:
        """End the worker if it still runs."""
        if not self.alive:
            return None
        self.alive = False
        end = self._kill_and_reap()
        self._drain()
        self._output.close()
        self._line.close()
        return end

    def _guarded(self, exchange: Callable[[], Any]) -> Any:
        """Run one exchange; if it fails, the worker is of no more use."""
        try:
            return exchange()
        except DeadlinePassed:
            raise WorkerLost("timeout", self._end()) from None
        except (Closed, WireError):
            raise WorkerLost("crashed", self._end()) from None

    def _end(self) -> End:
        end = self.close()
        assert end is not None, "a worker was used after its end"
        return end

    def _receive(self, deadline: float) -> Message:
        """Wait for an answer while reading what the worker prints, so that neither blocks the other."""
        watched = [self._line, self._output]
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise DeadlinePassed
            ready, _, _ = select.select(watched, [], [], left)
            if self._output in ready and not self._drain():
                watched = [self._line]
            if self._line in ready:
                return receive(self._line, deadline)

    def _drain(self) -> bool:
        """Read a bounded part of what lies in the output; False once the other end is closed."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(READS_AT_ONCE):
                data = self._output.recv(READ_BYTES)
                if not data:
                    return False
                self._kept += data[: KEPT_OUTPUT_BYTES - len(self._kept)]
        return True


def _refuse(value: object) -> RemoteObject:
    raise TypeError(f"a check gave a {type(value).__name__}, which cannot travel to a worker")


def _read_answer(message: Message) -> Any:
    fields = message.fields
    if "raised" in fields:
        return _read_raised(fields["raised"])
    if "value" not in fields:
        raise WireError("an answer without a value")
    return unpack(fields["value"], message.tensors)


def _read_raised(data: Any) -> Raised:
    match data:
        case {
            "type": str(type_name),
            "families": list(families),
            "message": str(message),
            "line": None | int() as line,
            "frames": list(frames),
        } if all(isinstance(family, str) for family in families):
            told = tuple((number, clean_text(function)) for number, function in filter(_is_frame, frames))
            known = tuple(clean_text(family) for family in families)
            return Raised(clean_text(type_name), known, clean_text(message), line, told)
    raise WireError("an exception is not described as one")


def _is_frame(frame: Any) -> bool:
    return isinstance(frame, list) and len(frame) == 2 and type(frame[0]) is int and isinstance(frame[1], str)
