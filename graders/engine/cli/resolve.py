"""The command `grade resolve`: which pull request a finished workflow run was for."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.files import append, read_at_most


def resolve(
    event: Annotated[
        Path, typer.Argument(metavar="EVENT", help="The event of a finished run, a JSON file: $GITHUB_EVENT_PATH.")
    ],
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="Where the answer is appended: $GITHUB_OUTPUT.")
    ],
) -> None:
    """Find the pull request that a workflow run was for.

    It is the open one to the default branch with the same commit and from the same repository; GitHub's API is asked,
    with GITHUB_TOKEN. FILE gets `found=false`, or `found=true` with pull, sha, student and head.

    Exit code 0: the answer is in FILE, also if there is no pull request. 2: the arguments do not fit. 3: GitHub gave no
    answer.
    """
    from graders.engine.deliver.github.event import MOST_BYTES, event_from_json
    from graders.engine.deliver.github.resolve import NotFound, output_lines
    from graders.engine.deliver.github.resolve import resolve as ask
    from graders.engine.deliver.github.surroundings import open_session, repository

    course = repository(os.environ)
    result = ask(event_from_json(read_at_most(event, MOST_BYTES)), open_session(os.environ), course)
    append(output, output_lines(result), "--output")
    if isinstance(result, NotFound):
        typer.echo(log_text(f"Nothing to grade: {result.reason}."))
    else:
        typer.echo(log_text(f"Pull request {result.pull} of {result.student}, commit {result.sha}."))
