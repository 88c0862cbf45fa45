"""The command `grade mark`: a person's points for a text, or in the place of what a check found."""

import datetime
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import log_text, one_line
from graders.engine.cli.common import CourseOption, MarksOption, StudentOption, complete, open_course
from graders.engine.errors import CourseError, ServiceError, UsageError, shown_path

if TYPE_CHECKING:
    from graders.engine.load.rubric import ExerciseRubric


def mark(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="A score card, a student's folder, or the name of a student who has marks."
        ),
    ],
    exercise: Annotated[str, typer.Argument(metavar="EXERCISE", help="Its name, or the beginning of it.")],
    points: Annotated[int, typer.Option(metavar="N", help="The points that you give, from 0 to the maximum.")],
    note: Annotated[str, typer.Option(metavar="TEXT", help="What the student reads beside them.")],
    check: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which check, or the beginning of its name; without it, the text that only a person grades.",
        ),
    ] = None,
    student: StudentOption = None,
    marks: MarksOption = None,
    course: CourseOption = None,
) -> None:
    """Record the points that a person gives.

    They are for a text that no machine grades, or stand in the place of what a check found. Grading again keeps them,
    and says so if the answer has changed since. Marking again replaces them. A card given as TARGET is written anew
    with the mark in it.

    Exit code 0: recorded. 2: what was typed does not fit. 3: the course or the book of marks needs mending.
    """
    from graders.engine.cli.marks_file import alone_with_book, find_book, read_book, write_book
    from graders.engine.cli.students import require_student
    from graders.engine.cli.target import Asked, look_at
    from graders.engine.score.card import card_to_json
    from graders.engine.score.marks import Entry, look_up, mark_card, record

    place, rubric = open_course(course)
    slug = complete(exercise, list(rubric.exercises), "exercise")
    name = _choose_check(rubric.exercises[slug], check)
    most = _require_points(rubric.exercises[slug], name, points)
    _require_note(note)
    asked = Asked(slug, name, None if student is None else require_student(student))
    path = find_book(place, marks, Path(target) if os.path.isdir(target) else None)
    with alone_with_book(path):
        book = read_book(path)
        seen = look_at(target, asked, book, place, rubric)
        former = look_up(book, seen.student, slug, name)
        entry = Entry(
            student=seen.student,
            exercise=slug,
            check=name,
            points=points,
            note=note,
            date=datetime.date.today(),
            sha256=seen.sha256,
        )
        shown = None if seen.card is None else card_to_json(mark_card(seen.card, entry))
        write_book(path, record(book, entry))
        if shown is not None:
            _write_card(Path(target), shown, path)
    line = f"Recorded in {shown_path(path)}: {seen.student}, {name} of {slug}, {points}/{most}"
    if former is not None:
        line += f'; it was {former.points}/{most}, given on {former.date}: "{former.note}"'
    typer.echo(log_text(one_line(line)))


def _choose_check(exercise: "ExerciseRubric", wanted: str | None) -> str:
    """Return the check that is meant: the one named, or the only text that a person grades."""
    texts = list(exercise.person)
    known = [*exercise.visible, *exercise.hidden, *texts]
    if wanted is not None:
        return complete(wanted, known, f"check of {exercise.slug} with the name")
    if len(texts) == 1:
        return texts[0]
    has = "several texts" if texts else "no text"
    names = ", ".join(texts or known)
    raise UsageError(f"{exercise.slug} has {has} that only a person grades; name a check with --check: {names}")


def _require_points(exercise: "ExerciseRubric", check: str, points: int) -> int:
    """Return the maximum; raises UsageError for points that are not within it."""
    from graders.engine.score.marks import max_points

    most = max_points(exercise, check)
    if not 0 <= points <= most:
        raise UsageError(f"--points {points}: expected 0 to {most}, as {check} of {exercise.slug} is worth {most}")
    return most


def _require_note(note: str) -> None:
    from graders.engine.score.record import LONGEST_NOTE, require_note

    if len(note) > LONGEST_NOTE:
        raise UsageError(f"--note has {len(note)} characters; expected {LONGEST_NOTE} at most")
    if not note.strip():
        raise UsageError("--note is empty; expected a sentence for the student, who reads it beside the points")
    try:
        require_note(note)
    except ValueError as error:
        raise UsageError(f"--note: {error}") from error


def _write_card(path: Path, text: str, book: Path) -> None:
    from graders.engine.batch.folder import class_of_card, replace_card
    from graders.engine.cli.files import alone_with, reason, write_whole
    from graders.engine.score.class_folder import SETTINGS

    folder = class_of_card(path)
    try:
        if folder is None:
            write_whole(path, text.encode("utf-8"))
        else:
            with alone_with(folder / SETTINGS):
                replace_card(folder, path, text)
    except TimeoutError as error:
        raise CourseError(
            f"the mark is recorded in {shown_path(book)}, and not on {shown_path(path)}, as its class is being graded; "
            "`grade class` puts it there the next time"
        ) from error
    except (OSError, ServiceError) as error:
        why = reason(error) if isinstance(error, OSError) else error
        raise CourseError(
            f"the mark is recorded in {shown_path(book)}, but {shown_path(path)} cannot be written anew: "
            f"{why}; grade again to have it on a card"
        ) from error
