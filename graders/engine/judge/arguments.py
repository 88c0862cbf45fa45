"""What a check may ask for by the names of its arguments, and how each of them is made for one attempt."""

from collections.abc import Callable

from graders.engine.judge.attempt import Attempt
from graders.engine.judge.catalogue import Check
from graders.engine.judge.course_files import import_file
from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import Unexpected
from graders.engine.judge.student import Given, Student
from graders.engine.judge.written.answers import Answers
from graders.engine.load.course import Course


def arguments_of(check: Check, attempt: Attempt, course: Course, seed: int) -> dict[str, object]:
    """Return what a check asks for, by name, made in the order in which it asks.

    `student` is the submission, with a worker that has loaded it and the clock running; `given` the course's own file
    beside the checks, loaded into that worker when it is first used; `answers` a sheet, which needs no worker;
    `reference` the course's own solution, imported into the judge; `rng` the check's random inputs.
    """
    rng = Draw(seed, check.item.nodeid)
    makers: dict[str, Callable[[], object]] = {
        "student": lambda: _student(attempt, rng),
        "given": lambda: Given(attempt, rng, course.given(check.slug)),
        "answers": lambda: _answers(attempt),
        "reference": lambda: import_file(course.reference(check.slug)),
        "rng": lambda: rng,
    }
    return {name: makers[name]() for name in check.asks}


def _student(attempt: Attempt, rng: Draw) -> Student:
    attempt.begin_check()
    return Student(attempt, rng)


def _answers(attempt: Attempt) -> Answers:
    answers = Answers(attempt.file.source)
    try:
        answers.require_readable()  # once, and not in every check
    except Unexpected:
        attempt.loads = False
        raise
    return answers
