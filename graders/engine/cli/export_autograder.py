"""The command `grade export-autograder`: the course as an archive that Gradescope takes for an autograder."""

from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course
from graders.engine.cli.files import write_output
from graders.engine.errors import UsageError, shown_path
from graders.engine.score.strictness import Strictness


def export_autograder(
    file: Annotated[Path, typer.Argument(metavar="FILE.zip", dir_okay=False, help="The archive to write.")],
    isolation: Annotated[
        Strictness,
        typer.Option(
            "--isolation",
            help="strict: every layer of the sandbox, or nothing is graded. external: the container of a submission "
            "is all there is, and code that is handed in can read the hidden checks in it.",
        ),
    ] = "strict",
    course: CourseOption = None,
) -> None:
    """Write the course, hidden checks and references included, as an autograder for Gradescope.

    Its results are what `grade export --to gradescope` makes of a card. Students see hidden checks once the scores are
    published, or at once where `post` in grading.yaml says `hidden: points`.

    Exit code 0: written. 2: what was typed does not fit. 3: the course needs mending.
    """
    from graders.engine.deliver.autograder.pack import autograder

    if file.suffix != ".zip":
        raise UsageError(f"{shown_path(file)}: expected a name that ends in .zip")
    place, rubric = open_course(course)
    write_output(file, autograder(place, rubric, isolation), "FILE.zip")
    lines = [
        f"Written: {shown_path(file)}. It holds hidden checks and references: keep it where no student can read.",
        "Next: in the assignment on Gradescope, under Configure Autograder, choose Zip file upload and upload it; then",
        "try it there on a reference, and on an empty file.",
    ]
    typer.echo(log_text("\n".join(lines)))
