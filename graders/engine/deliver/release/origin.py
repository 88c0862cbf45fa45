"""Whether a folder is the staff repository, with everything in it, or a course that was released from it."""

import os

from graders.engine.deliver.release.record import RECORD
from graders.engine.errors import UsageError
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric


def require_staff_repository(course: Course, rubric: Rubric, lacks: str) -> None:
    """Raise UsageError for a released course; `lacks` says, as a half of a sentence, what of it does not do here."""
    if rubric.is_public or os.path.lexists(course.root / RECORD):
        raise UsageError(
            f"this is a released course: {lacks}; run this command in the staff repository, or give --course DIR"
        )
