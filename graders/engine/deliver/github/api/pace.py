"""How long we wait for GitHub: this module has every pause, and the time that a whole conversation may take."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from graders.engine.deliver.github.api.failure import GitHubError
from graders.engine.deliver.github.clock import Clock

BETWEEN_WRITES = 1.0
"""Seconds from the end of a write to the next one: what GitHub asks of whoever creates content."""
FIRST_PAUSE = 1.0
"""Seconds before the second try of something that failed; doubled before each further one."""
UNTOLD_PAUSE = 60.0
"""Seconds after a refusal for a rate limit that names no time; doubled as well."""
MOST_SECONDS = 150.0
"""Of a conversation about one submission, answers and pauses together: a job that runs out of its time is cancelled,
and says nothing.

A limit that lasts longer is for a later run.
"""

SECONDS = re.compile(r"[0-9]{1,12}")


class Pace:
    """Holds one conversation, which begins now, to the figures above."""

    def __init__(self, clock: Clock, seconds: float = MOST_SECONDS) -> None:
        self._clock = clock
        self._seconds = seconds
        self._end = clock.monotonic() + seconds
        self._last_write: float | None = None
        self.requests_left: int | None = None
        """How many GitHub still answers before a rate limit ends, as far as it has said so."""

    @contextmanager
    def keeping(self, seconds: float) -> Iterator[None]:
        """Keep so many of the seconds for what is done afterwards."""
        self._end -= seconds
        try:
            yield
        finally:
            self._end += seconds

    def heard(self, headers: Mapping[str, str]) -> None:
        """Take note of what an answer says about the rate limit."""
        left = headers.get("x-ratelimit-remaining", "")
        if SECONDS.fullmatch(left):
            self.requests_left = int(left)

    def before_write(self) -> None:
        """Wait until the last write is long enough ago."""
        if self._last_write is not None:
            left = self._last_write + BETWEEN_WRITES - self._clock.monotonic()
            if left > 0:
                self._clock.sleep(left)

    def after_write(self) -> None:
        """Take note of the end of a write, however it ended."""
        self._last_write = self._clock.monotonic()

    def seconds_left(self, what: str) -> float:
        """Return how long an answer may take; raises GitHubError where no time is left to ask for it."""
        left = self._end - self._clock.monotonic()
        if left <= 0:
            raise GitHubError(
                f"GitHub did not {what}: it was not asked, as {self._seconds:.0f} seconds had gone by then, "
                "which is how long this command waits; run it again later"
            )
        return left

    def wait(self, seconds: float, reason: str) -> None:
        """Wait because of that; raises GitHubError where the conversation would be too long."""
        if self._clock.monotonic() + seconds >= self._end:
            raise GitHubError(
                f"{reason}; another try makes sense in {seconds:.0f} seconds, which is longer than this command waits "
                f"({self._seconds:.0f} seconds in all); run it again later"
            )
        self._clock.sleep(seconds)

    def asked_pause(self, headers: Mapping[str, str], attempt: int) -> float:
        """Return the seconds that an answer asks us to wait: what it names, and a second for the rounding."""
        after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
        if SECONDS.fullmatch(after):
            return max(1.0, float(after))
        if headers.get("x-ratelimit-remaining") == "0" and SECONDS.fullmatch(reset):
            return max(1.0, float(reset) - self._clock.now() + 1)
        return UNTOLD_PAUSE * 2.0**attempt


def usual_pause(attempt: int) -> float:
    """Return the seconds before another try of what failed at this attempt, counted from 0."""
    return FIRST_PAUSE * 2.0**attempt
