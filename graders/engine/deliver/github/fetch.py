"""A commit on a server as grading needs it: its folders, and those of its files that can be handed in, within limits.

Nothing is checked out. What comes is a bare repository, whose objects `load/git_tree.py` reads and believes only by
their digests. A file above its limit is left out, or comes and is refused there; grading says so either way.
"""

import re
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.deliver.github.git_settings import Remote
from graders.engine.deliver.github.remote import Fetcher, MissingError, TooMuchError
from graders.engine.errors import SubmissionError, UsageError, shown_path
from graders.engine.load.asked_for import asked_for
from graders.engine.load.assignment import Wanted
from graders.engine.load.git_tree import open_commit
from graders.engine.load.place import Refused

FOLDERS_BYTES = 64_000_000
"""Of the commit and all its folders, as they travel: more than a million files."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """How many files came, and how many did not, as they were too large."""

    files: int
    left_out: int


def fetch_commit(remote: Remote, sha: str, folder: Path, wanted: Wanted) -> Fetched:
    """Make a repository in a new folder with that commit and what is wanted of it.

    Raises SubmissionError where there is no such commit or it is too large, UsageError for a digest or a folder that
    cannot be one, CourseError where the repository may not be read, and UnreachableError.
    """
    if not re.fullmatch(r"[0-9a-f]{40}", sha):
        raise UsageError(
            f'"{one_line(sha[:200])}" is no digest of a commit; expected 40 of the digits 0 to 9 and a to f'
        )
    git = shutil.which("git")
    if git is None:
        raise UsageError("commits are fetched with git, and no git is on the PATH; install it")
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise UsageError(
            f"{shown_path(folder)} cannot be made ({error.strerror}); give a folder that is new"
        ) from error
    try:
        fetcher = Fetcher(git, remote, folder)
        _fetch_folders(fetcher, remote, sha)
        return _fetch_files(fetcher, _digests(folder, remote, sha, wanted))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _fetch_folders(fetcher: Fetcher, remote: Remote, sha: str) -> None:
    try:
        fetcher.commit(sha, FOLDERS_BYTES)
    except MissingError as error:
        raise SubmissionError(
            f"{remote.url} has no commit {sha}; it may have been replaced by a forced push. Give the newest one"
        ) from error
    except TooMuchError as error:
        raise SubmissionError(
            f"the folders of {sha} in {remote.url} take more than {FOLDERS_BYTES // 1_000_000} MB, without any file; "
            "expected those of a course. Commit only your own work, without what was installed or downloaded"
        ) from error


def _digests(folder: Path, remote: Remote, sha: str, wanted: Wanted) -> Mapping[str, int]:
    try:
        with ExitStack() as stack:
            root, _ = open_commit(folder, sha, stack)
            return asked_for(root, wanted)
    except Refused as refusal:
        raise SubmissionError(f"{sha} in {remote.url} cannot be graded: {refusal}") from refusal


def _fetch_files(fetcher: Fetcher, limits: Mapping[str, int]) -> Fetched:
    """Fetch all at once; or, where all together are too much or one is not there, one by one."""
    if not limits:
        return Fetched(0, 0)
    try:
        fetcher.objects(list(limits), sum(map(_packed, limits.values())))
    except (MissingError, TooMuchError):
        came = [_fetch_file(fetcher, digest, limit) for digest, limit in limits.items()]
        return Fetched(came.count(True), came.count(False))
    return Fetched(len(limits), 0)


def _fetch_file(fetcher: Fetcher, digest: str, limit: int) -> bool:
    try:
        fetcher.objects([digest], _packed(limit))
    except (MissingError, TooMuchError):
        return False
    return True


def _packed(limit: int) -> int:
    """How much so many bytes take on their way, if nothing makes them fewer."""
    return limit + limit // 100 + 4_096
