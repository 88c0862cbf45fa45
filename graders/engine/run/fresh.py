"""Workers that are fresh processes: about two seconds each, on any system."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from graders.engine.run.isolation import Isolation
from graders.engine.run.launch import START_SECONDS, HostFailed, command, environment

if TYPE_CHECKING:
    from graders.engine.run.connection import Connection, End

TOKEN_SECONDS = 5
"""How long a caller may take to say who it is; a worker does so at once."""
PUMP_SECONDS = 1
LOOK_SECONDS = 0.2
"""How often to look whether the process that is to call still runs."""


class FreshSupply:
    """Starts a process for each worker, which calls back on a loopback port."""

    def __init__(self, isolation: Isolation) -> None:
        self.isolation = isolation
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(LOOK_SECONDS)

    def start(self, memory_mib: int) -> "Connection":
        """Start a process and wait until it calls back with the token it was given."""
        from graders.engine.run.connection import Connection

        port = str(self._listener.getsockname()[1])
        process = subprocess.Popen(
            [*command("worker"), port],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=os.sep,
            start_new_session=sys.platform != "win32",
        )
        token = secrets.token_hex(16)
        assert process.stdin is not None
        # A process that has ended by now is noticed below.
        with contextlib.suppress(OSError), process.stdin as stdin:
            stdin.write(f"{token} {memory_mib} {' '.join(self.isolation.layers)}\n".encode())
        line = self._accept(token.encode(), process)
        output, pump = _as_socket(process)
        connection = Connection(line, output, lambda: _kill_group_and_wait(process, pump))
        return self.isolation.admit(connection)

    def close(self) -> None:
        """Stop listening; each worker ends when its own line closes."""
        self._listener.close()

    def _accept(self, token: bytes, process: subprocess.Popen[bytes]) -> socket.socket:
        """Return the line of the caller that knows the token; anyone else on this machine is turned away."""
        give_up = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < give_up:
            with contextlib.suppress(TimeoutError):
                line, _ = self._listener.accept()
                if secrets.compare_digest(_receive_token(line, len(token)), token):
                    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return line
                line.close()
        process.kill()
        assert process.stdout is not None
        with process.stdout as stdout:
            printed = stdout.read().decode("utf-8", "replace")
        raise HostFailed(f"a worker process did not start (exit code {process.wait()}); it printed: {printed[-500:]}")


def _receive_token(line: socket.socket, count: int) -> bytes:
    """Return the first `count` bytes of a caller, or fewer if it is slow or hangs up."""
    data = b""
    line.settimeout(TOKEN_SECONDS)
    with contextlib.suppress(OSError):
        while len(data) < count and (more := line.recv(count - len(data))):
            data += more
    return data


def _as_socket(process: subprocess.Popen[bytes]) -> tuple[socket.socket, threading.Thread]:
    """Return a socket that gives what the process prints, and the thread that pumps it there.

    Windows cannot wait on a pipe and a socket together.
    """
    ours, theirs = socket.socketpair()

    def pump() -> None:
        assert process.stdout is not None
        with theirs, process.stdout as stdout:
            while data := os.read(stdout.fileno(), 64 << 10):
                try:
                    theirs.sendall(data)
                except OSError:
                    return  # the judge has closed its end: nobody wants the rest

    thread = threading.Thread(target=pump, daemon=True)
    thread.start()
    return ours, thread


def _kill_group_and_wait(process: subprocess.Popen[bytes], pump: threading.Thread) -> "End":
    from graders.engine.run.connection import End

    if sys.platform != "win32":
        # macOS does not find, or not permit, a group of which only an ended leader is left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    end = End(process.wait())
    # What it printed last may still be on its way. Of a flood not all arrives, and nobody need wait for it.
    pump.join(PUMP_SECONDS)
    return end
