"""The end of all waiting for one answer: this module holds every piece of it to one time, however it comes.

Python's client allows so much silence before each piece, and as many pieces as there are: a status line letter by
letter, a header without an end, "continue" again and again. Here each wait gets what is left of the whole.
"""

import http.client
import io
import socket
from typing import Any

from graders.engine.deliver.github.clock import Clock


class Deadline:
    """Begins now, and lets a socket wait until its end, but no longer for a single piece than for so many seconds."""

    def __init__(self, clock: Clock, seconds: float, silence: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._silence = silence
        self._end = clock.monotonic() + seconds

    def limit(self, sock: socket.socket) -> None:
        """Give a socket what is left; raises TimeoutError where nothing is."""
        left = self._end - self._clock.monotonic()
        if left <= 0:
            raise TimeoutError(f"it took longer than {self._seconds:.0f} seconds")
        sock.settimeout(min(self._silence, left))


class TimedResponse(http.client.HTTPResponse):
    """An answer of which everything is read before a deadline."""

    def __init__(self, deadline: Deadline, sock: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock, deadline))


class _Timed(io.RawIOBase):
    """What comes through a socket."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self._raw = raw
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Wait for a piece, and return its length."""
        self._deadline.limit(self._sock)
        try:
            return self._raw.readinto(buffer)
        except TimeoutError:
            self._deadline.limit(self._sock)  # says so, if it was the whole that took too long
            raise

    def close(self) -> None:
        """Close what it reads from as well: the socket ends with its last reader."""
        self._raw.close()
        super().close()
