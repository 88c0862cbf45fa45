"""A Dask cluster of real processes on this machine, and what each of its workers has started."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.batch.small_class import ROOT

MAIN = "from distributed.cli.dask_worker import main; main()"
STAND_IN = f"from graders.engine.batch import member_process; from tests.batch import small_class; \
member_process.CODE = small_class.CODE; {MAIN}"
"""A worker whose members judge by the words of a submission."""
OLDER = f"import graders; graders.__version__ = '0.0.1'; {MAIN}"
SECONDS = 60.0


class DaskProcesses:
    """A scheduler, and workers of one thread each; all of them end with `end`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        self.places = folder / "tmp"
        """Where its workers put what is to be there for a while."""
        self.places.mkdir()
        note = folder / "scheduler.json"
        self.scheduler = self._start(
            "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--no-show", "--scheduler-file", note,
        )  # fmt: skip
        wait_until(lambda: note.exists() and note.read_text(encoding="utf-8").rstrip().endswith("}"))
        self.address: str = json.loads(note.read_text(encoding="utf-8"))["address"]

    def add_worker(self, code: str = STAND_IN) -> subprocess.Popen[bytes]:
        """Start a worker with that program; it may take a second until it has joined."""
        return self._start(
            "-c", code, self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory",
            self._folder,
        )  # fmt: skip

    def folders(self) -> list[Path]:
        """The folders with the course that are there now."""
        return sorted(self.places.glob("*grade-course-*"))

    def end(self) -> None:
        """End all of it."""
        for process in reversed(self._started):
            process.kill()
            process.wait()

    def _start(self, *arguments: object) -> subprocess.Popen[bytes]:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.places)}
        with open(self._folder / "log.txt", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, *map(str, arguments)],
                cwd=self._folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._started.append(process)
        return process


def started_by(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the processes that this one has started, members and what keeps their folder."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(pid) for path in threads for pid in path.read_text().split()]


def wait_until(condition: Callable[[], object]) -> None:
    """Wait, but not for ever."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)
