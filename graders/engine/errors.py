"""The ways in which a run ends, their exit codes, and how paths, faulty files and long lists read in their messages."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graders.engine.clean import one_line

if TYPE_CHECKING:
    from pydantic import ValidationError

LONGEST_PROBLEM = 300

ALL_PASSED, NOT_ALL_PASSED, NOTHING_GRADED, GRADERS_FAULT, NO_SANDBOX = 0, 1, 2, 3, 4
"""What a command ends with. Only grading ends with the second; 0 is for every other that did what it should.

NOTHING_GRADED goes with UsageError and SubmissionError, GRADERS_FAULT with CourseError, with ServiceError and with
whatever is not foreseen, NO_SANDBOX with SandboxError.
"""


class UsageError(Exception):
    """What was typed doesn't fit. The message says what was expected and what came."""


class CourseError(Exception):
    """The course itself is wrong. The message names file, place and remedy for an instructor."""


class ServiceError(Exception):
    """Another's server did not do what was asked. The message says what that was, what came and what to do."""


class SandboxError(Exception):
    """Student code can't be shut in as it must be, so none is run. The message names what is missing."""


class SubmissionError(Exception):
    """Nothing could be graded. The message says what was expected, what came and what to do."""


def shown_path(path: Path) -> str:
    """The path as people read it: relative to the working folder if it lies there, with forward slashes."""
    try:
        here = Path.cwd()
    except OSError:  # it has been deleted, or may not be looked at
        here = None
    if here is not None and path.is_absolute() and path.is_relative_to(here):
        path = path.relative_to(here)
    return one_line(path.as_posix())


def first_problem(error: "ValidationError") -> str:
    """The first thing that is wrong with a file of JSON, on one line and not endless; what came is not quoted."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, found["loc"]))
    words = one_line(f"{place}: {found['msg']}" if place else found["msg"])
    return words if len(words) <= LONGEST_PROBLEM else words[: LONGEST_PROBLEM - 1] + "…"


def first_of(lines: Sequence[str], most: int) -> list[str]:
    """Return the lines, or of a great many the first, with one more that says how many are left out."""
    more = len(lines) - most
    return [*lines[:most], *([f"and {more} more"] if more > 0 else [])]
