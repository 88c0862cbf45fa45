"""What tests of the conversation with GitHub share: a clock that nobody waits for, a session, and the command line."""

from dataclasses import dataclass, field

import pytest

from graders.engine.deliver.github import pace
from graders.engine.deliver.github.pace import Clock, Pace
from graders.engine.deliver.github.session import Session
from graders.engine.deliver.github.transport import Transport
from tests.command_line import CommandLine, Ended

TOKEN = "ghs_0123456789abcdefABCDEF"
COURSE, FORK, STUDENT = "staff/course", "ada/course", "ada"
SHA, OTHER_SHA = "a" * 40, "b" * 40
RUN = 4711


@dataclass
class Waits:
    """A clock on which time passes by sleeping alone."""

    start: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return Clock(
            now=lambda: self.start + sum(self.slept), monotonic=lambda: sum(self.slept), sleep=self.slept.append
        )


def talk(url: str, waits: Waits) -> Session:
    """Return a session with that server."""
    return Session(Transport(url, TOKEN, waits.clock), Pace(waits.clock))


def variables(url: str) -> dict[str, str]:
    """Return what a job has in its environment."""
    return {
        "GITHUB_API_URL": url,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": COURSE,
        "GITHUB_RUN_ID": str(RUN),
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_STEP_SUMMARY": "",
    }


def run(folder: object, *arguments: object, **environment: str) -> tuple[Ended, Waits]:
    """Run a command in this process, without waiting; return how it ended, and for what it would have waited."""
    waits = Waits()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pace, "SYSTEM_CLOCK", waits.clock)
        # No command here needs a worker, so no supply of them is made.
        ended = CommandLine(None).run(folder, *arguments, **environment)
    assert TOKEN not in ended.stdout + ended.stderr
    return ended, waits
