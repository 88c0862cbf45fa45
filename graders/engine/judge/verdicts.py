"""What ended a check, put into a verdict and words for the student."""

import re
import signal
from dataclasses import dataclass

from graders.engine.judge.attempt import LOADING, Attempt, StudentLost, StudentRaised
from graders.engine.judge.expect import Unexpected
from graders.engine.judge.outcome import Verdict
from graders.engine.judge.words import clean
from graders.engine.load.rubric import Limits
from graders.engine.run.connection import End, Raised

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
    return Finding(Verdict.ERROR, "no exception", got, _hint(doing, raised, attempt), line)


def _todo(number: int, raised: Raised, attempt: Attempt) -> Finding:
    """Name this TODO, and the ones after it that are still open."""
    answer = attempt.explain("open_todos")
    found = answer if isinstance(answer, list) else []
    later = sorted({item[0] for item in found if isinstance(item, list) and item and type(item[0]) is int} - {number})
    got = "\n".join(f"TODO {n} is not done yet" for n in [number, *(n for n in later if n > number)])
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


def _hint(doing: str, raised: Raised, attempt: Attempt) -> str:
    families = raised.families
    missing = re.search(r"No module named '([^'.]+)", raised.message)
    if "ModuleNotFoundError" in families and missing and missing[1] in attempt.file.neighbours:
        return f"Each file is graded alone: put what you need of {missing[1]}.py into this one."
    if doing == LOADING and not {"SyntaxError", "ModuleNotFoundError", "SystemExit", "EOFError"} & set(families):
        return LOADING_HINT
    for family, words, hint in HINTS:
        if family in families and words in raised.message:
            return hint
    if "TypeError" in families:
        # Without a line of the student's, the judge's own call did not fit.
        return TYPE_HINT if raised.line else CALL_HINT
    return FALLBACK_HINT


HINTS = (
    ("AssertionError", "CUDA", "Remove .cuda() and device names from your code: follow the input's device instead."),
    ("AssertionError", "", "A check of your own refuses a legal input: look at the condition on this line."),
    ("AttributeError", "module '", "That module has no such name: compare its spelling with the documentation."),
    ("AttributeError", "before Module.__init__", "Call super().__init__() first in __init__."),
    (
        "AttributeError",
        "'Tensor' object",
        "A tensor has no such attribute: compare its spelling with the documentation.",
    ),
    ("AttributeError", "'NoneType' object", "A value is None where an object is needed: fill it in on every path."),
    ("AttributeError", "", "A name is used that was never set: set it in __init__ under the name that the stub gives."),
    ("ModuleNotFoundError", "", "Use torch, numpy and the standard library; the grader has no other packages."),
    ("NameError", "", "A name is used that is not defined here: look for a slip in its spelling, or a missing import."),
    ("SyntaxError", "codec can't decode", "Save the file as UTF-8: your editor's settings name it."),
    ("SyntaxError", "", "Python can't read the file. Look at this line and the one before it."),
    ("SystemExit", "", "Remove exit() and sys.exit(): the grader calls your classes and waits for their answers."),
    ("EOFError", "", "Remove input(): there is no keyboard where your code is graded."),
    ("RecursionError", "", "A function calls itself without an end: look for a property or method that uses itself."),
    ("OSError", "", "Remove what reads or writes files: the exercise needs none, and the grader lets none be written."),
    ("TypeError", "NoneType", "A value is None where a tensor is needed: fill it in on every path through forward."),
    ("IndexError", "tuple index", "A shape has fewer axes than this line asks for: print the tensor's shape."),
    ("IndexError", "Dimension out of range", "A tensor has fewer axes than this line asks for: print its shape."),
    ("IndexError", "", "An index went beyond a table: compare its size with the ids that are looked up in it."),
    ("NotImplementedError", 'required "forward"', "Write forward in the class, spelt so and indented as its method."),
    ("NotImplementedError", "", "Replace the raise by your own code."),
    ("RuntimeError", "view size", "Use reshape instead of view: a tensor may lie transposed in memory."),
    ("RuntimeError", "'indices'", "Ids and positions are whole numbers: convert none of them to a float or a byte."),
    (
        "RuntimeError",
        "inplace operation",
        "An operation in place (+=, add_) changed what the gradient needs: make a new tensor.",
    ),
    ("RuntimeError", "a second time", "A tensor from an earlier call was kept: compute all of it anew in each call."),
    ("RuntimeError", "size of tensor", "Two shapes don't fit: print the shapes of both tensors just before this line."),
    ("RuntimeError", "", "torch refuses this operation: print shapes and dtypes just before this line."),
    ("ValueError", "", "A value is refused: look at the condition on this line, or print what it is given."),
    ("KeyError", "", "A dictionary has no such key: compare how it is filled with how it is read."),
)
"""A family of exceptions, words that its message holds, and what to do; the first that fits is told."""
LOADING_HINT = (
    'Code outside classes and functions runs when the file is loaded: put trials under `if __name__ == "__main__":`.'
)
CALL_HINT = "Compare the call with the signature in the stub: same names, same order, same defaults."
TYPE_HINT = "A call on this line gives a function something that it doesn't take: compare it with the documentation."
FALLBACK_HINT = "Run this call yourself, and look at the line that raises."
