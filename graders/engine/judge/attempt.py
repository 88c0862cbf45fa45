"""One exercise of one submission under judgement: its worker, its clock, and what it was doing when it ended."""

import time
from pathlib import Path
from typing import Any

import torch

from graders.engine.clean import clean
from graders.engine.load.rubric import Limits
from graders.engine.load.submission import ExerciseFile
from graders.engine.run.connection import Connection, End, WorkerLost
from graders.engine.run.raised import Raised
from graders.engine.run.supply import WorkerSupply

LOADING = "loading the file"
EXPLAIN_SECONDS = 1.0
"""What a question about the file itself may take, after a check is over."""
MOST_NOTES = 20


class StudentRaised(Exception):
    """The student's code raised an exception while the judge asked it something."""

    def __init__(self, doing: str, raised: Raised) -> None:
        super().__init__(f"{raised.type_name} while {doing}")
        self.doing = doing
        self.raised = raised


class StudentLost(Exception):
    """The student's process had to be killed, or ended by itself, while the judge asked it something."""

    def __init__(self, doing: str, reason: str, end: End) -> None:
        super().__init__(f"{reason} while {doing}")
        self.doing = doing
        self.reason = reason
        self.end = end


class Attempt:
    """Holds at most one worker at a time: the same for all checks until it dies, then a new one."""

    def __init__(self, supply: WorkerSupply, limits: Limits, file: ExerciseFile) -> None:
        self.file = file
        self.limits = limits
        self.loads = True
        """False once the file could not be loaded: no later check can do better."""
        self.names: tuple[str, ...] = ()
        """The public names that the file defines."""
        self.notes: tuple[str, ...] = ()
        """What loading the file left out or ran into; a notebook's cells fail one by one."""
        self.asked: tuple[str, str] | None = None
        """Class and method that the latest order was about."""
        self.lines: dict[tuple[str, str], int] = {}
        """Where classes and methods begin, as far as the worker has told."""
        self._supply = supply
        self._connection: Connection | None = None
        self._holds_given = False
        self._deadline = 0.0

    def begin_check(self) -> None:
        """Start the clock, with a worker that has loaded the file."""
        self.asked = None
        if self._connection is not None and self._connection.alive:
            self._deadline = time.monotonic() + self.limits.seconds
            return
        # The worker's own start is not the student's time.
        self._connection = self._supply.start(self.limits.memory_mib)
        self._holds_given = False
        self._deadline = time.monotonic() + self.limits.seconds
        file = self.file
        source = torch.frombuffer(bytearray(file.source) or bytearray(b"\n"), dtype=torch.uint8)
        notebook: dict[str, Any] = {}
        if file.cells:
            cells = [[cell.number, cell.first_line, int(cell.mine)] for cell in file.cells]
            notebook = {"cells": cells, "wanted": list(file.wanted)}
        try:
            loaded = self.order("load", LOADING, source=source, name=file.slug, label=file.label, **notebook)
        except (StudentRaised, StudentLost):
            self.loads = False
            raise
        self.names = tuple(loaded["names"])
        self.notes = tuple(clean(note) for note in loaded["notes"][:MOST_NOTES])

    def give(self, path: Path) -> None:
        """See that the worker holds the course's own file at this path; RuntimeError where it can't be loaded."""
        if self._holds_given:
            return
        source = torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8)
        answer = self.try_order("give", f"loading {path.name}", source=source, label=path.name)
        if isinstance(answer, Raised):
            raise RuntimeError(f"{path.name} could not be loaded: {answer.type_name}: {answer.message}")
        self._holds_given = True

    def order(self, name: str, doing: str, /, **arguments: Any) -> Any:
        """Return the worker's answer; raises StudentRaised or StudentLost."""
        answer = self.try_order(name, doing, **arguments)
        if isinstance(answer, Raised):
            raise StudentRaised(doing, answer)
        return answer

    def try_order(self, name: str, doing: str, /, **arguments: Any) -> Any:
        """Return the worker's answer, which may be Raised; raises StudentLost."""
        assert self._connection is not None, "an order came before begin_check"
        try:
            return self._connection.order(name, arguments, self._deadline)
        except WorkerLost as lost:
            raise StudentLost(doing, lost.reason, lost.end) from None

    def describe(self, name: str) -> dict[str, Any]:
        """Return what a name is in the file, and remember on which lines it and its methods begin."""
        facts: dict[str, Any] = self.order("describe", f"looking for {name}", name=name)
        for method, line in facts["lines"].items():
            self.lines[name, method] = line
        return facts

    def explain(self, name: str, /, **arguments: Any) -> Any:
        """Return the answer to a question about the file after a check, or None where the worker can't give one."""
        if self._connection is None or not self._connection.alive:
            return None
        self._deadline = time.monotonic() + EXPLAIN_SECONDS
        try:
            answer = self.try_order(name, "explaining", **arguments)
        except StudentLost:
            return None
        return None if isinstance(answer, Raised) else answer

    def take_output(self) -> bytes:
        """Return what the student's code printed since the last call."""
        return self._connection.take_output() if self._connection is not None else b""

    def close(self) -> None:
        """End the worker; the next check gets a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
