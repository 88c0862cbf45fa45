"""How long we wait for GitHub: this module has every pause, and the sum that all of them together may reach."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from graders.engine.deliver.github.failure import GitHubError

BETWEEN_WRITES = 1.0
"""Seconds from the end of a write to the next one: what GitHub asks of whoever creates content."""
FIRST_PAUSE = 1.0
"""Seconds before the second try of something that failed; doubled before each further one."""
UNTOLD_PAUSE = 60.0
"""Seconds after a refusal for a rate limit that names no time; doubled as well."""
MOST_WAITING = 240.0
"""Seconds that all pauses after failures may take together. A limit that lasts longer is for a later run."""

SECONDS = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the time comes from, so that tests need none."""

    now: Callable[[], float]
    """Seconds since 1970, as GitHub says when a limit ends."""
    monotonic: Callable[[], float]
    sleep: Callable[[float], None]


SYSTEM_CLOCK = Clock(time.time, time.monotonic, time.sleep)


class Pace:
    """Holds one conversation to the pauses above."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._waited = 0.0
        self._last_write: float | None = None

    def before_write(self) -> None:
        """Wait until the last write is long enough ago."""
        if self._last_write is not None:
            left = self._last_write + BETWEEN_WRITES - self.clock.monotonic()
            if left > 0:
                self.clock.sleep(left)

    def after_write(self) -> None:
        """Take note of the end of a write, however it ended."""
        self._last_write = self.clock.monotonic()

    def retry(self, attempt: int, reason: str) -> None:
        """Wait before another try of what failed at this attempt, counted from 0; raises as `wait` does."""
        self.wait(FIRST_PAUSE * 2**attempt, reason)

    def wait(self, seconds: float, reason: str) -> None:
        """Wait because of that; raises GitHubError where all pauses together would be too long."""
        if self._waited + seconds > MOST_WAITING:
            raise GitHubError(
                f"{reason}; another try makes sense in {seconds:.0f} seconds, which is longer than this command waits "
                f"({MOST_WAITING:.0f} seconds in all); run it again later"
            )
        self._waited += seconds
        self.clock.sleep(seconds)

    def asked_pause(self, headers: Mapping[str, str], attempt: int) -> float:
        """Return the seconds that an answer asks us to wait: what it names, and a second for the rounding."""
        after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
        if SECONDS.fullmatch(after):
            return max(1.0, float(after))
        if headers.get("x-ratelimit-remaining") == "0" and SECONDS.fullmatch(reset):
            return max(1.0, float(reset) - self.clock.now() + 1)
        return UNTOLD_PAUSE * 2.0**attempt
