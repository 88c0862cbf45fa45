"""The command line, run in two ways, and its exit codes.

`CommandLine` runs it in this process, on the tests' own supply: all of it but a start, which imports torch twice over.
What only a process of its own can show is asked of one, with `command` or `grade`.
"""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from graders.engine.cli.app import main
from graders.engine.run import supply
from graders.engine.run.isolation import Isolation
from graders.engine.run.supply import WorkerSupply

ROOT = Path(__file__).parents[1]
ALL_PASSED, NOT_ALL_PASSED, NOTHING_GRADED, GRADERS_FAULT, NO_SANDBOX = 0, 1, 2, 3, 4


def grade(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command `grade` in a folder, in a process of its own."""
    return command(folder, "grade", *arguments, **variables)


def command(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run any command in a folder, in a process of its own; no stack trace may come out of it."""
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    done = subprocess.run(
        [sys.executable, "-m", "graders", *map(str, arguments)],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


@dataclass(frozen=True)
class Ended:
    """How a command ended, in the words of `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str


class Stream(io.TextIOWrapper):
    """A stream of UTF-8 that nobody sees, as a pipe is."""

    def __init__(self) -> None:
        self._held = io.BytesIO()
        super().__init__(self._held, encoding="utf-8", newline="\n")

    def text(self) -> str:
        """Return what was written."""
        self.flush()
        return self._held.getvalue().decode()


class Lent:
    """A supply that a command may close without ending it for the others."""

    def __init__(self, owned: WorkerSupply) -> None:
        self.isolation = owned.isolation
        self.start = owned.start

    def close(self) -> None:
        """Leave it open: it is another's."""


@dataclass(frozen=True)
class CommandLine:
    """Runs commands with workers of one supply."""

    supply: WorkerSupply

    def grade(self, folder: Path, *arguments: object, **variables: str) -> Ended:
        """Run the command `grade` in a folder."""
        return self.run(folder, "grade", *arguments, **variables)

    def run(self, folder: Path, *arguments: object, **variables: str) -> Ended:
        """Run any command in a folder, as if nobody were at a terminal; no stack trace may come out of it."""
        printed, errors = Stream(), Stream()

        def lend(isolation: Isolation) -> Lent:
            patch.setattr(self.supply, "isolation", isolation)
            return Lent(self.supply)

        with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed), redirect_stderr(errors):
            patch.chdir(folder)
            patch.setattr(sys, "argv", ["grade", *map(str, arguments)])
            patch.setattr(supply, "start_supply", lend)
            for name in {"NO_COLOR", "FORCE_COLOR"} & set(os.environ):
                patch.delenv(name)
            for name, value in {"COLUMNS": "80", **variables}.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as end:
                main()
        assert "Traceback" not in printed.text() + errors.text()
        return Ended(int(end.value.code or 0), printed.text(), errors.text())
