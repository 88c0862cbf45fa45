"""Final scores as plain CSV: everybody, whether in the roster or not, with the reasons for each number."""

from collections.abc import Sequence

from graders.engine.report.grade_rows import GradeFile, GradeRow, about_rows, as_csv

HEADER = (
    "student", "login", "id", "name", "email", "section", "points", "max_points", "attempt", "in_roster", "reasons",
)  # fmt: skip


def gradebook_csv(rows: Sequence[GradeRow]) -> GradeFile:
    """Return the file; an attempt of 0 is none."""
    lines = (
        (
            row.student,
            row.login,
            row.id,
            row.name,
            row.email,
            row.section,
            row.points,
            row.max_points,
            row.attempt,
            "yes" if row.known else "no",
            "; ".join(row.reasons),
        )
        for row in rows
    )
    return GradeFile(as_csv([HEADER, *lines]), tuple(about_rows(rows)))
