"""The other way in: this module packs a private course as an autograder that Gradescope runs.

Gradescope unpacks the archive into `source/`, runs `setup.sh` once for an image, and `run_autograder` for a submission.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from graders.engine.deliver.release.contents import private_files, public_files
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric
from graders.engine.score.strictness import Strictness

HERE = Path(__file__).parent
SETUP, RUN = "setup.sh", "run_autograder"
PLACE_OF_ISOLATION = b"@ISOLATION@"
# The earliest day that an archive can name: the same files make the same archive.
NO_TIME = (1980, 1, 1, 0, 0, 0)
REGULAR, PLAIN, EXECUTABLE = 0o100000, 0o644, 0o755


def autograder(course: Course, rubric: Rubric, isolation: Strictness) -> bytes:
    """Return the archive: everything of the course that can be released, the private files, and the two scripts.

    Raises UsageError for a course that counts hidden checks without having them, CourseError for one that lacks a file.
    """
    run = (HERE / RUN).read_bytes().replace(PLACE_OF_ISOLATION, isolation.encode("ascii"))
    scripts = {SETUP: (HERE / SETUP).read_bytes(), RUN: run}
    # The private files come last: of the rubric, theirs is the one with the hidden checks.
    files = {**public_files(course, rubric), **private_files(course, rubric)}
    return _packed({**files, **scripts})


def _packed(files: Mapping[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it is packed, so that the mode counts
            entry.external_attr = (REGULAR | (EXECUTABLE if path in (SETUP, RUN) else PLAIN)) << 16
            packed.writestr(entry, data)
    return archive.getvalue()
