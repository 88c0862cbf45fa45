"""Where the submissions of a class are read from: this machine; or a server, from which a commit is fetched once."""

import datetime
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graders.engine.clean import clean, one_line
from graders.engine.errors import CourseError, ServiceError, SubmissionError, UsageError

if TYPE_CHECKING:
    from graders.engine.batch.crew import Setup
    from graders.engine.deliver.github.fetching.settings import Remote
    from graders.engine.load.assignment import Wanted
    from graders.engine.load.handed_in.records import Commit, HandedIn
    from graders.engine.load.submission import Submission
    from graders.engine.score.card import Card

CLAIMS = "claims"
MOST_CLAIM = 16 << 20
MOST_FAILURES = 3
"""One after another: then the server is at fault, and no more is asked of it in this run."""


def describe(source: Path) -> tuple[str, datetime.datetime | None]:
    """Return what people call this class, and its deadline where the source has one."""
    from graders.engine.load.handed_in.listing import MAX_BYTES, sweep_from_json
    from graders.engine.load.table import read_bytes

    if source.suffix.lower() == ".json":
        sweep = sweep_from_json(read_bytes(source, "a list that `grade sweep` wrote", MAX_BYTES), one_line(source.name))
        return clean(sweep.course), sweep.deadline
    return clean(one_line(source.resolve().stem if source.is_file() else source.resolve().name)), None


def reader(source: Path, out: Path, setup: "Setup") -> "Callable[[HandedIn], Submission]":
    """Return what reads a submission, a commit after it was fetched; it raises SubmissionError and ServiceError."""
    from graders.engine.load.assignment import Wanted, assignments
    from graders.engine.load.handed_in.loading import load_handed_in
    from graders.engine.load.handed_in.records import Commit, fetched

    wanted = Wanted(assignments(setup.course, setup.rubric, list(setup.slugs)), setup.rubric.notebook)
    commits = Commits((source.parent, out), wanted)

    def read(handed_in: "HandedIn") -> "Submission":
        if isinstance(handed_in.origin, Commit):
            handed_in = fetched(handed_in, commits.folder_of(handed_in.origin, handed_in.student))
        return load_handed_in(handed_in, wanted.assignments, wanted.notebook)

    return read


def claims_beside(source: Path) -> "Callable[[str], Card | None]":
    """Return what finds the card that a student's own run made, in what a sweep left beside its list."""
    from graders.engine.score.card import card_from_json
    from graders.engine.score.names import file_stem

    folder = source.parent / CLAIMS

    def claim(student: str) -> "Card | None":
        try:
            with open(folder / f"{file_stem(student)}.json", "rb") as file:
                return card_from_json(file.read(MOST_CLAIM).decode("utf-8"))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None  # there is none, or it is a student's and no card: there is nothing to compare

    return claim if source.suffix.lower() == ".json" else _no_claim


def _no_claim(student: str) -> None:
    return None


class Commits:
    """Repositories with one commit each: those of a sweep, those of an earlier run, and those that are fetched now."""

    def __init__(self, places: tuple[Path, Path], wanted: "Wanted") -> None:
        self._places = places
        self._wanted = wanted
        self._failures = 0

    def folder_of(self, commit: "Commit", student: str) -> Path:
        """Return the folder that a commit was fetched to. Raises SubmissionError, or ServiceError."""
        from graders.engine.batch.folder import REPOSITORIES
        from graders.engine.deliver.github.sweep.copies import is_there
        from graders.engine.score.names import file_stem

        for folder in self._places:
            if is_there(folder, student, commit.sha):
                return folder / REPOSITORIES / file_stem(student)
        place = self._places[-1] / REPOSITORIES / file_stem(student)
        place.parent.mkdir(exist_ok=True)
        if self._failures >= MOST_FAILURES:
            raise ServiceError(f"not fetched: the server failed {MOST_FAILURES} times in a row before; run this again")
        try:
            self._fetch(commit, place)
        except ServiceError:
            self._failures += 1
            raise
        self._failures = 0
        return place

    def _fetch(self, commit: "Commit", place: Path) -> None:
        from graders.engine.deliver.github import clock
        from graders.engine.deliver.github.fetching.commit import fetch_commit

        draft = place.with_name(f".{secrets.token_hex(8)}")
        try:
            fetch_commit(_remote(commit), commit.sha, draft, self._wanted, clock.SYSTEM_CLOCK)
            shutil.rmtree(place, ignore_errors=True)
            draft.rename(place)
        except CourseError as error:  # one repository that may not be read is no fault of the course
            raise SubmissionError(str(error)) from error
        except UsageError as error:
            if shutil.which("git") is None:
                raise
            raise SubmissionError(str(error)) from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _remote(commit: "Commit") -> "Remote":
    """Return the repository; the token is for the server that it belongs to, and no other gets it."""
    from graders.engine.deliver.github.fetching.settings import Remote
    from graders.engine.deliver.github.surroundings import SERVER, address, token

    own = commit.server == address(os.environ, "GITHUB_SERVER_URL", SERVER)
    return Remote(commit.server, commit.repository, token(os.environ) if own else "")
