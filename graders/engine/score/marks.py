"""Marks that people give: the book that keeps them, what one does to a check, and what it does to a card.

A mark belongs to a student, an exercise and a check, and remembers which answer was seen. Grading anew reads the book
and never writes it.
"""

import datetime
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import field_validator, model_validator

from graders.engine.errors import CourseError
from graders.engine.judge.outcome import Verdict
from graders.engine.load.rubric import ExerciseRubric, Rubric
from graders.engine.score.card import Card, make_card
from graders.engine.score.record import Digest, Mark, Name, Note, Points, Record, Student
from graders.engine.score.results import CheckResult, ExerciseResult


class Entry(Record):
    """One mark as the book keeps it, with the digest of the answer that was marked; none if there was no file."""

    student: Student
    exercise: Name
    check: Name
    points: Points
    note: Note
    date: datetime.date
    sha256: Digest | None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.student, self.exercise, self.check


class MarksBook(Record):
    """Every mark that is in force."""

    version: Literal[1]
    marks: tuple[Entry, ...]

    @field_validator("version", mode="before")
    @classmethod
    def _only_the_integer(cls, version: object) -> object:
        return version if type(version) is int else None

    @model_validator(mode="after")
    def _one_mark_each(self) -> Self:
        seen: set[tuple[str, str, str]] = set()
        for entry in self.marks:
            if entry.key in seen:
                raise ValueError(f"{', '.join(entry.key)}: marked twice in one book; keep one of the two")
            seen.add(entry.key)
        return self


NO_MARKS = MarksBook(version=1, marks=())


def book_to_json(book: MarksBook) -> str:
    """The book as JSON text, in an order that makes changes easy to see, with a newline at its end."""
    ordered = sorted(book.marks, key=lambda entry: entry.key)
    return MarksBook(version=1, marks=tuple(ordered)).model_dump_json(indent=2) + "\n"


def book_from_json(text: str | bytes) -> MarksBook:
    """The book in ``text``; raises ``pydantic.ValidationError``, a ``ValueError``, naming what is wrong."""
    return MarksBook.model_validate_json(text)


def record(book: MarksBook, entry: Entry) -> MarksBook:
    """Return the book with this mark in it, in the place of a former one for the same check."""
    others = tuple(other for other in book.marks if other.key != entry.key)
    return MarksBook(version=1, marks=(*others, entry))


def look_up(book: MarksBook, student: str, exercise: str, check: str) -> Entry | None:
    """Return the mark for this check of this student's, if there is one."""
    return next((entry for entry in book.marks if entry.key == (student, exercise, check)), None)


def marks_of(book: MarksBook, student: str | None, rubric: Rubric) -> dict[tuple[str, str], Entry]:
    """Return a student's marks by exercise and check.

    Raises CourseError for a mark that the rubric has no place for by now: dropping it would lose a person's work.
    """
    found = {(entry.exercise, entry.check): entry for entry in book.marks if entry.student == student}
    for (slug, check), entry in found.items():
        most = max_points(rubric.exercises[slug], check) if slug in rubric.exercises else 0
        if not most:
            raise CourseError(
                f"{student} has a mark for {check} of {slug}, and grading.yaml has no such check; "
                "take the mark out of the book of marks, or give it the name that the check has now"
            )
        if entry.points > most:
            raise CourseError(
                f"{student} has a mark of {entry.points} points for {check} of {slug}, and grading.yaml gives "
                f"{most} at most; mark it again with `grade mark`, or mend grading.yaml"
            )
    return found


def max_points(exercise: ExerciseRubric, check: str) -> int:
    """Return what the rubric gives for a check, a hidden one or a text included; 0 where there is none of the name."""
    texts = {name: item.points for name, item in exercise.person.items()}
    return (exercise.visible | exercise.hidden | texts).get(check, 0)


def answer_digest(exercise: ExerciseResult, check: CheckResult) -> str | None:
    """Return the digest of what a mark of this check is about: the text, or the exercise's file."""
    return check.answer.sha256 if check.answer else exercise.sha256


def marked(check: CheckResult, entry: Entry, digest: str | None) -> CheckResult:
    """Return the check as a person marked it; what the machine found stays in its words."""
    mark = Mark(points=entry.points, note=entry.note, date=entry.date, answer_changed=entry.sha256 != digest)
    return CheckResult(**{**dict(check), "verdict": Verdict.MARKED, "points": entry.points, "mark": mark})


def mark_exercise(exercise: ExerciseResult, marks: Mapping[tuple[str, str], Entry]) -> ExerciseResult:
    """Return the exercise with those of the marks that are for its checks."""
    checks = [
        marked(check, marks[exercise.slug, check.id], answer_digest(exercise, check))
        if (exercise.slug, check.id) in marks
        else check
        for check in exercise.checks
    ]
    points = sum(check.points for check in checks)
    return ExerciseResult(**{**dict(exercise), "checks": tuple(checks), "points": points})


def mark_card(card: Card, entry: Entry) -> Card:
    """Return the card with a mark in it, and all sums anew."""
    return with_marks(card, {(entry.exercise, entry.check): entry})


def with_marks(card: Card, marks: Mapping[tuple[str, str], Entry]) -> Card:
    """Return the card with those of a student's marks that are for its checks, and all sums anew."""
    return make_card(
        [mark_exercise(exercise, marks) for exercise in card.exercises],
        [(objective.name, objective.title) for objective in card.objectives],
        card.grader,
        card.student,
        bonus_beyond_maximum=card.bonus_beyond_maximum,
        late=card.late,
    )
