"""A commit on a server as grading needs it: its folders, and those of its files that can be handed in, within limits.

Nothing is checked out. What comes is a bare repository, whose objects `load/git_tree.py` reads and believes only by
their digests. A file above its limit is left out, or comes and is refused there; grading says so either way.
"""

import shutil
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from graders.engine.deliver.github.api.proxy import proxies
from graders.engine.deliver.github.clock import Clock
from graders.engine.deliver.github.fetching.ending import orderly_end
from graders.engine.deliver.github.fetching.git import Fetcher, MissingError, TooMuchError
from graders.engine.deliver.github.fetching.settings import Remote
from graders.engine.deliver.github.names import require_sha
from graders.engine.errors import SubmissionError, UsageError, shown_path
from graders.engine.load.asked_for import asked_for
from graders.engine.load.assignment import Wanted
from graders.engine.load.git_tree import open_commit
from graders.engine.load.place import Refused

FOLDERS_BYTES = 64_000_000
"""Of the commit and all its folders, as they travel: more than a million files."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """How many files came, and how many did not, for one of two reasons."""

    files: int
    too_large: int = 0
    missing: int = 0
    """Those that the server has lost."""


def fetch_commit(remote: Remote, sha: str, folder: Path, wanted: Wanted, clock: Clock) -> Fetched:
    """Make a repository in a new folder with that commit and what is wanted of it.

    Raises SubmissionError where there is no such commit or it is too large, UsageError for a digest or a folder that
    cannot be one, CourseError where the repository may not be read, ServiceError where no whole answer comes, and
    SystemExit where this process is asked to end; in all these cases the folder is not there afterwards.
    """
    require_sha(sha, "the commit")
    proxies(remote.url)  # refuses what git would quote
    git = shutil.which("git")
    if git is None:
        raise UsageError("commits are fetched with git, and no git is on the PATH; install it")
    with orderly_end() as ending:
        ending.hold()
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise UsageError(
                f"{shown_path(folder)} cannot be made ({error.strerror}); give a folder that is new"
            ) from error
        try:
            ending.release()
            fetcher = Fetcher(git, remote, folder, clock, ending)
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
        return Fetched(0)
    try:
        fetcher.objects(list(limits), sum(map(_packed, limits.values())))
    except (MissingError, TooMuchError):
        came = Counter(_fetch_file(fetcher, digest, limit) for digest, limit in limits.items())
        return Fetched(came[None], came[TooMuchError], came[MissingError])
    return Fetched(len(limits))


def _fetch_file(fetcher: Fetcher, digest: str, limit: int) -> type[Exception] | None:
    """Return why that file did not come."""
    try:
        fetcher.objects([digest], _packed(limit))
    except (MissingError, TooMuchError) as error:
        return type(error)
    return None


def _packed(limit: int) -> int:
    """How much so many bytes take on their way, if nothing makes them fewer."""
    return limit + limit // 100 + 4_096
