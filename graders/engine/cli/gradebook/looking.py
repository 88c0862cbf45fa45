"""The commands `grade gradebook show`, `check` and `log`: what only looks at a gradebook."""

import json
from typing import Annotated

import typer

from graders.engine.clean import one_line
from graders.engine.cli.common import CourseOption
from graders.engine.cli.gradebook.common import FileArgument, named, say, say_if_course_differs
from graders.engine.errors import CourseError, UsageError, first_of, shown_path

MOST_PROBLEMS = 30

StudentArgument = Annotated[
    str | None, typer.Argument(metavar="STUDENT", help="One student alone, by login, id, e-mail or name.")
]


def show(file: FileArgument, student: StudentArgument = None, course: CourseOption = None) -> None:
    """Print the final scores; of one student, with the reason for each number.

    Exit code 0: printed. 2: FILE is no gradebook, or has no such student. 3: the gradebook or the course needs mending.
    """
    from graders.engine.gradebook.file import open_gradebook, reading
    from graders.engine.gradebook.finals import finals, people
    from graders.engine.gradebook.people import everybody

    with open_gradebook(file) as book, reading(book):
        found = finals(book)
        persons = people(book)
        row = None if student is None else everybody(book).owner(student)
        say_if_course_differs(book, course)
    if student is None:
        for name, final in found.items():
            say(f"{name}: {final.points}/{final.max_points}, {final.reasons[0]}")
        named("not in the roster", (person.student for person in persons if person.row is None))
        return
    name = student if row is None else row.student
    if name not in found:
        raise UsageError(f'nobody called "{one_line(student)}" is in {shown_path(file)}')
    say(f"{name}: {found[name].points}/{found[name].max_points}")
    for reason in found[name].reasons:
        say(f"- {reason}")


def check(file: FileArgument) -> None:
    """Prove that the gradebook is whole: the file, every card and mark, the log of changes, and the final scores.

    Exit code 0: it is. 2: FILE is no gradebook. 3: it is damaged, or was changed by another program.
    """
    from graders.engine.gradebook.file import open_gradebook, reading
    from graders.engine.gradebook.proof import problems

    with open_gradebook(file) as book, reading(book):
        found = list(problems(book))
        (entries,) = book.connection.execute("SELECT count(*) FROM log").fetchone()
    if found:
        lines = "\n".join(f"- {one_line(line)}" for line in first_of(found, MOST_PROBLEMS))
        raise CourseError(f"{shown_path(file)} is not as this program left it:\n{lines}\nBring back a copy of it.")
    say(f"{shown_path(file)} is whole: {entries} entries in its log, and everything is as they say")


def log(file: FileArgument, student: StudentArgument = None) -> None:
    """Print who changed what and when, the oldest first; of one student, or of all.

    Exit code 0: printed. 2: FILE is no gradebook. 3: the gradebook needs mending.
    """
    from graders.engine.gradebook.file import open_gradebook, reading
    from graders.engine.gradebook.log import entries
    from graders.engine.gradebook.people import everybody

    with open_gradebook(file) as book, reading(book):
        known = everybody(book)
        row = None if student is None else known.owner(student)
        for entry in entries(book.connection):
            owner = None if entry.student is None else known.owner(entry.student)
            if student is None or entry.student == student or (owner is not None and owner is row):
                about = f" {entry.student}" if entry.student is not None else ""
                changed = f"{_facts(entry.former)} -> {_facts(entry.new)}" if entry.former else _facts(entry.new)
                say(f"{entry.at} {entry.who}: {entry.what}{about}: {changed}")


def _facts(text: str | None) -> str:
    """Return the facts of an entry on one line; whatever else somebody put there is shown as it stands."""
    try:
        facts = json.loads(text or "{}")
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        return str(text)
    return ", ".join(f"{name} {value}" for name, value in facts.items() if value not in (None, "")) or "nothing"
