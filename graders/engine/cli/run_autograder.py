"""The command `grade run-autograder`: what the archive for Gradescope runs for each submission."""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.cli.common import NOT_ALL_PASSED, CourseOption, open_course
from graders.engine.cli.files import write_whole
from graders.engine.cli.grade import grade
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
    try:
        text = gradescope(_graded(root / "submission", isolation, place.root), rubric.post.hidden)
    except SubmissionError as error:
        text = gradescope_refusal(f"Nothing was graded: {error}")
    results = root / "results" / "results.json"
    try:
        results.parent.mkdir(exist_ok=True)
        write_whole(results, text)
    except OSError as error:
        raise CourseError(f"{shown_path(results)} could not be written: {error.strerror}") from error
    typer.echo(f"Written: {shown_path(results)}")


def _graded(submission: Path, isolation: Mode, course: Path) -> "Card":
    """Return the card of a run with hidden checks; raises SubmissionError where the student's side is to blame."""
    from graders.engine.cli.card_file import read_card

    if not submission.is_dir():
        raise CourseError(f"there is no folder {shown_path(submission)}; expected what was handed in")
    with tempfile.TemporaryDirectory() as scratch, open(os.devnull, "w") as nowhere:
        card = Path(scratch) / "card.json"
        code = NOT_ALL_PASSED
        try:
            # What it prints names hidden checks, and Gradescope may show it.
            with contextlib.redirect_stdout(nowhere):
                grade(submission, hidden=True, json=card, isolation=isolation, course=course)
        except typer.Exit as ended:
            code = ended.exit_code
        if code > NOT_ALL_PASSED:
            raise CourseError(_what_broke(card))
        return read_card(card)


def _what_broke(path: Path) -> str:
    from graders.engine.cli.card_file import read_card
    from graders.engine.judge.outcome import Verdict

    if not path.exists():
        return "the score card could not be written"
    broken = [
        f"{exercise.slug}: {check.id}, {check.got}"
        for exercise in read_card(path).exercises
        for check in exercise.checks
        if check.verdict is Verdict.BROKEN
    ]
    return "\n".join(["these checks are broken, so no results were written:", *broken])
