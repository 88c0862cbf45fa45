"""The command `grade fetch`: what was handed in comes from GitHub as objects of git, and nothing of it is obeyed."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.cli.common import CourseOption, open_course
from graders.engine.errors import shown_path


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
    from graders.engine.deliver.github import clock
    from graders.engine.deliver.github.fetching.commit import fetch_commit
    from graders.engine.deliver.github.fetching.settings import Remote
    from graders.engine.deliver.github.names import require_full_name
    from graders.engine.deliver.github.surroundings import SERVER, address, token
    from graders.engine.load.assignment import Wanted, assignments

    place, rubric = open_course(course)
    require_full_name(repository, "REPOSITORY")
    remote = Remote(address(os.environ, "GITHUB_SERVER_URL", SERVER), repository, token(os.environ))
    wanted = Wanted(assignments(place, rubric, list(rubric.exercises)), rubric.notebook)
    fetched = fetch_commit(remote, sha, folder, wanted, clock.SYSTEM_CLOCK)
    left = f"; {fetched.too_large} left out, as too large" if fetched.too_large else ""
    lost = f"; {fetched.missing} that the server does not have" if fetched.missing else ""
    typer.echo(f"Fetched {sha[:12]} of {repository} into {shown_path(folder)}: files: {fetched.files}{left}{lost}")
