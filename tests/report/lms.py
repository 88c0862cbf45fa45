"""What Canvas and Moodle make of a CSV of grades, by their own rules and written here anew, as strictly as they are."""

import csv
import io
import re
from dataclasses import dataclass, field

DROPPED = re.compile(r"(?i)(current|final).*(score|points|grade)|(score|points|grade).*(current|final)|override")
STUDENT_COLUMNS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section"]


@dataclass(frozen=True)
class CanvasUser:
    """Somebody enrolled in the course there."""

    id: str
    sis: str
    login: str
    name: str


@dataclass
class CanvasImport:
    """What an import would change: grades by assignment and Canvas ID, new assignments, and rows of nobody."""

    grades: dict[tuple[str, str], float] = field(default_factory=dict)
    possible: dict[str, float] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    nobody: list[str] = field(default_factory=list)


def canvas_import(text: str, users: list[CanvasUser], assignments: dict[str, str]) -> CanvasImport:
    """Import a file into a course with these users and assignments, by ID; raises ValueError as Canvas refuses it."""
    delimiter = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    if "Student" not in header[0] or header[1] != "ID":
        raise ValueError("Invalid header row")
    known = [name for name in header if name in STUDENT_COLUMNS]
    if header[: len(known)] != known or known != [name for name in STUDENT_COLUMNS if name in known]:
        raise ValueError("Invalid header row: columns of students stand first, and in their order")
    if "Section" not in header[len(known) - 1]:
        raise ValueError("Invalid header row: the last column of students is Section")
    found = CanvasImport()
    columns: dict[int, str] = {}
    for place, title in enumerate(header[len(known) :], start=len(known)):
        if DROPPED.search(title):
            continue
        number = re.search(r" \((\d+)\)$", title)
        if number and number[1] in assignments:
            columns[place] = assignments[number[1]]
        elif title in assignments.values():
            columns[place] = title
        else:
            found.new.append(title)
            columns[place] = title
    for row in rows:
        if len(row) != len(header):
            raise ValueError("a row has more or fewer cells than the header")
        cells = dict(zip(header[: len(known)], row, strict=False))
        if "Points Possible" in row[0]:
            found.possible |= {title: _number(row[place]) for place, title in columns.items()}
            continue
        user = _user(cells, users)
        if user is None:
            found.nobody.append(row[0])
            continue
        for place, title in columns.items():
            if row[place] not in ("", "-"):
                found.grades[title, user.id] = _number(row[place])
    return found


def _user(cells: dict[str, str], users: list[CanvasUser]) -> CanvasUser | None:
    for column, kind in (("ID", "id"), ("SIS User ID", "sis"), ("SIS Login ID", "login"), ("Student", "name")):
        wanted = cells.get(column, "")
        found = [user for user in users if wanted and getattr(user, kind).casefold() == wanted.casefold()]
        if found:
            return found[0]
    return None


def _number(cell: str) -> float:
    if "," in cell:  # what Canvas does with a comma, silently
        return float(cell.replace(",", "."))
    return float(cell)


@dataclass
class MoodleImport:
    """What an import would change: grades and feedback by the user's name, and rows of nobody."""

    grades: dict[str, float] = field(default_factory=dict)
    feedback: dict[str, str] = field(default_factory=dict)
    nobody: list[str] = field(default_factory=list)


def moodle_import(
    text: str,
    users: dict[str, str],
    by: str,
    title: str,
    feedback: str | None,
    maximum: int,
    *,
    unlimited: bool = False,
) -> MoodleImport:
    """Import a file with these columns mapped; ``users`` are names by what the column `by` has, capitals included."""
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    found = MoodleImport()
    for row in reader:
        if None in row or None in row.values():
            raise ValueError("a row has more or fewer cells than the header")
        name = users.get(row[by]) if row[by] else None
        if name is None:
            found.nobody.append(row[by])
            continue
        if feedback is not None and not row[title]:
            raise ValueError(f"feedback without a grade erases the grade of {name}")
        value = float(row[title])
        if value > maximum and not unlimited:
            raise ValueError(f"{name} has {value} of {maximum}")
        found.grades[name] = value
        if feedback is not None:
            found.feedback[name] = row[feedback]
    return found
