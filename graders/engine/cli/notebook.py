"""The command `grade notebook`: writes anew what is made from the lesson and the stubs."""

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course
from graders.engine.errors import CourseError, shown_path


def notebook(course: CourseOption = None) -> None:
    """Write the course's notebook anew.

    It is made from the lesson and the stubs, and what stands in it is lost: this is for those who write the lesson, not
    for those who do it. The record of the stubs, with which students' work is compared, is written as well. Nothing is
    where a stub holds work: that would be handed out.
    """
    from graders.engine.author.notebook import build_notebook
    from graders.engine.cli.files import reason, write_whole
    from graders.engine.deliver.release.origin import require_staff_repository
    from graders.engine.load.handed_out import as_record, read_record, stubs_now
    from graders.engine.load.stubs import require_stubs

    place, rubric = open_course(course)
    require_staff_repository(place, rubric, "its notebook and its stubs are those of the last release")
    if rubric.notebook is None:
        raise CourseError(f"{place.rubric.name} names no notebook; add a line such as `notebook: lesson.ipynb`")
    stubs = stubs_now(place, rubric.exercises.values())
    require_stubs(place, rubric, stubs, former=read_record(place) or {})
    texts = {
        place.exercises / rubric.notebook: build_notebook(place, rubric),
        place.handed_out: as_record(stubs),
    }
    for path, text in texts.items():
        try:
            write_whole(path, text.encode("utf-8"))
        except OSError as error:
            raise CourseError(f"{shown_path(path)} cannot be written: {reason(error)}") from error
        typer.echo(log_text(f"wrote {shown_path(path)}"))
