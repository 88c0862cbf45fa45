"""What ended a check, put into a verdict and words for the student."""

import re
import signal
from dataclasses import dataclass

from graders.engine.clean import clean
from graders.engine.judge.attempt import LOADING, Attempt, StudentLost, StudentRaised
from graders.engine.judge.expect import Unexpected
from graders.engine.judge.hints import hint_for
from graders.engine.judge.outcome import Verdict
from graders.engine.judge.written.answers import Unanswered
from graders.engine.load.rubric import Limits
from graders.engine.run.connection import End
from graders.engine.run.raised import Raised

SIGKILL = 9  # Windows has no name for it, and no exit codes below zero
TODO = re.compile(r"TODO (\d+)")
ASKED_FOR = re.compile(r"tried to allocate (\d{1,20}) bytes")
ALLOCATION_FAILED = re.compile(r"can't allocate memory|not enough memory|DefaultCPUAllocator|Unable to allocate")


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict and its words; the line is one of the student's file."""

    verdict: Verdict
    expected: str = ""
    got: str = ""
    hint: str = ""
    line: int | None = None


def find(error: BaseException | None, attempt: Attempt, *, trace: bool) -> Finding:
    """Return what a check's end means. Anything but the student's doing is the grader's fault: broken."""
    match error:
        case None:
            return Finding(Verdict.PASS)
        case Unexpected():
            line = error.line or _line_asked_about(attempt)
            return Finding(Verdict.FAIL, error.expected, error.got, error.hint, line)
        case Unanswered():
            got = "\n".join(f"{question} is not answered yet" for question in error.questions)
            return Finding(Verdict.TODO, got=got)
        case StudentRaised():
            return _raised(error.doing, error.raised, attempt, trace=trace)
        case StudentLost():
            return _lost(error, attempt)
    return Finding(
        Verdict.BROKEN,
        got=clean(f"the check itself failed: {type(error).__name__}: {error}"),
        hint="This is the grader's fault, not yours, and costs you nothing. Please tell the course staff.",
    )


def unreadable(problem: str) -> Finding:
    """Return what a file means that could not be read at all."""
    return Finding(Verdict.ERROR, "a file that can be read", problem)


def _line_asked_about(attempt: Attempt) -> int | None:
    """Return the line on which the method begins that the check's latest order was about."""
    return attempt.lines.get(attempt.asked) if attempt.asked is not None else None


def _raised(doing: str, raised: Raised, attempt: Attempt, *, trace: bool) -> Finding:
    todo = TODO.match(raised.message) if "NotImplementedError" in raised.families else None
    if todo:
        return _todo(int(todo[1]), raised, attempt)
    message = clean(f"{raised.type_name}: {raised.message}" if raised.message else raised.type_name)
    got = f"{message} (while {doing})" if len(message) < 300 else message
    # What failed before a line of the student's ran, such as a call that doesn't fit, has no line of its own.
    line = raised.line or _line_asked_about(attempt)
    if trace and raised.frames:
        got += "\n" + "\n".join(f"line {line}, in {clean(name, 60)}" for line, name in raised.frames)
    if "MemoryError" in raised.families or ALLOCATION_FAILED.search(raised.message):
        return _out_of_memory(got, line, attempt.limits)
    return Finding(Verdict.ERROR, "no exception", got, hint_for(raised, attempt, loading=doing == LOADING), line)


def _todo(number: int, raised: Raised, attempt: Attempt) -> Finding:
    """Name this TODO, and the ones after it that are still open in the same class or function."""
    homes: dict[int, int] = dict(attempt.explain("open_todos") or ())
    later = sorted(n for n, home in homes.items() if n > number and home == homes.get(number))
    got = "\n".join(f"TODO {n} is not done yet" for n in [number, *later])
    return Finding(Verdict.TODO, got=got, line=raised.line)


def _out_of_memory(got: str, line: int | None, limits: Limits) -> Finding:
    if asked := ASKED_FOR.search(got):
        got = f"{int(asked[1]) / (1 << 20):.0f} MiB asked for at once"
    hint = "Look for a size that grows with the product of two others, or for numbers that were exchanged."
    return Finding(Verdict.CRASHED, f"at most {limits.memory_mib} MiB of memory", got, hint, line)


def _lost(lost: StudentLost, attempt: Attempt) -> Finding:
    line = _line_asked_about(attempt)
    if lost.reason == "timeout":
        return Finding(
            Verdict.TIMEOUT,
            f"an answer within {attempt.limits.seconds:g} s",
            f"none: your code was stopped while {lost.doing}",
            "Look for a loop that doesn't end, or for work that grows much faster than the input.",
            line,
        )
    return Finding(
        Verdict.CRASHED,
        "an answer",
        f"none: your process {_ending(lost.end)} while {lost.doing}",
        HINT_SIGNAL if lost.end.exit_code < 0 else HINT_EXIT,
        line,
    )


HINT_EXIT = "Return the result instead of ending the program; nothing in the exercise needs exit(), os or processes."
HINT_SIGNAL = "Remove ctypes, os, sockets and sys.setrecursionlimit() if your code uses any: the exercise needs none."


def _ending(end: End) -> str:
    if end.exit_code == -SIGKILL:
        # By us, after it closed its line to the judge or wrote something else on it; or by the system.
        return "was cut off, as it sent nothing that the grader can read,"
    if end.exit_code < 0:
        return f"was ended by signal {-end.exit_code} ({signal.strsignal(-end.exit_code) or 'unknown'})"
    return f"ended by itself with exit code {end.exit_code}"
