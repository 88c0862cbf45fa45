"""What a check found out about a submission: a verdict and the words that explain it."""

import enum
from dataclasses import dataclass


class Verdict(enum.StrEnum):
    """How a check ended. Only ``pass`` and ``broken`` earn points, and ``marked`` those that the person gave."""

    PASS = "pass"
    FAIL = "fail"
    """An answer came and it was not the expected one."""
    ERROR = "error"
    """The student's code raised."""
    TODO = "todo"
    """The stub's NotImplementedError was still there."""
    TIMEOUT = "timeout"
    """The deadline passed and the worker was killed."""
    CRASHED = "crashed"
    """The worker ended by itself: exit, signal, out of memory."""
    BLOCKED = "blocked"
    """Not run, since a check that it needs did not pass."""
    WAITING = "waiting"
    """A person grades this, and has not yet."""
    MARKED = "marked"
    """A person graded this."""
    BROKEN = "broken"
    """The check itself failed: the grader's fault, which costs the student nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check's result on one submission."""

    slug: str
    check: str
    title: str
    objective: str
    visibility: str
    verdict: Verdict
    expected: str = ""
    got: str = ""
    hint: str = ""
    line: int | None = None
    seconds: float = 0.0
    output: str = ""
    notes: tuple[str, ...] = ()
    """What loading the submission for this check left out or ran into."""
