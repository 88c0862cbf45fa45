"""The command `grade export`: a score card, or the final scores of a gradebook, in the formats of others."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.cli.common import CourseOption
from graders.engine.cli.files import reason
from graders.engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graders.engine.cli.gradebook.exporting import To
    from graders.engine.score.card import Card


class Format(StrEnum):
    """What can be made of a card, and, the last three, of a gradebook."""

    GRADESCOPE = "gradescope"
    JUNIT = "junit"
    CLASSROOM = "classroom"
    MARKDOWN = "markdown"
    ANNOTATIONS = "annotations"
    CANVAS = "canvas"
    MOODLE = "moodle"
    CSV = "csv"


def export(
    card: Annotated[
        Path,
        typer.Argument(metavar="CARD|GRADEBOOK", help="A score card, as `grade --json` writes it; or a gradebook."),
    ],
    to: Annotated[
        Format,
        typer.Option(
            "--to",
            help="gradescope: results.json of an autograder. junit: XML of tests. classroom: results for the reporter "
            "of GitHub Classroom, in Base64. markdown: a summary on GitHub. annotations: commands for a workflow. Of a "
            "gradebook: canvas or moodle: CSV that these import. csv: a table with the reason for each number.",
        ),
    ],
    column: Annotated[
        str | None, typer.Option(metavar="TITLE", help="For canvas and moodle: what the column of points is called.")
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For canvas: a gradebook downloaded there, which has Canvas's own IDs."),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Print a score card, or the final scores of a gradebook, in another format, in UTF-8 whatever the terminal says.

    What hidden checks found is in it if it is on the card: of a card that others may read, export what `grade share`
    made of it. Of a gradebook, the standard error names students who are not in the roster, or handed in nothing.

    Exit code 0: printed. 2: that is no score card, or no gradebook. 3: the course or the gradebook needs mending.
    """
    if to in OF_A_GRADEBOOK:
        from graders.engine.cli.gradebook.exporting import export_gradebook

        _print(export_gradebook(card, OF_A_GRADEBOOK[to], column, template, course))
        return
    if column is not None or template is not None:
        raise UsageError(f"--column and --template are for what a gradebook becomes; got --to {to}")
    from graders.engine.cli.card_file import read_card

    _print(_as(to, read_card(card), course))


OF_A_GRADEBOOK: "Mapping[Format, To]" = {Format.CANVAS: "canvas", Format.MOODLE: "moodle", Format.CSV: "csv"}


def _as(to: Format, card: "Card", course: Path | None) -> str:
    match to:
        case Format.GRADESCOPE:
            from graders.engine.cli.common import open_course
            from graders.engine.report.gradescope import gradescope

            _, rubric = open_course(course)
            return gradescope(card, rubric.post.hidden)
        case Format.JUNIT:
            from graders.engine.report.junit import junit

            return junit(card)
        case Format.CLASSROOM:
            from graders.engine.report.classroom import classroom

            return classroom(card)
        case Format.MARKDOWN:
            from graders.engine.report.markdown import MOST_SUMMARY_BYTES, card_markdown

            return card_markdown(card, MOST_SUMMARY_BYTES)
        case Format.ANNOTATIONS:
            from graders.engine.report.annotations import annotations

            return "".join(f"{line}\n" for line in annotations(card))
        case Format.CANVAS | Format.MOODLE | Format.CSV:
            raise AssertionError(f"{to} is made of a gradebook")


def _print(text: str) -> None:
    """Write the text to the standard output, as bytes: neither the encoding of the terminal nor its line ends count.

    A reader who has gone, such as `head`, has read enough. Raises UsageError where the text can't be written otherwise.
    """
    if sys.stdout is None:  # closed by whoever started this
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python would try once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UsageError(f"the standard output cannot be written: {reason(error)}; give it another place") from error
