"""The command `grade notebook`: writes anew what is made from the lesson and the stubs."""

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course
from graders.engine.errors import CourseError, shown_path


def notebook(course: CourseOption = None) -> None:
    """Write the course's notebook anew.

    It is made from the lesson and the stubs, and what stands in it is lost: this is for those who write the lesson, not
    for those who do it. The record of the stubs, with which students' work is compared, is written as well.
    """
    from graders.engine.author.notebook import build_notebook
    from graders.engine.cli.files import write_whole
    from graders.engine.load.handed_out import as_record, stubs_now

    place, rubric = open_course(course)
    if rubric.notebook is None:
        raise CourseError(f"{place.rubric.name} names no notebook; add a line such as `notebook: lesson.ipynb`")
    texts = {
        place.exercises / rubric.notebook: build_notebook(place, rubric),
        place.handed_out: as_record(stubs_now(place, rubric.exercises.values())),
    }
    for path, text in texts.items():
        try:
            write_whole(path, text)
        except OSError as error:
            raise CourseError(f"{shown_path(path)} cannot be written ({error.strerror})") from error
        typer.echo(log_text(f"wrote {shown_path(path)}"))
