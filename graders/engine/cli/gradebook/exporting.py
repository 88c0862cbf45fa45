"""The final scores of a gradebook in the formats of others: `grade export FILE.sqlite`."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from graders.engine.cli.gradebook.common import say_aside, say_if_course_differs
from graders.engine.errors import UsageError, shown_path

if TYPE_CHECKING:
    from graders.engine.gradebook.file import Gradebook
    from graders.engine.report.grade_rows import GradeFile, GradeRow

To = Literal["canvas", "moodle", "csv"]
COLUMN = "Exercises"
MOST_TEMPLATE_BYTES = 50_000_000


def export_gradebook(path: Path, to: To, column: str | None, template: Path | None, course: Path | None) -> str:
    """Return the file for that system, and say on the standard error what a person should know of it.

    Raises UsageError for options that do not go together, and for a gradebook that has nothing for the file yet.
    """
    from graders.engine.gradebook.file import open_gradebook, reading

    if column is not None and to == "csv":
        raise UsageError("--column names the column of points for canvas and moodle; csv has titles of its own")
    if template is not None and to != "canvas":
        raise UsageError(f"--template is a gradebook that Canvas wrote, for --to canvas; got --to {to}")
    with open_gradebook(path) as book, reading(book):
        rows, max_points = _rows(book), _max_points(book)
        say_if_course_differs(book, course)
    if to != "csv" and not any(row.known for row in rows):
        raise UsageError(
            f"{shown_path(path)} has no roster, and {to} knows students by that; "
            f"`grade gradebook roster {shown_path(path)} ROSTER.csv` adds one"
        )
    if to != "csv" and not max_points:
        raise UsageError(
            f"{shown_path(path)} does not know how many points there are; `grade gradebook course {shown_path(path)}` "
            "takes that over from grading.yaml"
        )
    made = _made(to, rows, max_points, COLUMN if column is None else column, template)
    for line in (*made.notes, *_about_maxima(rows, max_points)):
        say_aside(line)
    return made.text


def _made(to: To, rows: "list[GradeRow]", max_points: int, column: str, template: Path | None) -> "GradeFile":
    match to:
        case "csv":
            from graders.engine.report.gradebook_csv import gradebook_csv

            return gradebook_csv(rows)
        case "moodle":
            from graders.engine.report.moodle import moodle

            return moodle(rows, column)
        case "canvas":
            from graders.engine.report.canvas import canvas, canvas_by_template, read_template

            if template is None:
                return canvas(rows, column, max_points)
            return canvas_by_template(rows, column, max_points, read_template(_text(template)))


def _about_maxima(rows: "list[GradeRow]", max_points: int) -> list[str]:
    """Name the students whose points are of another course than the one that others are told of."""
    from graders.engine.report.grade_rows import note

    others = (row.student for row in rows if max_points and row.attempt and row.max_points != max_points)
    return note(f"graded when the course had another maximum than {max_points} points", others)


def _rows(book: "Gradebook") -> "list[GradeRow]":
    from graders.engine.gradebook.finals import finals, people
    from graders.engine.load.roster import RosterRow
    from graders.engine.report.grade_rows import GradeRow

    found = finals(book)
    nobody = RosterRow("", "", "", "", "", None)
    rows = []
    for person in people(book):
        final, row = found[person.student], person.row or nobody
        rows.append(
            GradeRow(
                student=person.student,
                known=person.row is not None,
                login=row.login,
                id=row.id,
                name=row.name,
                email=row.email,
                section=row.section,
                points=final.points,
                max_points=final.max_points,
                attempt=final.attempt or 0,
                reasons=final.reasons,
            )
        )
    return rows


def _max_points(book: "Gradebook") -> int:
    from graders.engine.gradebook.settings import settings

    kept = settings(book)
    return 0 if kept is None else kept.max_points


def _text(path: Path) -> str:
    from graders.engine.cli.files import read_at_most

    try:
        return read_at_most(path, MOST_TEMPLATE_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"--template {shown_path(path)} is not UTF-8; download it once more from Canvas") from error
