"""How far a class is: a bar where somebody watches a terminal, and a line now and then everywhere else."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as RichProgress

from graders.engine.clean import log_text

LINE_SECONDS = 30.0
"""Between two lines."""


class Progress(Protocol):
    """Is told what happens to a class, and shows how far it is."""

    def __enter__(self) -> Self:
        """Begin to show it."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Show nothing more."""

    def expect(self, students: int) -> None:
        """So many students are to come."""

    def advance(self) -> None:
        """One of them is done, without having been judged now."""

    def advance_by_grading(self) -> None:
        """One of them has been judged."""

    def put_off(self, words: str) -> None:
        """One of them failed for this reason, and is tried once more at the end."""


class Pace:
    """How long it takes, by how long it took: those that were graded before cost nothing and count for nothing."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._graded = 0
        self.students = 0
        self.done = 0

    def step(self, *, graded: bool) -> None:
        """Count one more."""
        self.done += 1
        self._graded += graded

    def left(self) -> str:
        """Return what is left at most, in words; nothing before anybody can tell."""
        if not self._graded or self.done == self.students:
            return ""
        seconds = (self._clock() - self._began) / self._graded * (self.students - self.done)
        return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"


class Lines:
    """Progress in lines, for a log."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._pace = Pace(clock)
        self._last = clock()

    def __enter__(self) -> Self:
        """Say nothing yet."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Say nothing more: the summary follows."""

    def expect(self, students: int) -> None:
        """Say how many there are."""
        self._pace.students = students
        self._say(f"A class of {students}")

    def advance(self) -> None:
        """Count one."""
        self._step(graded=False)

    def advance_by_grading(self) -> None:
        """Count one that was judged."""
        self._step(graded=True)

    def put_off(self, words: str) -> None:
        """Say why."""
        self._say(f"One failed and is tried again at the end: {words}")

    def _step(self, *, graded: bool) -> None:
        self._pace.step(graded=graded)
        if self._clock() - self._last >= LINE_SECONDS:
            self._last = self._clock()
            left = self._pace.left()
            self._say(f"{self._pace.done} of {self._pace.students} done" + (f", {left}" if left else ""))

    def _say(self, words: str) -> None:
        self._stream.write(log_text(words) + "\n")
        self._stream.flush()


class Bar:
    """Progress as a bar on a terminal."""

    def __init__(self, console: Console) -> None:
        self._pace = Pace()
        self._bar = RichProgress(
            TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"), console=console
        )
        self._task = self._bar.add_task("", total=None, left="")

    def __enter__(self) -> Self:
        """Show it."""
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Leave it as it is."""
        self._bar.stop()

    def expect(self, students: int) -> None:
        """Say how many there are."""
        self._pace.students = students
        self._bar.update(self._task, total=students)

    def advance(self) -> None:
        """Count one."""
        self._step(graded=False)

    def advance_by_grading(self) -> None:
        """Count one that was judged."""
        self._step(graded=True)

    def put_off(self, words: str) -> None:
        """Say why, above the bar."""
        said = f"One failed and is tried again at the end: {words}"
        self._bar.console.print(log_text(said), markup=False, highlight=False)

    def _step(self, *, graded: bool) -> None:
        self._pace.step(graded=graded)
        self._bar.update(self._task, completed=self._pace.done, left=self._pace.left())
