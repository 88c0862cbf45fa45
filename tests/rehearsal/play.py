"""The play: a course of five students, from release to posted scores."""

from collections.abc import Iterator
from dataclasses import dataclass

from graders.engine.score.card import Card
from tests.github.state import Pull
from tests.rehearsal.record import Run
from tests.rehearsal.stage import Stage
from tests.rehearsal.students import Student, five_students


@dataclass(frozen=True)
class Scene:
    """One student's part of it. The whole card is what the staff read, who have the key."""

    student: Student
    pull: Pull
    practice: Run
    grading: Run
    whole: Card


def play(stage: Stage) -> Iterator[Scene]:
    """Let all hand in, and then be practised and graded, one after another."""
    handed_in = [(student, stage.hand_in(student)) for student in five_students(stage.scratch)]
    for student, pull in handed_in:
        yield play_one(stage, student, pull)


def play_one(stage: Stage, student: Student, pull: Pull) -> Scene:
    """Let one of them be practised and graded."""
    practice = stage.practise(student, pull)
    number, grading = stage.grade(student, pull)
    return Scene(student, pull, practice, grading, stage.whole_card(number))
