"""Files written whole or not at all, and changed by one process at a time."""

import contextlib
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

WAIT_SECONDS = 20.0
PAUSE_SECONDS = 0.05

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> bool:
        """Lock the first byte, or return False at once."""
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _leave(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> bool:
        """Lock the file, or return False at once."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _leave(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that its readers find the old text or the new one, and never a part; raises OSError.

    On Windows a file that another program holds open cannot be replaced: that is a PermissionError, and the old text
    stays.
    """
    # Not a name that anybody could foresee and put a link at, and never one that is there.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(draft, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


@contextlib.contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Keep other processes that ask for the same from the file meanwhile; raises TimeoutError if that takes too long.

    The lock is on a file beside it, which stays. The system drops the lock when its holder ends, however that ends, so
    that nobody needs to clean up.
    """
    with open(path.with_name(f".{path.name}.lock"), "ab") as file:
        last_try = time.monotonic() + WAIT_SECONDS
        while not _take(file.fileno()):
            if time.monotonic() > last_try:
                raise TimeoutError(f"another process has been writing it for {WAIT_SECONDS:.0f} seconds")
            time.sleep(PAUSE_SECONDS)
        try:
            yield
        finally:
            _leave(file.fileno())
