"""A process that keeps a private folder as long as another process lives, and takes it away whatever ends that.

Its standard input is the other's end of a line, which the system closes when that process is killed. It says the
folder's name on its standard output. The file is run by its path, with nothing but Python's own modules.
"""

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

PREFIX = "grade-course-"
NEW = ".new-"
TRIES = 20
"""For a judge that is still ending, and may be writing what it compiled."""


def main() -> None:
    """Make the folder, wait for the end of the line, and take the folder away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    place = Path(os.path.realpath(tempfile.gettempdir()))
    _clear(place)
    new = Path(tempfile.mkdtemp(prefix=NEW + PREFIX, dir=place))
    folder = place / new.name.removeprefix(NEW)
    held = os.open(new, os.O_RDONLY)
    try:
        # Held before it has the name by which it could be taken for one that nobody keeps any more.
        fcntl.flock(held, fcntl.LOCK_EX)
        new.rename(folder)
        print(folder, flush=True)
        while sys.stdin.buffer.read(1):
            pass
    finally:
        _remove(new)
        _remove(folder)


def _clear(place: Path) -> None:
    """Take away what other such processes left because they were killed themselves."""
    for entry in os.scandir(place):
        if not entry.name.startswith(PREFIX) or not entry.is_dir(follow_symlinks=False):
            continue
        if entry.stat(follow_symlinks=False).st_uid != os.getuid():
            continue
        try:
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:  # its keeper was faster
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(Path(entry.path))
        except BlockingIOError:  # somebody keeps it
            continue
        finally:
            os.close(descriptor)


def _remove(folder: Path) -> None:
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
