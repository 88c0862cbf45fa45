"""Workers forked by one host process that has imported torch already (Linux): about 3 ms each."""

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graders.engine.run.isolation import Isolation
from graders.engine.run.launch import START_SECONDS, HostFailed, command, environment

if TYPE_CHECKING:
    from graders.engine.run.connection import Connection, End

ANSWER_SECONDS = 30
"""How long a host that is up may take for an answer, which is a matter of milliseconds unless somebody stopped it."""


class ForkingSupply:
    """Starts the host at once and asks it for workers; the first request waits until it is up."""

    def __init__(self, isolation: Isolation) -> None:
        self.isolation = isolation
        self._host = Host()

    def start(self, memory_mib: int) -> "Connection":
        """Ask the host for a fork and return the line to it. One that was up and is gone is replaced.

        Student code, or the system for want of memory, has killed it. The next worker need not suffer for that.
        """
        if self._host.is_gone():
            self._replace_host()
        try:
            connection = self._fork(memory_mib)
        except HostFailed:
            if not self._host.was_up:
                raise  # nor would another one start
            self._replace_host()
            connection = self._fork(memory_mib)
        return self.isolation.admit(connection)

    def _replace_host(self) -> None:
        self._host.close()
        self._host = Host()

    def _fork(self, memory_mib: int) -> "Connection":
        from graders.engine.run.connection import Connection

        host = self._host
        with contextlib.ExitStack() as if_it_fails:
            line, their_line = socket.socketpair()
            output, their_output = socket.socketpair()
            if_it_fails.enter_context(line)
            if_it_fails.enter_context(output)
            with their_line, their_output:
                pid = host.fork(memory_mib, self.isolation.layers, their_line, their_output)
            if_it_fails.pop_all()
        return Connection(line, output, lambda: host.kill_and_reap(pid))

    def close(self) -> None:
        """End the host, and with it all workers."""
        self._host.close()


class Host:
    """The judge's end of one host process. Every method but `close` raises HostFailed where it does not answer."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*command("host"), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=environment(),
                stdin=subprocess.DEVNULL,
                cwd="/",
            )
        ours.settimeout(START_SECONDS)
        self._control = ours
        self.was_up = False

    def is_gone(self) -> bool:
        """Return whether the process has ended."""
        return self._process.poll() is not None

    def fork(self, memory_mib: int, layers: Sequence[str], line: socket.socket, output: socket.socket) -> int:
        """Return the process id of a new worker that speaks on `line` and prints to `output`."""
        if not self.was_up:
            self._hear()
            self.was_up = True
            self._control.settimeout(ANSWER_SECONDS)
        answer = self._ask({"do": "fork", "memory_mib": memory_mib, "layers": layers}, [line.fileno(), output.fileno()])
        return int(answer["pid"])

    def kill_and_reap(self, pid: int) -> "End":
        """Kill a worker's whole group. The host has not reaped it yet, so the number is still its own."""
        from graders.engine.run.connection import End

        killed = End(-signal.SIGKILL)
        if self._control.fileno() == -1:
            return killed  # by the host, when it was closed
        for kill in (os.killpg, os.kill):
            # It may not yet, or no longer, be the leader of a group.
            with contextlib.suppress(ProcessLookupError):
                kill(pid, signal.SIGKILL)
        try:
            answer = self._ask({"do": "reap", "pid": pid})
        except HostFailed:
            return End(-signal.SIGKILL, with_host=True)  # `start` sees to a new one
        return End(os.waitstatus_to_exitcode(int(answer["status"])), float(answer["cpu_seconds"]))

    def close(self) -> None:
        """Close the control line, upon which the host kills its workers and ends."""
        if not self.was_up:
            # Still importing torch: it has no workers, and must not find the line closed when it says that it is up.
            self._process.kill()
        self._control.close()
        try:
            self._process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], descriptors)
        except OSError as error:
            raise self._failed(f"the host process is gone ({error})") from None
        return self._hear()

    def _hear(self) -> dict[str, Any]:
        try:
            data = self._control.recv(4096)
        except OSError as error:
            raise self._failed(f"the host process does not answer ({error})") from None
        if not data:
            raise self._failed("the host process ended; what it printed stands above")
        answer: dict[str, Any] = json.loads(data)
        if "problem" in answer:
            raise self._failed(answer["problem"])
        return answer

    def _failed(self, why: str) -> HostFailed:
        """End a host that failed once, so that everyone sees that it is gone."""
        self._process.kill()
        self._process.wait()
        return HostFailed(why)
