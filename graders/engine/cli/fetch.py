"""The command `fetch`: what was handed in comes from GitHub as objects of git, and nothing of it is obeyed."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text, one_line
from graders.engine.cli.common import GRADERS_FAULT, CourseOption, open_course
from graders.engine.errors import UsageError, shown_path


def fetch(
    repository: Annotated[str, typer.Argument(metavar="REPOSITORY", help="OWNER/NAME on the server.")],
    sha: Annotated[str, typer.Argument(metavar="SHA", help="The commit, by all 40 digits.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")],
    course: CourseOption = None,
) -> None:
    """Fetch from GitHub what a commit holds of the exercises, for `grade DIR --commit SHA`.

    DIR becomes a bare git repository with the commit, its folders and the files that can be handed in; nothing is
    checked out. GITHUB_SERVER_URL names another server, GITHUB_TOKEN is for a private repository.

    Exit code 2: there is no such commit, or it is far too large. 3: the repository could not be read.
    """
    from graders.engine.deliver.github.fetch import fetch_commit
    from graders.engine.deliver.github.git_settings import Remote
    from graders.engine.deliver.github.names import is_full_name
    from graders.engine.deliver.github.remote import UnreachableError
    from graders.engine.deliver.github.surroundings import SERVER, TOKEN, address
    from graders.engine.load.assignment import Wanted, assignments

    place, rubric = open_course(course)
    if not is_full_name(repository):
        raise UsageError(f'"{one_line(repository[:200])}" is no name of a repository; expected OWNER/NAME')
    token = os.environ.get("GITHUB_TOKEN", "")
    if token and not TOKEN.fullmatch(token):
        raise UsageError("GITHUB_TOKEN holds blanks or other characters that no token has; give the token alone")
    remote = Remote(address(os.environ, "GITHUB_SERVER_URL", SERVER), repository, token)
    wanted = Wanted(assignments(place, rubric, list(rubric.exercises)), rubric.notebook)
    try:
        fetched = fetch_commit(remote, sha, folder, wanted)
    except UnreachableError as error:
        typer.echo(log_text(f"Nothing was fetched: {error}"), err=True)
        raise typer.Exit(GRADERS_FAULT) from error
    left = f"; {fetched.left_out} left out, as too large" if fetched.left_out else ""
    typer.echo(f"Fetched {sha[:12]} of {repository} into {shown_path(folder)}: files: {fetched.files}{left}")
