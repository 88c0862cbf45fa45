"""The command `grade run-autograder`: what the archive for Gradescope runs for each submission."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.cli.common import CourseOption, open_course
from graders.engine.cli.files import reason, write_whole
from graders.engine.cli.grading import Request, graded
from graders.engine.errors import CourseError, SubmissionError, shown_path
from graders.engine.run.isolation import Mode

if TYPE_CHECKING:
    from graders.engine.score.card import Card


def run_autograder(
    root: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with submission/ and results/ in it.")],
    isolation: Annotated[Mode, typer.Option("--isolation", help="As for grade.")] = Mode.STRICT,
    course: CourseOption = None,
) -> None:
    """Grade the submission in an image of Gradescope, and write its results.json.

    That is written after the last process with student code has ended. Nothing of the checks is printed.

    Exit code 0: results were written, be it that nothing could be graded. 3, 4: there are none, by the grader's own
    fault or for want of a sandbox, and Gradescope says that the autograder failed.
    """
    from graders.engine.report.gradescope import gradescope, gradescope_refusal

    place, rubric = open_course(course)
    submission = root / "submission"
    if not submission.is_dir():
        raise CourseError(f"there is no folder {shown_path(submission)}; expected what was handed in")
    try:
        card = graded(Request(submission, hidden=True, isolation=isolation, course=place.root)).card
        _require_no_broken_check(card)
        text = gradescope(card, rubric.post.hidden)
    except SubmissionError as error:
        text = gradescope_refusal(f"Nothing was graded: {error}")
    results = root / "results" / "results.json"
    try:
        results.parent.mkdir(exist_ok=True)
        write_whole(results, text.encode("utf-8"))
    except OSError as error:
        raise CourseError(f"{shown_path(results)} cannot be written: {reason(error)}") from error
    typer.echo(f"Written: {shown_path(results)}")


def _require_no_broken_check(card: "Card") -> None:
    """Raise CourseError for a card on which a check is broken, and name those checks."""
    from graders.engine.judge.outcome import Verdict

    broken = [
        f"{exercise.slug}: {check.id}, {check.got}"
        for exercise in card.exercises
        for check in exercise.checks
        if check.verdict is Verdict.BROKEN
    ]
    if broken:
        raise CourseError("\n".join(["these checks are broken, so no results were written:", *broken]))
