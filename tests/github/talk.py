"""What tests of the conversation with GitHub share: a clock that nobody waits for, a session, and the command line."""

import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from graders.engine.deliver.github import clock as clocks
from graders.engine.deliver.github.api.pace import Pace
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.api.transport import Transport
from graders.engine.deliver.github.clock import Clock
from tests.command_line import ROOT, CommandLine, Ended
from tests.workflow_rules import LIGHT

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

    @property
    def running_clock(self) -> Clock:
        """One on which real time passes as well, for what takes a part of a second."""
        return replace(self.clock, monotonic=lambda: time.monotonic() + sum(self.slept))


def talk(url: str, clock: Clock) -> Session:
    """Return a session with that server."""
    return Session(Transport(url, TOKEN, clock), Pace(clock))


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
        patch.setattr(clocks, "SYSTEM_CLOCK", waits.clock)
        # No command here needs a worker, so no supply of them is made.
        ended = CommandLine(None).run(folder, *arguments, **environment)
    assert TOKEN not in ended.stdout + ended.stderr
    return ended, waits


def run_lightly(folder: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that lacks all that the jobs which hold a token don't install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {*project["dependencies"], *project["optional-dependencies"]["staff"]}
    # The name of a package, and the one that it is imported by.
    lacking = [name.lower().replace("-", "_") for name in named if name.lower() not in LIGHT]
    assert {"torch", "pyrage"} <= set(lacking)
    start = (
        f"import sys; sys.modules.update(dict.fromkeys({lacking})); sys.argv[0] = 'grade'; "
        "from graders.engine.cli.app import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", start, *map(str, arguments)],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
