"""Final scores as CSV for Canvas: this module writes what its import of a gradebook reads.

Canvas looks for a student by its own ID, then by SIS User ID, SIS Login ID and name. Its own IDs stand only in a
gradebook that was downloaded from there; with such a template, each row is the template's with the points added.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.engine.errors import UsageError
from graders.engine.report.column_title import require_title
from graders.engine.report.grade_rows import GradeFile, GradeRow, about_rows, altered, as_csv, note

STUDENT, ID, SIS_ID, LOGIN, SECTION = "Student", "ID", "SIS User ID", "SIS Login ID", "Section"
HEADER = (STUDENT, ID, SIS_ID, LOGIN, SECTION)
POSSIBLE = "    Points Possible"
MOST_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Template:
    """A gradebook as Canvas wrote it: columns about students, the titles of the others, and a row for each student."""

    columns: tuple[str, ...]
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def canvas(rows: Sequence[GradeRow], title: str, max_points: int) -> GradeFile:
    """Return the file with a column of this title; raises UsageError for one that Canvas would drop.

    The roster's id is the SIS User ID. The login stands in only for students without id: elsewhere, somebody else may
    have that login in Canvas.
    """
    require_title(title)
    found = [row for row in rows if row.known]
    lines: list[tuple[str | int, ...]] = [
        (row.name or row.login or row.email, "", row.id, "" if row.id else row.login, row.section, row.points)
        for row in found
    ]
    lines.insert(0, (POSSIBLE, "", "", "", "", max_points))
    notes = [*about_rows(rows), *altered(found, "id", "login")]
    return GradeFile(as_csv([(*HEADER, title), *lines]), tuple(notes))


def canvas_by_template(rows: Sequence[GradeRow], title: str, max_points: int, template: Template) -> GradeFile:
    """Return the file as `canvas` does, with the columns about students as a downloaded gradebook has them.

    A column that is there by this title keeps its number, and so stays the same assignment.
    """
    require_title(title)
    known = re.compile(rf"{re.escape(title)}( \([0-9]+\))?")
    heading = next((other for other in template.titles if known.fullmatch(other)), title)
    matched, left = _matched([row for row in rows if row.known], template)
    lines: list[tuple[str | int, ...]] = [(POSSIBLE, *[""] * (len(template.columns) - 1), max_points)]
    lines += [(*template.rows[place], matched[place].points) for place in sorted(matched)]
    others = [row[0] for place, row in enumerate(template.rows) if place not in matched]
    notes = [
        *about_rows(rows),
        *note("left out, as nobody in the template is surely that student", (row.student for row in left)),
        *note("in the template and not in the roster", others),
    ]
    return GradeFile(as_csv([(*template.columns, heading), *lines]), tuple(notes))


def read_template(text: str) -> Template:
    """Return a gradebook that Canvas wrote; raises UsageError for anything else."""
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    try:
        read = csv.reader(io.StringIO(text), delimiter=";" if first.count(";") > first.count(",") else ",", strict=True)
        header, *rows = [row for row in read if row] or [[]]
    except csv.Error as error:
        raise _no_template(str(error)) from error
    last = max((place for place, name in enumerate(header) if SECTION in name), default=None)
    if last is None or len(header) < 2 or STUDENT not in header[0] or header[1] != ID:
        raise _no_template("its first line does not begin with Student,ID and has no Section")
    if len(header) * (len(rows) + 1) > MOST_CELLS:
        raise _no_template("it is too large")
    students = [row for row in rows if len(row) > last and row[1].strip().isdecimal()]
    width = last + 1
    return Template(tuple(header[:width]), tuple(header[width:]), tuple(tuple(row[:width]) for row in students))


def _no_template(reason: str) -> UsageError:
    return UsageError(f"--template is no gradebook that Canvas wrote ({reason}); download one there as CSV")


def _matched(rows: list[GradeRow], template: Template) -> tuple[dict[int, GradeRow], list[GradeRow]]:
    """Return the students by their places in the template, and those who have none.

    The surest kind of name goes first, for everybody: or else a namesake of somebody, or one whose login here is
    another's there, could take that one's place.
    """
    places = _places(template)
    matched: dict[int, GradeRow] = {}
    left = rows
    for keys in zip(*(_keys(row) for row in rows), strict=True):
        wanted = dict(zip((row.student for row in rows), keys, strict=True))
        claims = Counter(wanted[row.student] for row in left)
        others = []
        for row in left:
            place = places.get(wanted[row.student]) if claims[wanted[row.student]] == 1 else None
            if place is None or place in matched or _has_other_id(row, template, place):
                others.append(row)
            else:
                matched[place] = row
        left = others
    return matched, left


def _has_other_id(row: GradeRow, template: Template, place: int) -> bool:
    """Whether that is somebody else by the ids, whatever other names say."""
    cells = dict(zip(template.columns, template.rows[place], strict=True))
    there = cells.get(SIS_ID, "")
    return bool(row.id and there) and row.id not in (there, cells[ID])


def _places(template: Template) -> Mapping[tuple[str, str], int | None]:
    """Where a student stands, by each kind of name; None where two have the same."""
    found: dict[tuple[str, str], int | None] = {}
    for place, row in enumerate(template.rows):
        cells = dict(zip(template.columns, row, strict=True))
        keys = {
            (SIS_ID, cells.get(SIS_ID, "")),
            (ID, cells.get(ID, "")),
            (LOGIN, cells.get(LOGIN, "").casefold()),
            *((STUDENT, form) for form in _forms(cells.get(STUDENT, ""))),
        }
        for key in keys:
            if key[1]:
                found[key] = place if key not in found else None
    return found


def _keys(row: GradeRow) -> list[tuple[str, str]]:
    """By what a student of the roster may be found, the surest first; as many for each, some of them empty."""
    keys = [(SIS_ID, row.id), (ID, row.id), (LOGIN, row.email.casefold()), (LOGIN, row.login.casefold())]
    return [*keys, (STUDENT, row.name.casefold()), (STUDENT, _forms(row.name)[-1])]


def _forms(name: str) -> list[str]:
    """A name as it is, and with the family's last where a comma puts that first."""
    family, comma, given = name.casefold().partition(",")
    return [name.casefold(), *([f"{given.strip()} {family.strip()}"] if comma else [])]
