"""The final scores of everybody in a gradebook: the roster's students, and those who are in no roster."""

from collections.abc import Mapping
from dataclasses import dataclass

from graders.engine.gradebook.attempts import attempts_of, names_of_attempts
from graders.engine.gradebook.file import Gradebook
from graders.engine.gradebook.marks import marks_in_force
from graders.engine.gradebook.people import everybody
from graders.engine.gradebook.settings import Settings, settings
from graders.engine.load.roster import RosterRow
from graders.engine.score.final import Final, Marks, Terms, final
from graders.engine.score.marks import Entry


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a final score: how they are called, their row of the roster, and the names of their attempts."""

    student: str
    row: RosterRow | None
    names: tuple[str, ...]


def finals(book: Gradebook) -> Mapping[str, Final]:
    """Return the final scores by student: of the roster in its order, then of others in the order of their names.

    Raises CourseError for a gradebook with something in it that this program would not have written.
    """
    kept = settings(book) or Settings(0, None)
    marks = marks_by_student(book)
    found = {}
    for person in people(book):
        extension = person.row.extension if person.row else None
        terms = Terms(kept.late, kept.max_points, extension, marks.get(person.student, {}))
        found[person.student] = final(person.student, attempts_of(book, *person.names), terms)
    return found


def people(book: Gradebook) -> list[Person]:
    """Return everybody: attempts under any name that a student of the roster has, or had before, are theirs."""
    known = everybody(book)
    by_row: dict[RosterRow, list[str]] = {row: [] for row in known.roster.rows}
    others = []
    for name in names_of_attempts(book):
        row = known.owner(name)
        if row is None:
            others.append(Person(name, None, (name,)))
        else:
            by_row[row].append(name)
    return [*(Person(row.student, row, tuple(names)) for row, names in by_row.items()), *others]


def marks_by_student(book: Gradebook) -> Mapping[str, Marks]:
    """Return the marks by student, whichever of their names a mark has; the newest for each check."""
    known = everybody(book)
    found: dict[str, dict[tuple[str, str], Entry]] = {}
    for entry in marks_in_force(book):
        row = known.owner(entry.student)
        found.setdefault(entry.student if row is None else row.student, {})[entry.exercise, entry.check] = entry
    return found
