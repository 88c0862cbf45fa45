"""A folder for this process alone: it ends with `end`, or with the process, also where that is killed."""

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

BROOM = Path(__file__).with_name("dask_broom.py")
END_SECONDS = 10.0


class FolderFailed(Exception):
    """There is no place for it."""


class PrivateFolder:
    """The folder, and the process that takes it away; see `dask_broom.py`."""

    def __init__(self) -> None:
        self._broom = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(BROOM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # What is told to a whole group is not for it: it goes when the line ends.
            start_new_session=True,
        )
        assert self._broom.stdout is not None
        with self._broom.stdout as line:
            name = line.readline().decode().rstrip("\n")
        if not name:
            self._close()
            raise FolderFailed("no private folder for the course's files could be made; what is wrong stands above")
        self.path = Path(name)

    def end(self) -> None:
        """Take it away with all that is in it; may be called again."""
        self._close()
        shutil.rmtree(self.path, ignore_errors=True)  # for the case that somebody killed the other process

    def _close(self) -> None:
        if self._broom.stdin is not None:
            with contextlib.suppress(OSError):
                self._broom.stdin.close()
        try:
            self._broom.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._broom.kill()
            self._broom.wait()
