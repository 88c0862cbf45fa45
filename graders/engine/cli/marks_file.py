"""The book of marks as a file: where it lies, and how it is read and written so that no mark is lost."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pydantic import ValidationError

from graders.engine.cli.files import alone_with, reason, write_whole
from graders.engine.cli.students import students_folder
from graders.engine.errors import CourseError, UsageError, first_problem, shown_path
from graders.engine.load.course import Course
from graders.engine.score.marks import NO_MARKS, MarksBook, book_from_json, book_to_json

BOOK = "marks.json"


def find_book(course: Course, explicit: Path | None, submission: Path | None) -> Path:
    """Return where the book of marks is to be: beside the rubric, or where the option says.

    Raises UsageError for a place inside the submission that is graded or marked: whoever wrote that could write marks.
    Beside the rubric is no such place, since that decides about points anyway.
    """
    path = (course.root / BOOK if explicit is None else explicit).resolve()
    if not path.parent.is_dir():
        raise UsageError(f"--marks {shown_path(path)}: there is no folder {shown_path(path.parent)}; make it first")
    if submission is not None and path.parent != course.root.resolve():
        for folder in (submission.resolve(), students_folder(submission).resolve()):
            if path.is_relative_to(folder):
                raise UsageError(
                    f"--marks {shown_path(path)} lies inside the submission {shown_path(folder)}, where its author "
                    "could write marks too; keep the book of marks outside"
                )
    return path


def read_book(path: Path) -> MarksBook:
    """Return the book in that file, an empty one if there is no file; raises CourseError for one that is not sound."""
    try:
        return book_from_json(path.read_bytes())
    except FileNotFoundError:
        return NO_MARKS
    except OSError as error:
        raise CourseError(f"the book of marks {shown_path(path)} cannot be read: {reason(error)}") from error
    except ValidationError as error:
        raise CourseError(
            f"{shown_path(path)} is no sound book of marks: {first_problem(error)}\n"
            "It was left as it is. Mend it, or bring back a copy of it, before anything is graded or marked."
        ) from error


@contextmanager
def alone_with_book(path: Path) -> Iterator[None]:
    """Keep everybody else from changing the book meanwhile; raises CourseError if somebody does not let go of it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(alone_with(path))
        except OSError as error:
            raise _unwritten(path, error) from error
        yield


def write_book(path: Path, book: MarksBook) -> None:
    """Write the book whole, or leave the file as it is and raise CourseError."""
    try:
        write_whole(path, book_to_json(book).encode("utf-8"))
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> CourseError:
    return CourseError(f"the book of marks {shown_path(path)} cannot be written: {reason(error)}; nothing was recorded")
