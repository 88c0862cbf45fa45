"""The commits of a class as repositories of ours, `repositories/STEM`: each is there whole, or not at all."""

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from graders.engine.deliver.github.clock import Clock
from graders.engine.deliver.github.fetching.commit import fetch_commit
from graders.engine.deliver.github.fetching.settings import Remote
from graders.engine.deliver.github.sweep.choosing import finding
from graders.engine.deliver.github.sweep.workflows import Files, edited, workflow_files
from graders.engine.errors import CourseError, ServiceError, SubmissionError
from graders.engine.load.assignment import Wanted
from graders.engine.load.git_tree import open_commit
from graders.engine.load.handed_in.listing import SweepItem, SweptFinding
from graders.engine.load.place import Refused
from graders.engine.score.names import file_stem

FOLDER = "repositories"
MOST_VERSIONS = 20
"""Of the course: a fork's workflows are compared with so many of its pushes, the newest."""
MOST_FAILURES = 3
"""One after another: then the server is at fault, and no further fork is tried."""

Say = Callable[[str], None]


def fetch_all(
    items: Iterable[SweepItem], course: Remote, folder: Path, wanted: Wanted, clock: Clock, say: Say
) -> Mapping[str, Sequence[SweptFinding]]:
    """Fetch every commit that is not there yet; return what was to be said of some, by student.

    A fork that has moved or gone meanwhile may still be read in the course's own repository.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    found: dict[str, list[SweptFinding]] = {}
    failures = 0
    for item in items:
        if item.sha is None or is_there(folder, item.student, item.sha):
            continue
        try:
            _fetch(item, item.sha, course, folder, wanted, clock)
            failures = 0
        except (SubmissionError, CourseError) as error:
            found[item.student] = [finding("other", f"the commit could not be fetched: {error}")]
        except ServiceError as error:
            failures += 1
            if failures == MOST_FAILURES:
                raise
            found[item.student] = [finding("other", f"the commit could not be fetched: {error}")]
        say(f"fetched {item.student}")
    return found


def is_there(folder: Path, student: str, sha: str) -> bool:
    """Return whether a student's commit was fetched before."""
    place = _place(folder, student)
    try:
        with ExitStack() as stack:
            return place.is_dir() and open_commit(place, sha, stack)[1] == sha
    except (Refused, OSError):
        return False


def edited_workflows(
    items: Iterable[SweepItem], versions: Sequence[Files], folder: Path
) -> Mapping[str, Sequence[SweptFinding]]:
    """Return, by student, what is to be said of workflows that are not the course's."""
    found = {}
    for item in items:
        if item.sha is None or not versions or not _place(folder, item.student).is_dir():
            continue
        try:
            said = edited(workflow_files(_place(folder, item.student), item.sha), versions)
        except (Refused, OSError) as error:
            said = f"the files in .github/workflows cannot be compared with the course's: {error}"
        if said:
            found[item.student] = [finding("workflow_edited", said)]
    return found


def course_versions(course: Remote, commits: Iterable[str], clock: Clock) -> list[Files]:
    """Return the workflows of the course as they were at these commits, the newest of them, and are."""
    versions = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, sha in enumerate(list(dict.fromkeys(commits))[:MOST_VERSIONS]):
            place = Path(scratch) / str(number)
            try:
                fetch_commit(course, sha, place, Wanted((), None), clock)
                versions.append(workflow_files(place, sha))
            except (SubmissionError, Refused):
                continue  # it was replaced by a forced push: no fork needs it
    return versions


def _fetch(item: SweepItem, sha: str, course: Remote, folder: Path, wanted: Wanted, clock: Clock) -> None:
    draft = folder / FOLDER / f".{secrets.token_hex(8)}"
    own = Remote(course.server, item.repository, course.token)
    try:
        try:
            fetch_commit(own, sha, draft, wanted, clock)
        except (CourseError, SubmissionError):
            if own.repository.lower() == course.repository.lower():
                raise
            fetch_commit(course, sha, draft, wanted, clock)
        place = _place(folder, item.student)
        if place.exists():
            shutil.rmtree(place)
        draft.rename(place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _place(folder: Path, student: str) -> Path:
    return folder / FOLDER / file_stem(student)
