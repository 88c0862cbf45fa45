"""The ways in which a run ends before anything is graded, and how a path reads in their messages."""

from pathlib import Path

from graders.engine.clean import one_line


class UsageError(Exception):
    """What was typed doesn't fit. The message says what was expected and what came."""


class CourseError(Exception):
    """The course itself is wrong. The message names file, place and remedy for an instructor."""


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
