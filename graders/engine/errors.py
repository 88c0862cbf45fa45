"""The ways in which a run ends before anything is graded, and how a path reads in their messages."""

from pathlib import Path


class UsageError(Exception):
    """What was typed doesn't fit. The message says what was expected and what came."""


class CourseError(Exception):
    """The course itself is wrong. The message names file, place and remedy for an instructor."""


class SubmissionError(Exception):
    """Nothing could be graded. The message says what was expected, what came and what to do."""


def printable(text: str) -> str:
    """The text on one line: every control, direction or undecodable character becomes a question mark."""
    return "".join(character if character.isprintable() else "?" for character in text)


def shown_path(path: Path) -> str:
    """The path as people read it: relative to the working folder if it lies there, with forward slashes."""
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return printable(path.as_posix())


def harmless(message: str) -> str:
    """The message, line by line, with nothing in it that a terminal or the log of a workflow would obey."""
    return "\n".join(_harmless_line(printable(line)) for line in message.split("\n"))


def _harmless_line(line: str) -> str:
    broken = line.replace("##[", "## [")
    return broken.replace("::", ": :", 1) if broken.lstrip().startswith("::") else broken
