"""What happens when this process is asked to end: an exception here, so that nothing stays half done.

Without it a signal ends Python at once: whatever was started lives on, and a folder stays as it is.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Of what the system has: Windows knows no hangup.
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Ending:
    """Takes signals that ask for an end: raises SystemExit for the first, and passes over the others."""

    def __init__(self) -> None:
        self._held = False
        self._asked = 0

    def hold(self) -> None:
        """Let nothing be raised from here to `release`: between a beginning, and the `try` that takes it back."""
        self._held = True

    def release(self) -> None:
        """Raise SystemExit if an end was asked for meanwhile."""
        self._held = False
        self._end()

    def take(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if not self._asked:
            self._asked = number
            self._end()

    def _end(self) -> None:
        if self._asked and not self._held:
            raise SystemExit(128 + self._asked)  # as shells say it


@contextmanager
def orderly_end() -> Iterator[Ending]:
    """Take such signals meanwhile, but for those that this process was told to pass over."""
    ending = Ending()
    former = {number: signal.getsignal(number) for number in SIGNALS}
    taken = {number: handler for number, handler in former.items() if handler is not signal.SIG_IGN}
    try:
        for number in taken:
            signal.signal(number, ending.take)
        yield ending
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
