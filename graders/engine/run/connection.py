"""The judge's end of one worker: give an order, await its answer until the deadline, keep what it prints, kill it."""

import itertools
import secrets
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from graders.engine.run.answer_forms import has_form
from graders.engine.run.launch import HostFailed
from graders.engine.run.sandbox.restrict import Report
from graders.engine.run.student_file import FAMILIES, MAX_FRAMES
from graders.engine.run.values import MAX_INT, RemoteObject, cut_text, pack, unpack
from graders.engine.run.wire import Closed, DeadlinePassed, Message, WireError, encode, receive, send

KEPT_OUTPUT_BYTES = 64 << 10
READ_BYTES = 64 << 10
READS_AT_ONCE = 16
FAMILY_NAMES = [family.__name__ for family in FAMILIES]


@dataclass(frozen=True, slots=True)
class End:
    """How a worker ended: exit code (negative for a signal, as in subprocess) and CPU seconds where known.

    `with_host`: the process that it was forked from ended first, and took it along.
    """

    exit_code: int
    cpu_seconds: float | None = None
    with_host: bool = False


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
        self.report: Report
        line.setblocking(False)
        output.setblocking(False)

    def wait_ready(self, timeout: float) -> Report:
        """Wait until the worker has restricted itself; return, and keep, what it reports. Raises HostFailed.

        It has seen nothing of a submission yet, so that what it says is our own word.
        """
        try:
            message = self._guarded(lambda: self._receive(time.monotonic() + timeout))
        except WorkerLost as lost:
            printed = self.take_output().decode("utf-8", "replace")
            raise HostFailed(f"a worker was lost before its first order ({lost}); it printed: {printed}") from None
        self.report = Report(**message.fields["ready"])
        return self.report

    def order(self, name: str, arguments: dict[str, Any], deadline: float) -> Any:
        """Return the worker's answer to one order: a value, or Raised. Raises WorkerLost, or HostFailed."""
        tensors: list[torch.Tensor] = []
        packed = {key: pack(value, tensors, _refuse) for key, value in arguments.items()}
        # A frame written in advance by student code cannot know this number.
        number = f"{next(self._numbers)}-{secrets.token_hex(8)}"
        fields = {"id": number, "order": name, "arguments": packed, "label": arguments.get("label", "")}
        frame = encode(fields, tensors)

        def exchange() -> Any:
            send(self._line, frame, deadline)
            return read_answer(self._receive(deadline), number, name, arguments)

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
            end = self._end()
            if end.with_host:
                raise HostFailed(
                    "the host process was killed while student code ran, perhaps for want of memory"
                ) from None
            raise WorkerLost("crashed", end) from None

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
        for _ in range(READS_AT_ONCE):
            try:
                data = self._output.recv(READ_BYTES)
            except BlockingIOError:
                break
            except OSError:
                return False  # closed with a reset, which is the worker's doing and no fault of the machine
            if not data:
                return False
            self._kept += data[: KEPT_OUTPUT_BYTES - len(self._kept)]
        return True


def _refuse(value: object) -> RemoteObject:
    raise TypeError(f"a check gave a {type(value).__name__}, which cannot travel to a worker")


def read_answer(message: Message, number: str, order: str, arguments: dict[str, Any]) -> Any:
    """Return the answer in a message, of the form that answers to this order have, or Raised; else raise WireError."""
    match message.fields:
        case {"id": str(answered), "raised": data, **more} if answered == number and not more:
            return _read_raised(data)
        case {"id": str(answered), "value": data, **more} if answered == number and not more:
            value = unpack(data, message.tensors)
            if has_form(order, arguments, value):
                return value
            raise WireError(f"an answer to {order} has not the form of one")
    raise WireError("an answer to another order, or none")


def _read_raised(data: Any) -> Raised:
    match data:
        case {
            "type": str(type_name), "families": list(families), "message": str(message), "line": line,
            "frames": list(frames), **more,
        } if not more and _may_be_line(line):  # fmt: skip
            known = len(families) <= len(FAMILY_NAMES) and all(family in FAMILY_NAMES for family in families)
            if known and len(frames) <= MAX_FRAMES and all(map(_is_frame, frames)):
                told = tuple((number, cut_text(name)) for number, name in frames if _is_line(number))
                line = line if _is_line(line) else None
                return Raised(cut_text(type_name), tuple(families), cut_text(message), line, told)
    raise WireError("an exception is not described as one")


def _is_frame(frame: Any) -> bool:
    return isinstance(frame, list) and len(frame) == 2 and _may_be_line(frame[0]) and isinstance(frame[1], str)


def _may_be_line(number: Any) -> bool:
    """Return whether Python may say this of where something happened: nothing, or any whole number it was told."""
    return number is None or type(number) is int


def _is_line(number: int | None) -> bool:
    return number is not None and 0 < number < MAX_INT
