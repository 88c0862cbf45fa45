"""The course's own files, as they are read to be given to others: none is reached through a link."""

from pathlib import Path

from graders.engine.errors import CourseError, shown_path


def read_own(root: Path, path: str, purpose: str) -> bytes:
    """The bytes of the file at that path below the root; `purpose` says who needs it, as a sentence without its end.

    Raises CourseError for one that can't be read, and for a link at any step: it may lead to what is nobody else's.
    """
    place = root
    for name in path.split("/"):
        place = place / name
        if place.is_symlink():
            raise CourseError(f"{shown_path(place)} is a link; expected a file of the course itself. Put a copy there")
    try:
        return place.read_bytes()
    except OSError as error:
        raise CourseError(f"{shown_path(place)} cannot be read: {error.strerror}; {purpose}") from error
