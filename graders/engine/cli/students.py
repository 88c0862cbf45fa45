"""Whose submission something is: the folder that is a student's, and the name under which their marks are kept."""

import os
import unicodedata
from pathlib import Path

from graders.engine.errors import UsageError
from graders.engine.load.course import EXERCISES


def students_folder(path: Path) -> Path:
    """Return the folder that is the student's own: the one given or around the file, or the one around exercises/."""
    # Not resolved: a link that an instructor made, and named after the student, is what counts.
    whole = Path(os.path.abspath(path))
    folder = whole if whole.is_dir() else whole.parent
    return folder.parent if folder.name == EXERCISES else folder


def student_of(path: Path, explicit: str | None) -> str | None:
    """Return the name that was given, or that of the student's folder; none if the folder has no name for people.

    Raises UsageError for a name that was given and that nobody could read.
    """
    if explicit is not None:
        return require_student(explicit)
    folder = students_folder(path)
    # A repository is ada.git, or ada/.git.
    name = folder.name.removesuffix(".git") or folder.parent.name
    try:
        return require_student(name)
    except UsageError:
        return None


def require_student(name: str) -> str:
    """Return the name with its accents composed, as the same name comes in two forms from different systems."""
    from graders.engine.score.record import LONGEST_NAME, require_name

    composed = unicodedata.normalize("NFC", name).strip()
    if composed in (".", ".."):
        raise UsageError(f'"{composed}" is no name of a student')
    if len(composed) > LONGEST_NAME:
        raise UsageError(f"a student's name of {len(composed)} characters; expected {LONGEST_NAME} at most")
    try:
        return require_name(composed)
    except ValueError as error:
        raise UsageError(f"{name!a} is no name of a student: {error}") from error
