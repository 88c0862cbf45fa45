"""The command `grade post`: says on a pull request what was found."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import (
    ALL_PASSED,
    GRADERS_FAULT,
    NOT_ALL_PASSED,
    NOTHING_GRADED,
    CourseOption,
    open_course,
)
from graders.engine.cli.files import append
from graders.engine.errors import UsageError
from graders.engine.score.strictness import Strictness

if TYPE_CHECKING:
    from graders.engine.deliver.github.posting.said import Words


def post(
    pull: Annotated[int, typer.Option("--pull", metavar="N", min=1, help="The number of the pull request.")],
    sha: Annotated[str, typer.Option("--sha", metavar="SHA", help="The commit that was graded, its whole digest.")],
    card: Annotated[
        Path | None, typer.Argument(metavar="CARD", help="The score card as others may read it.", show_default=False)
    ] = None,
    not_graded: Annotated[
        int | None,
        typer.Option("--not-graded", metavar="CODE", min=0, max=255, help="There is no card: `grade` ended with this."),
    ] = None,
    isolation: Annotated[
        Strictness,
        typer.Option(help="How student code was shut in. A card says it too, and has to say the same."),
    ] = "strict",
    author: Annotated[
        str,
        typer.Option("--as", metavar="LOGIN", help="The account that the token is of; comments of others are left."),
    ] = "github-actions[bot]",
    course: CourseOption = None,
) -> None:
    """Post a score on a pull request: one comment that is kept up to date, and the status `grade` of the commit.

    Whether the card is of this course, commit and student is checked before. Where the pull request is closed by now or
    has moved on, nothing is posted. Where nothing was graded, a note says so above the last score, which stays.

    Exit code 0: posted, or not wanted any more. 2: the card or the arguments do not fit, and nothing was posted; or all
    was posted and only the summary not written. 3: GitHub did not do it all.
    """
    from graders.engine.deliver.github.names import require_account, require_sha
    from graders.engine.deliver.github.posting.fitness import require_student
    from graders.engine.deliver.github.posting.post import Gone, Target, look_again
    from graders.engine.deliver.github.posting.post import post as write
    from graders.engine.deliver.github.surroundings import job, open_session

    place = job(os.environ)
    require_sha(sha, "--sha")
    require_account(author, "--as")
    if card is not None and not_graded is None:
        words = _words_of_card(card, sha, isolation, course, place.run_url)
    elif card is None and not_graded is not None:
        words = _words_of_none(not_graded, sha, place.run_url)
    else:
        raise UsageError("give a score card, or --not-graded with the exit code of `grade`, and not both")
    session = open_session(os.environ)
    target = Target(place.repository, pull, sha)
    owner = look_again(session, target)
    if isinstance(owner, Gone):
        typer.echo(log_text(f"Nothing was posted: {owner.reason}."))
        return
    if words.student is not None:
        require_student(words.student, owner)
    summed_up = _sum_up(words.summary)
    for command in words.commands:
        typer.echo(command)
    posted = write(session, target, author, words)
    for line in posted.lines:
        typer.echo(log_text(line), err=not posted.complete)
    if not posted.complete:
        raise typer.Exit(GRADERS_FAULT)
    if not summed_up:
        raise typer.Exit(NOTHING_GRADED)


def _sum_up(words: str) -> bool:
    """Write the summary of the job's step, if there is a file for it; return False, and say why, where that fails.

    Nobody but the staff reads it there, so the comment and the status do not wait for it to be mended.
    """
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            append(Path(path), f"{words.rstrip()}\n", "GITHUB_STEP_SUMMARY")
        except UsageError as error:
            typer.echo(log_text(f"The summary was not written: {error}"), err=True)
            return False
    return True


def _words_of_card(path: Path, sha: str, isolation: Strictness, course: Path | None, run_url: str) -> "Words":
    from graders.engine.cli.card_file import read_card
    from graders.engine.deliver.github.posting.fitness import require_postable
    from graders.engine.deliver.github.posting.said import words_of_card

    _, rubric = open_course(course)
    card = read_card(path)
    require_postable(card, rubric, sha, isolation)
    return words_of_card(card, run_url)


def _words_of_none(code: int, sha: str, run_url: str) -> "Words":
    from graders.engine.deliver.github.posting.said import words_of_none

    if code in (ALL_PASSED, NOT_ALL_PASSED):
        raise UsageError(f"--not-graded {code}: with that exit code `grade` has written a card; give the card")
    return words_of_none(code, sha, run_url)
