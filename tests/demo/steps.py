"""The commands that an instructor gives, in their order, from what was handed in to scores that others can read."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from tests.demo.class_of_sixty import ROUNDS

FIRST, SECOND, LAST = (f"graded/{name}" for name in ROUNDS)
BOOK, PAGES = "scores.sqlite", "report"
COURSE = ("--course", "course")


@dataclass(frozen=True, slots=True)
class Step:
    """A command of `grade`, why it is given, and the file that its output goes to, if that is not for reading."""

    why: str
    arguments: tuple[str, ...]
    into: str = ""

    @property
    def typed(self) -> str:
        """The command line, as a person would type it."""
        return f"$ {shlex.join(('grade', *self.arguments))}" + (f" > {self.into}" if self.into else "")


GRADED = "And everybody's last one, three of them after the deadline."
FOR = {
    "canvas": "Scores as Canvas imports them.",
    "moodle": "As Moodle does.",
    "csv": "And for a spreadsheet, with all reasons.",
}
OF_ONE = "Why somebody has these points: okafor was late, and has no extension."


def steps() -> Iterator[Step]:
    """Return all of them."""
    yield Step("Some handed in two days early, and wanted to know where they stand.", _class(ROUNDS[0]))
    yield Step("A day later they did so again, and others with them.", _class(ROUNDS[1]))
    yield Step(GRADED, _class(ROUNDS[2]))
    yield _mark("A person reads the discussions, and marks them.", "aalto", 2, "Weighs both schemes.")
    yield _mark("Another one gives no reason against.", "bui", 1, "What would speak against it?")
    why = "And an answer to a question is right, in words that the checks did not know."
    yield _mark(why, "das", 1, "Means extrapolation, in other words.", "--check", "why_relative")
    yield Step("The same once more: marks come onto the cards, and nothing is graded again.", _class(ROUNDS[2]))
    yield from _gradebook()
    for system, file in (("canvas", "for-canvas.csv"), ("moodle", "for-moodle.csv"), ("csv", "scores.csv")):
        yield Step(FOR[system], ("export", BOOK, "--to", system, *COURSE), into=file)
    pages = ("report", LAST, "--gradebook", BOOK, "--roster", "roster.csv")
    yield Step("The pages that the staff read.", (*pages, "--html", PAGES))
    yield Step("And one that may be shown to the class.", (*pages, "--anonymous", "--html", f"{PAGES}-for-the-class"))


def _class(name: str) -> tuple[str, ...]:
    return ("class", name, *COURSE, "--roster", "roster.csv", "--seed", "7", "--out", f"graded/{name}")


def _mark(why: str, student: str, points: int, note: str, *which: str) -> Step:
    card = f"{LAST}/cards/{student}.json"
    return Step(why, ("mark", card, "ex07", *which, "--points", str(points), "--note", note, *COURSE))


def _gradebook() -> Iterator[Step]:
    yield Step("One file for scores, which keeps every attempt.", ("gradebook", "init", BOOK, *COURSE))
    yield Step("Who is in the class, and who has more time.", ("gradebook", "roster", BOOK, "roster.csv"))
    for which, folder in (("first", FIRST), ("second", SECOND), ("last", LAST)):
        yield Step(f"The {which} attempts.", ("gradebook", "add", BOOK, folder))
    yield Step("What people gave.", ("gradebook", "marks", BOOK, "course/marks.json"))
    yield Step("What everybody has.", ("gradebook", "show", BOOK, *COURSE))
    yield Step(OF_ONE, ("gradebook", "show", BOOK, "okafor", *COURSE))
    yield Step("das was given a point by a person.", ("gradebook", "show", BOOK, "das", *COURSE))
    yield Step("Whether the book is whole.", ("gradebook", "check", BOOK))
