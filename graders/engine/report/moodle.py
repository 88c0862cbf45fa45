"""Final scores as CSV for Moodle's import of grades.

Columns are mapped to fields when it is imported: "Email address" or "ID number" to the user, then the grade and its
feedback. Feedback that comes without a grade erases grades there, so each row has both.
"""

from collections.abc import Sequence

from graders.engine.report.column_title import require_title
from graders.engine.report.grade_rows import GradeFile, GradeRow, about_rows, altered, as_csv, note

HEADER = ("Full name", "ID number", "Email address", "Department")
LONGEST_FEEDBACK = 5000


def moodle(rows: Sequence[GradeRow], title: str) -> GradeFile:
    """Return the file for a grade item of this title; raises UsageError for one that another column has.

    E-mail addresses stay as they are, since capitals count there. Whoever has neither address nor ID is left out.
    """
    require_title(title)
    found = [row for row in rows if row.known and (row.email or row.id)]
    lines = (
        (row.name, row.id, row.email, row.section, row.points, "; ".join(row.reasons)[:LONGEST_FEEDBACK])
        for row in found
    )
    notes = [
        *about_rows(rows),
        *note("left out, since the roster has neither e-mail nor id", (r.student for r in rows if _nameless(r))),
        *note(
            "above the maximum, which Moodle takes only where its setting unlimitedgrades is on",
            (row.student for row in found if row.points > row.max_points),
        ),
        *altered(found, "id", "email"),
    ]
    return GradeFile(as_csv([(*HEADER, title, f"{title} feedback"), *lines]), tuple(notes))


def _nameless(row: GradeRow) -> bool:
    return row.known and not row.email and not row.id
