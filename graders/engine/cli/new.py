"""The command `grade new`: the files of an exercise that is yet to be written."""

from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course


def new(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="Its name, such as ex08_some_words.")],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its title.")],
    course: CourseOption = None,
) -> None:
    """Write the files of a new exercise.

    They hold TODOs; `grade lint` then says what is missing.
    """
    from graders.engine.author.scaffold import scaffold
    from graders.engine.deliver.release.origin import require_staff_repository

    place, rubric = open_course(course)
    require_staff_repository(place, rubric, "a new exercise is begun where its hidden checks and its reference lie")
    for written in scaffold(place, rubric, slug, title):
        typer.echo(log_text(f"wrote {written}"))
    typer.echo(f"Next: fill in the TODOs, and run `grade lint {slug}` until it has no problems.")
