"""Where the time comes from, so that tests of what waits need none."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """The time, and the passing of it."""

    now: Callable[[], float]
    """Seconds since 1970, as GitHub says when a limit ends."""
    monotonic: Callable[[], float]
    sleep: Callable[[float], None]


SYSTEM_CLOCK = Clock(time.time, time.monotonic, time.sleep)
