"""Files as commands read and write them: never more than expected, whole or not at all, one process at a time."""

import contextlib
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from graders.engine.errors import UsageError, shown_path

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


def read_at_most(path: Path, most: int) -> bytes:
    """Return what is in the file; raises UsageError if that can't be read, or is more than so many bytes."""
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {reason(error)}") from error
    if len(data) > most:
        raise UsageError(f"{shown_path(path)} is too large: expected {most} bytes at most")
    return data


def write_output(path: Path, data: bytes, option: str) -> None:
    """Write what this option of a command is for; raises UsageError, which names the option, where that fails."""
    try:
        write_through(path, data)
    except OSError as error:
        raise _unwritten(path, option, error) from error


def append(path: Path, text: str, option: str) -> None:
    """Add a text to the end of a file that others write too; raises UsageError, which names the option."""
    try:
        with open(path, "ab") as file:
            file.write(text.encode("utf-8"))
    except OSError as error:
        raise _unwritten(path, option, error) from error


def write_through(path: Path, data: bytes) -> None:
    """Write a file as `write_whole` does, but where a link leads: the link stays. Raises OSError."""
    real = Path(os.path.realpath(path))
    if os.path.exists(real) and not os.path.isfile(real):  # a pipe or a device takes the data as they come
        real.write_bytes(data)
    else:
        write_whole(real, data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that its readers find the old data or the new ones, and never a part; raises OSError.

    On Windows a file that another program holds open cannot be replaced: that is a PermissionError, and the old data
    stay.
    """
    # Not a name that anybody could foresee and put a link at, and never one that is there.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(draft, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def write_secret(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, nor a link of that name, for its owner alone; raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def reason(error: OSError) -> str:
    """Return why that failed, in the system's words and without the path, which the message has already."""
    return error.strerror or str(error)


def _unwritten(path: Path, option: str, error: OSError) -> UsageError:
    return UsageError(f"{option} {shown_path(path)} cannot be written: {reason(error)}")


@contextlib.contextmanager
def alone_with(path: Path, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Keep other processes that ask for the same from the file meanwhile; raises TimeoutError after so many seconds.

    The lock is on a file beside it, which stays. The system drops the lock when its holder ends, however that ends, so
    that nobody needs to clean up.
    """
    with open(path.with_name(f".{path.name}.lock"), "ab") as file:
        _wait_for(file.fileno(), time.monotonic() + wait)
        try:
            yield
        finally:
            _leave(file.fileno())


@contextlib.contextmanager
def alone_by(lock: Path) -> Iterator[None]:
    """Keep other processes that ask for the same lock waiting, as `alone_with` does, and leave no file of it behind."""
    last_try = time.monotonic() + WAIT_SECONDS
    while True:
        with open(lock, "ab") as file:
            _wait_for(file.fileno(), last_try)
            try:
                # Whoever held it before has removed it, and a third may have made another of that name.
                if not _lies_at(lock, file.fileno()):
                    continue
                try:
                    yield
                finally:
                    with contextlib.suppress(OSError):  # on Windows nobody removes an open file, and it stays
                        lock.unlink()
                return
            finally:
                _leave(file.fileno())


def _lies_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _wait_for(descriptor: int, last_try: float) -> None:
    """Take the lock; raises TimeoutError where another has it until then."""
    while not _take(descriptor):
        if time.monotonic() > last_try:
            raise TimeoutError("another process has been writing it for longer than one may wait")
        time.sleep(PAUSE_SECONDS)
