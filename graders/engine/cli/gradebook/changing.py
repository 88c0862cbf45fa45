"""The commands `grade gradebook init`, `course`, `roster`, `add` and `marks`: what changes a gradebook."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.cli.common import CourseOption, open_course
from graders.engine.cli.gradebook.common import FileArgument, WhoOption, named, say, whoever
from graders.engine.errors import UsageError, shown_path

AT_ONCE = 100
"""So many cards are added together: others wait for no more than that, and all of them are written or none."""


def init(file: FileArgument, who: WhoOption = None, course: CourseOption = None) -> None:
    """Make an empty gradebook, which counts by the late policy in grading.yaml.

    Exit code 0: made. 2: it was not, since something lies there already, or nothing can be written. 3: the course needs
    mending.
    """
    from graders.engine.gradebook.file import make_gradebook, open_gradebook
    from graders.engine.gradebook.settings import keep_settings, settings_of

    _, rubric = open_course(course)
    make_gradebook(file, whoever(who))
    with open_gradebook(file) as book:
        keep_settings(book, settings_of(rubric), whoever(who))
    say(f"Made {shown_path(file)}; add students with `grade gradebook roster`, their cards with `grade gradebook add`")


def course(file: FileArgument, who: WhoOption = None, course: CourseOption = None) -> None:
    """Count by the late policy and the maximum that grading.yaml has now.

    Exit code 0: done. 2: FILE is no gradebook. 3: the course or the gradebook needs mending.
    """
    from graders.engine.gradebook.file import open_gradebook
    from graders.engine.gradebook.settings import keep_settings, settings_of

    _, rubric = open_course(course)
    wanted = settings_of(rubric)
    with open_gradebook(file) as book:
        changed = keep_settings(book, wanted, whoever(who))
    late = "a late policy" if wanted.late else "no late policy"
    say(f"{shown_path(file)} counts by {wanted.max_points} points and {late}{'' if changed else ', as it did before'}")


def roster(
    file: FileArgument,
    students: Annotated[
        Path, typer.Argument(metavar="ROSTER", help="CSV with columns login, id, name, email, section, extension.")
    ],
    who: WhoOption = None,
) -> None:
    """Add the students of a roster, and bring those who are there up to date. Nobody is ever taken out.

    An extension is a number of hours, or the moment of this student's own deadline.

    Exit code 0: done. 2: the roster or FILE is none. 3: the gradebook needs mending.
    """
    from graders.engine.gradebook.file import open_gradebook
    from graders.engine.gradebook.people import put_roster
    from graders.engine.load.roster import read_roster

    read = read_roster(students)
    with open_gradebook(file) as book:
        came = put_roster(book, read, whoever(who))
    for line in came.changed:
        say(f"changed: {line}")
    for line in came.moved:
        say(f"moved: {line}")
    same = len(read.rows) - len(came.added) - len(came.changed)
    say(f"{shown_path(file)}: {len(came.added)} students added, {len(came.changed)} changed, {same} as they were")
    named("in the gradebook, and not in this roster", came.absent)
    for line in read.unread:
        named("not read", [line])


def add(
    file: FileArgument,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A class folder, as `grade class` writes it.")],
    who: WhoOption = None,
) -> None:
    """Add the cards of a class that was graded. What is there already stays; adding the same again changes nothing.

    The same work graded anew is the same attempt, whose newest card counts.

    Exit code 0: done. 2: DIR or FILE is not what it should be. 3: the gradebook or the class folder needs mending.
    """
    from graders.engine.gradebook.attempts import Came, Graded, add_attempts
    from graders.engine.gradebook.file import open_gradebook
    from graders.engine.gradebook.people import everybody
    from graders.engine.score.card import card_to_json
    from graders.engine.score.class_folder import read_card, read_class

    found = read_class(folder)
    graded = (
        Graded(
            student=entry.student,
            handed_in_at=entry.handed_in_at,
            source=entry.source,
            commit=entry.commit,
            card=card_to_json(read_card(folder, entry.student, entry.card_sha256)),
        )
        for entry in found.entries
        if entry.card_sha256 is not None
    )
    counts: Counter[Came] = Counter()
    with open_gradebook(file) as book:
        while some := list(islice(graded, AT_ONCE)):
            counts.update(came for _, came in add_attempts(book, some, whoever(who)))
        known = everybody(book)
    say(
        f"{shown_path(file)}: {counts[Came.NEW]} attempts added, {counts[Came.AGAIN]} graded anew, "
        f"{counts[Came.KNOWN]} there already"
    )
    named("no card, as nothing could be graded", (entry.student for entry in found.entries if not entry.card_sha256))
    named("not in the roster", (entry.student for entry in found.entries if known.owner(entry.student) is None))
    named("still being graded, and left out", found.unsettled)


def marks(
    file: FileArgument,
    book_of_marks: Annotated[Path, typer.Argument(metavar="MARKS", help="marks.json, which `grade mark` keeps.")],
    who: WhoOption = None,
) -> None:
    """Add the marks that people gave. One that differs from what is there is a newer one; the older stays in the log.

    Exit code 0: done. 2: FILE or MARKS is not there. 3: the gradebook or the book of marks needs mending.
    """
    from graders.engine.cli.marks_file import read_book
    from graders.engine.gradebook.file import open_gradebook
    from graders.engine.gradebook.marks import add_marks

    if not book_of_marks.is_file():
        raise UsageError(f"there is no {shown_path(book_of_marks)}; give the book of marks that `grade mark` keeps")
    entries = read_book(book_of_marks).marks
    with open_gradebook(file) as book:
        came = add_marks(book, entries, whoever(who))
    for former, now in came.replaced:
        say(f"{now.student}, {now.check} of {now.exercise}: {now.points}, it was {former.points} of {former.date}")
    same = len(entries) - len(came.added) - len(came.replaced) - len(came.outdated)
    say(f"{shown_path(file)}: {len(came.added)} marks added, {len(came.replaced)} newer, {same} as they were")
    named(
        "older than the mark that is in force, and not taken",
        (f"{old.student}, {old.check} of {old.exercise}, of {old.date}" for _, old in came.outdated),
    )
