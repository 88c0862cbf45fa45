"""What the files for other systems are made of: a row for each student, and what such a file leaves out."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graders.engine.clean import csv_cell, one_line


@dataclass(frozen=True, slots=True)
class GradeRow:
    """A student with a final score; what the roster does not say is empty, and `known` is whether it has the student.

    `attempt` is the one that counts, and 0 where nothing was handed in.
    """

    student: str
    known: bool
    login: str
    id: str
    name: str
    email: str
    section: str
    points: int
    max_points: int
    attempt: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GradeFile:
    """The text of a file, and lines about what a person should know before it is imported anywhere."""

    text: str
    notes: tuple[str, ...]


def as_csv(rows: Iterable[Sequence[str | int]]) -> str:
    """Return rows as CSV. Numbers stay numbers, no text is a formula, and ids of letters and digits stay."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerows([cell if isinstance(cell, int) else csv_cell(cell) for cell in row] for row in rows)
    return file.getvalue()


def note(words: str, students: Iterable[str]) -> list[str]:
    """Return a line that names students, as people read it, and none where there are none."""
    names = ", ".join(one_line(student) for student in students)
    return [f"{words}: {names}"] if names else []


def altered(rows: Iterable[GradeRow], *columns: str) -> list[str]:
    """Return a line about students whose id or the like can't stand in a spreadsheet as it is: none will find them."""
    found = [row.student for row in rows if any(csv_cell(getattr(row, name)) != getattr(row, name) for name in columns)]
    return note(f"written otherwise, so that no spreadsheet takes it for a formula ({', '.join(columns)})", found)


def about_rows(rows: Sequence[GradeRow]) -> list[str]:
    """Return what is to be said of the students of every file: who is unknown, and who has handed in nothing."""
    return [
        *note("not in the roster, and so in no file for others", (row.student for row in rows if not row.known)),
        *note("no attempt, and so 0 points", (row.student for row in rows if not row.attempt)),
    ]
