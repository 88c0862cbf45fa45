"""The command `grade post`: says on a pull request what was found."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graders.engine.clean import log_text, one_line
from graders.engine.cli.common import ALL_PASSED, NOT_ALL_PASSED, NOTHING_GRADED, CourseOption, open_course
from graders.engine.errors import UsageError, shown_path

if TYPE_CHECKING:
    from graders.engine.deliver.github.post import Posted, Target

MOST_SUMMARY_BYTES = 900_000
"""GitHub drops the summary of a step that is larger than 1 MiB."""


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
        Literal["strict", "external"],
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

    Exit code 0: posted, or not wanted any more. 2: the card, the arguments or GitHub did not let that be done.
    """
    from graders.engine.deliver.github.names import is_sha
    from graders.engine.deliver.github.post import Target
    from graders.engine.deliver.github.surroundings import job

    place = job(os.environ)
    if not is_sha(sha):
        raise UsageError(f'--sha "{one_line(sha[:100])}": expected 40 hexadecimal digits, the whole digest of a commit')
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}(\[bot\])?", author):
        raise UsageError(f'--as "{one_line(author[:200])}": expected an account, such as github-actions[bot]')
    if (card is None) == (not_graded is None):
        raise UsageError("give a score card, or --not-graded with the exit code of `grade`, and not both")
    target = Target(place.repository, pull, sha)
    if card is not None:
        posted = _post_card(card, target, isolation, author, place.run_url, course)
    elif not_graded is not None:
        posted = _post_note(not_graded, target, author, place.run_url)
    for line in posted.lines:
        typer.echo(log_text(line), err=not posted.complete)
    if not posted.complete:
        raise typer.Exit(NOTHING_GRADED)


def _post_card(
    path: Path,
    target: "Target",
    isolation: Literal["strict", "external"],
    author: str,
    run_url: str,
    course: Path | None,
) -> "Posted":
    from graders.engine.cli.card_file import read_card
    from graders.engine.deliver.github.comment import MOST_CARD_BYTES, with_card
    from graders.engine.deliver.github.fitness import require_postable, require_student
    from graders.engine.deliver.github.post import Gone, Posted, look_again, post
    from graders.engine.deliver.github.status import Said, describe
    from graders.engine.deliver.github.surroundings import open_session
    from graders.engine.report.annotations import annotations
    from graders.engine.report.markdown import card_markdown

    _, rubric = open_course(course)
    card = read_card(path)
    require_postable(card, rubric, target.sha, isolation)
    session = open_session(os.environ)
    now = look_again(session, target)
    if isinstance(now, Gone):
        return Posted((f"Nothing was posted: {now.reason}.",), complete=True)
    require_student(card, now.owner)
    _write_summary(card_markdown(card, MOST_SUMMARY_BYTES))
    for command in annotations(card):
        typer.echo(command)
    renew = with_card(card_markdown(card, MOST_CARD_BYTES))
    return post(session, target, author, renew, Said("success", describe(card), run_url))


def _post_note(code: int, target: "Target", author: str, run_url: str) -> "Posted":
    from graders.engine.deliver.github.comment import with_note
    from graders.engine.deliver.github.note import ABOVE_CARD, note_for
    from graders.engine.deliver.github.post import Gone, Posted, look_again, post
    from graders.engine.deliver.github.surroundings import open_session

    if code in (ALL_PASSED, NOT_ALL_PASSED):
        raise UsageError(f"--not-graded {code}: with that exit code `grade` has written a card; give the card")
    session = open_session(os.environ)
    now = look_again(session, target)
    if isinstance(now, Gone):
        return Posted((f"Nothing was posted: {now.reason}.",), complete=True)
    note = note_for(code, target.sha, run_url)
    _write_summary(note.markdown)
    return post(session, target, author, with_note(note.markdown, ABOVE_CARD), note.status)


def _write_summary(text: str) -> None:
    """Append to the summary of this step, where there is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text.rstrip()}\n")
    except OSError as error:
        raise UsageError(f"GITHUB_STEP_SUMMARY {shown_path(Path(path))} cannot be written: {error.strerror}") from error
