"""The command `grade notebook`: writes the course's notebook anew from the lesson and the stubs."""

from typing import Annotated

import typer

from graders.engine.cli.common import ALL_PASSED, NOT_ALL_PASSED, CourseOption, open_course
from graders.engine.errors import CourseError, shown_path


def notebook(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if the notebook is not up to date.")
    ] = False,
    course: CourseOption = None,
) -> None:
    """Write the course's notebook anew.

    It is made from the lesson and the stubs, and what stands in it is lost: this is for those who write the lesson, not
    for those who do it.
    """
    from graders.engine.author.notebook import build_notebook
    from graders.engine.cli.files import write_whole

    place, rubric = open_course(course)
    if rubric.notebook is None:
        raise CourseError(f"{place.rubric.name} names no notebook; add a line such as `notebook: lesson.ipynb`")
    path, text = place.exercises / rubric.notebook, build_notebook(place, rubric)
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        typer.echo(f"{shown_path(path)} is up to date.")
        raise typer.Exit(ALL_PASSED)
    if check:
        typer.echo(f"{shown_path(path)} is not what lesson and stubs give now; run `grade notebook`.")
        raise typer.Exit(NOT_ALL_PASSED)
    write_whole(path, text)
    typer.echo(f"wrote {shown_path(path)}")
