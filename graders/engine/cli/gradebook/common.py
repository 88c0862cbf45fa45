"""What the commands about a gradebook share: the options, who changes something, and what is said of students."""

import getpass
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import log_text, one_line
from graders.engine.cli.common import open_course
from graders.engine.errors import first_of, shown_path

if TYPE_CHECKING:
    from graders.engine.gradebook.file import Gradebook

MOST_NAMED = 10

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The gradebook.")]
WhoOption = Annotated[
    str | None,
    typer.Option("--who", metavar="NAME", help="Who does this, for the log; without it, who is logged in here."),
]


def whoever(explicit: str | None) -> str:
    """Return the name for the log."""
    if explicit is not None and explicit.strip():
        return explicit.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may have nobody by that number
        return "unknown"


def say(line: str) -> None:
    """Print a line for people."""
    typer.echo(log_text(one_line(line)))


def say_aside(line: str) -> None:
    """Print a line to the standard error: something to look at, beside what was asked for."""
    typer.echo(log_text(one_line(line)), err=True)


def named(words: str, students: Iterable[str]) -> None:
    """Say something about students, with their names, if there are any."""
    names = first_of([one_line(student) for student in students], MOST_NAMED)
    if names:
        say_aside(f"{words}: {', '.join(names)}")


def say_if_course_differs(book: "Gradebook", course: Path | None) -> None:
    """Say so where the gradebook does not count by what grading.yaml says now."""
    from graders.engine.gradebook.settings import settings, settings_of

    place, rubric = open_course(course)
    if settings(book) != settings_of(rubric):
        say_aside(
            f"The gradebook counts by another late policy or maximum than {shown_path(place.rubric)} has now; "
            f"`grade gradebook course {shown_path(book.path)}` takes over what that says."
        )
