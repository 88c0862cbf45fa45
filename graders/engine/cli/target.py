"""What a person looked at before they marked: a folder or a card shows the answer, a student's name does not."""

import os
from dataclasses import dataclass
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.cli.card_file import read_card
from graders.engine.cli.common import load
from graders.engine.cli.students import require_student, student_of
from graders.engine.errors import UsageError, shown_path
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric
from graders.engine.score.card import Card
from graders.engine.score.marks import MarksBook, answer_digest, look_up, max_points


@dataclass(frozen=True, slots=True)
class Asked:
    """Which check is to be marked, and whose, if that was said."""

    exercise: str
    check: str
    student: str | None

    def __str__(self) -> str:
        return f"{self.check} of {self.exercise}"


@dataclass(frozen=True, slots=True)
class Seen:
    """Whose answer was looked at, its digest (none if there is no file), and the card that shows it, if one does."""

    student: str
    sha256: str | None
    card: Card | None = None


def look_at(target: str, asked: Asked, book: MarksBook, course: Course, rubric: Rubric) -> Seen:
    """Return what the target shows of the answer; raises UsageError where it leaves open which answer or whose."""
    if os.path.isdir(target):
        return _look_at_folder(Path(target), asked, course, rubric)
    if os.path.isfile(target):
        return _look_at_card(Path(target), asked, rubric)
    return _look_up_name(target, asked, book)


def _look_at_folder(folder: Path, asked: Asked, course: Course, rubric: Rubric) -> Seen:
    name = student_of(folder, asked.student)
    if name is None:
        raise UsageError(f"{shown_path(folder)} has no name that could be a student's; give one with --student")
    (file,) = load(folder, course, rubric, [asked.exercise]).files
    if asked.check in rubric.exercises[asked.exercise].person:
        digests = {text.item: text.sha256 for text in file.written}
        return Seen(name, digests.get(asked.check) or None)
    return Seen(name, file.sha256 or None)


def _look_at_card(path: Path, asked: Asked, rubric: Rubric) -> Seen:
    card, shown = read_card(path), shown_path(path)
    name = asked.student or card.student
    if name is None:
        raise UsageError(f"{shown} does not say whose card it is; give the name with --student")
    if card.student not in (None, name):
        raise UsageError(f"{shown} is the card of {card.student}, and --student says {name}")
    exercise = next((result for result in card.exercises if result.slug == asked.exercise), None)
    if exercise is None:
        raise UsageError(f"{shown} does not cover {asked.exercise}; grade that too, or give the student's folder")
    check = next((result for result in exercise.checks if result.id == asked.check), None)
    if check is None:
        why = "is of another rubric, and" if card.grader.hidden else "was made without hidden checks, and"
        raise UsageError(f"{shown} {why} does not list {asked}; grade anew, or give the student's folder")
    most = max_points(rubric.exercises[asked.exercise], asked.check)
    if check.max_points != most:
        raise UsageError(
            f"{shown} is of another rubric: {asked} is worth {check.max_points} there and {most} now; grade anew first"
        )
    return Seen(name, answer_digest(exercise, check), card)


def _look_up_name(target: str, asked: Asked, book: MarksBook) -> Seen:
    """Nobody can see by a name which answer was marked: only a mark that is there can be changed, for its answer."""
    name = require_student(target)
    known = {entry.student for entry in book.marks}
    if name not in known or asked.student not in (None, name):
        raise UsageError(f'there is no card or folder "{one_line(target)}", and no student of that name has marks')
    former = look_up(book, name, asked.exercise, asked.check)
    if former is None:
        raise UsageError(
            f"{name} has no mark yet for {asked}; give the card or the folder, so that it is known which answer it is "
            "that you mark"
        )
    return Seen(name, former.sha256)
