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

from graders.engine.run.answers import read_answer
from graders.engine.run.launch import HostFailed
from graders.engine.run.layers import Report
from graders.engine.run.values import RemoteObject, pack
from graders.engine.run.wire import Closed, DeadlinePassed, Message, WireError, encode, receive, send

KEPT_OUTPUT_BYTES = 64 << 10
READ_BYTES = 64 << 10
READS_AT_ONCE = 16


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
