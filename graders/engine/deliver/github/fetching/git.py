"""A git that fetches from one repository on a server into an empty one of ours, and obeys nobody else on the way.

What that git is given is in `settings.py`; this module says what is asked for, how long, and what a failure means.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.deliver.github.clock import Clock
from graders.engine.deliver.github.fetching.ending import Ending
from graders.engine.deliver.github.fetching.settings import Remote, config, environment, limits
from graders.engine.errors import CourseError, ServiceError

SECONDS = 150.0
"""So long all that is fetched for one submission may take together, pauses included."""
PAUSES = (2.0, 5.0, 15.0)
"""Seconds before each further try, where the server or the way to it failed."""
_OPTIONS = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")


class MissingError(Exception):
    """The server has no object of that digest."""


class TooMuchError(Exception):
    """What came was more than the limit."""


class Fetcher:
    """Fetches objects of a remote repository into the one in `folder`, which it makes."""

    def __init__(self, git: str, remote: Remote, folder: Path, clock: Clock, ending: Ending) -> None:
        """Make the repository. The time that is given for everything begins now."""
        self._git = git
        self._remote = remote
        self._folder = folder.absolute()  # git works in it
        self._clock = clock
        self._ending = ending
        self._end = clock.monotonic() + SECONDS
        for name in ("objects", "refs"):
            (folder / name).mkdir(parents=True)
        (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (folder / "config").write_text(config(remote), encoding="utf-8", newline="\n")

    def commit(self, digest: str, limit: int) -> None:
        """Fetch a commit and all folders in it, but none of their files."""
        self._fetch(["--depth=1", "--filter=blob:none"], [digest], limit)

    def objects(self, digests: Sequence[str], limit: int) -> None:
        """Fetch objects that are known by their digests, all or none."""
        self._fetch(["--filter=blob:none"], digests, limit)

    def _fetch(self, options: Sequence[str], digests: Sequence[str], limit: int) -> None:
        """Raise MissingError, TooMuchError, ServiceError, or CourseError where nobody may read it so."""
        arguments = ["fetch", *_OPTIONS, *options, "--end-of-options", "origin", *digests]
        for pause in (*PAUSES, None):
            said = self._run(arguments, limit)
            if said is None:
                return
            self._tell_apart(said, limit)
            if pause is None or self._clock.monotonic() + pause > self._end:
                raise ServiceError(
                    f"{self._remote.url} could not be read ({_last_line(said)}); look whether the server is at work, "
                    "and run this again"
                )
            self._clock.sleep(pause)

    def _run(self, arguments: Sequence[str], limit: int) -> str | None:
        """Return what git said when it failed; None where it did not."""
        command = [self._git, f"--git-dir={self._folder}", *arguments]
        with tempfile.TemporaryFile() as said:
            self._ending.hold()
            process = subprocess.Popen(
                [*limits(limit), *command],
                cwd=self._folder,
                env=environment(self._remote, self._folder),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
            try:
                self._ending.release()
                code = process.wait(max(0.0, self._end - self._clock.monotonic()))
            except subprocess.TimeoutExpired as error:
                raise ServiceError(
                    f"{self._remote.url} did not give what was asked for within {SECONDS:.0f} seconds; expected a "
                    "repository of an ordinary size"
                ) from error
            finally:
                _end_all(process)
            said.seek(max(0, said.tell() - 4_000))
            return said.read().decode("utf-8", "replace") if code else None

    def _tell_apart(self, said: str, limit: int) -> None:
        """Raise for what will not pass by waiting."""
        # git says nothing of a limit that ended a part of it, but leaves the file that was being written, full.
        begun = [(path, path.stat().st_size) for path in (self._folder / "objects" / "pack").glob("tmp_*")]
        for path, _ in begun:
            path.unlink()
        if "out of memory" in said.lower() or any(size >= limit for _, size in begun):
            raise TooMuchError
        if "not our ref" in said:
            raise MissingError
        if any(sign in said for sign in ("error: 301", "error: 302", "error: 307", "error: 308")):
            raise CourseError(f"{self._remote.url} has moved, and nothing is followed there; give the new name")
        if any(
            sign in said for sign in ("could not read Username", "Authentication failed", "not found", "error: 403")
        ):
            raise CourseError(
                f"there is no repository {self._remote.url}, or it may not be read so; for a private one, "
                "GITHUB_TOKEN needs the permission `contents: read`"
            )


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End git and what it has started: the parts that talk to the server are processes of their own."""
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_line(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return one_line("".join(lines[-1:]))[:300] or "git gave no reason"
