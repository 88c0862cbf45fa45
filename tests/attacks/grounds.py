"""Where attacks are judged: a course full of secrets, a supply of workers, and whatever these processes print."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from graders.engine.load.rubric import Rubric, load_rubric
from graders.engine.run.isolation import Isolation
from graders.engine.run.layers import Report
from graders.engine.run.supply import WorkerSupply, start_supply, try_out
from tests.attacks.planted import Planted


@dataclass(frozen=True)
class Grounds:
    """A course, a supply and what its first worker reports; judge and host print to the file `printed`."""

    planted: Planted
    rubric: Rubric
    supply: WorkerSupply
    report: Report
    printed: Path

    @property
    def host(self) -> int:
        """The number of the process that workers are forked from."""
        return int(self.supply._host._process.pid)  # type: ignore[attr-defined]


@contextmanager
def grounds(planted: Planted, isolation: Isolation) -> Iterator[Grounds]:
    """Start a supply whose processes bear the mark, so that none of them can be lost from sight."""
    printed = planted.folder.with_name("printed")
    sys.path.append(str(planted.folder / planted.mark / "site-packages"))  # it becomes a part of the command line
    try:
        with printing_to(printed):
            started = start_supply(isolation)
        with closing(started) as supply:
            rubric = load_rubric(planted.course.rubric)
            report = try_out(supply, rubric.limits.memory_mib)
            yield Grounds(planted, rubric, supply, report, printed)
    finally:
        sys.path.pop()


@contextmanager
def printing_to(path: Path) -> Iterator[None]:
    """Send what this process and those that it starts print to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    os.close(file)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, original in zip((1, 2), kept, strict=True):
            os.dup2(original, descriptor)
            os.close(original)
