"""The command `grade`: a submission is graded, the card is written, and every check is explained."""

import os
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import (
    ALL_PASSED,
    GRADERS_FAULT,
    NOT_ALL_PASSED,
    CourseOption,
    MarksOption,
    StudentOption,
)
from graders.engine.cli.files import reason, write_through
from graders.engine.cli.grading import Request, graded
from graders.engine.cli.isolation import IsolationOption, remarks
from graders.engine.errors import UsageError, shown_path

if TYPE_CHECKING:
    from graders.engine.score.card import Card


def grade(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder with exercises/ or the exercise files, or one file.")
    ] = Path("exercises"),
    commit: Annotated[
        str | None,
        typer.Option("--commit", metavar="REV", help="Grade this commit of the git repository PATH, not its files."),
    ] = None,
    exercise: Annotated[
        list[str] | None,
        typer.Option("--exercise", "-e", metavar="SLUG", help="Grade this exercise only; may be repeated."),
    ] = None,
    hidden: Annotated[bool, typer.Option("--hidden", help="Run the hidden checks too.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random inputs.", min=0)] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Write the score card to this file.")
    ] = None,
    student: StudentOption = None,
    marks: MarksOption = None,
    isolation: IsolationOption = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show where in your file an exception came from.")] = False,
    course: CourseOption = None,
) -> None:
    """Grade a submission and explain every check.

    Exit code 0: every check passed, or waits for a person. 1: something did not. 2: nothing could be graded. 3: the
    grader's own fault. 4: student code can't be shut in here as it must be, so none was run.
    """
    if json is not None:
        _require_place_for_card(json)
    request = Request(path, commit, tuple(exercise or ()), hidden, seed, student, marks, isolation, trace, course)
    found = graded(request)

    from rich.text import Text

    from graders.engine.report.console import make_console, print_hanging, safe_text
    from graders.engine.report.terminal import print_card
    from graders.engine.score.card import card_to_json

    # Before anything is printed: a reader that has gone, such as `head`, must not cost the card.
    written = json is None or _write_card(json, card_to_json(found.card))
    console = make_console()
    print_card(found.card, console)
    for note in (*found.notes, *remarks(found.report)):
        print_hanging(console, Text("note: "), safe_text(note, console))
    raise typer.Exit(_exit_code(found.card) if written else GRADERS_FAULT)


def _require_place_for_card(path: Path) -> None:
    """Raise UsageError where a card can't be written, or would take the place of something else."""
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--json {shown_path(path)}: there is no folder {shown_path(path.parent)}; make it first")
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise UsageError(f"--json {shown_path(path)}: nothing can be written to {shown_path(path.parent)}")
    if not os.path.isfile(path):  # a name that no file can have is none here, and told when it is written
        return
    try:
        held = path.read_bytes()
        data = loads(held) if held.strip() else {"grader": None, "exercises": None}
    except (OSError, ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or not {"grader", "exercises"} <= set(data):
        raise UsageError(f"--json {shown_path(path)}: that file is no score card, and would be lost; give another name")


def _write_card(path: Path, text: str) -> bool:
    """Write the card, and return whether that went well. What a link leads to is written, and the link stays."""
    try:
        write_through(path, text.encode("utf-8"))
    except OSError as error:
        said = f"The score card cannot be written to {shown_path(path)}: {reason(error)}"
        typer.echo(log_text(said), err=True)
        return False
    return True


def _exit_code(card: "Card") -> int:
    from graders.engine.judge.outcome import Verdict

    checks = [check for exercise in card.exercises for check in exercise.checks]
    if any(check.verdict is Verdict.BROKEN for check in checks):
        return GRADERS_FAULT
    settled = all(check.has_all_points or check.verdict is Verdict.WAITING for check in checks)
    return ALL_PASSED if settled else NOT_ALL_PASSED
