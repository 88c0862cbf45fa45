"""What student code might try, tried harmlessly by the worker itself before it sees any: each must be refused.

A kernel that says yes to a restriction and does nothing is found here. Each try is made with arguments that fail for
another reason where it is allowed, or undoes at once what it did.
"""

import errno
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass

from graders.engine.run.worker.sandbox.linux import PR_GET_DUMPABLE, prctl, syscall

if sys.platform != "win32":
    import resource

NO_SUCH_FILE = "/no/such/file"
READABLE_BY_ALL = "/proc/version"
"""Nothing but Landlock is in its way: what lies under /proc/self is closed to a nobody who may not be looked into."""
IO_URING_SETUP = 425
"""The same number on every architecture."""
REFUSED = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS})


@dataclass(frozen=True, slots=True)
class Try:
    """Something that no worker may do. Where it can all the same, the layer named here does not hold."""

    layer: str
    what: str
    attempt: Callable[[], object]


def open_tries() -> list[Try]:
    """Return those that are not refused in this process (Linux)."""
    return [one for one in TRIES if _is_open(one.attempt)]


def _is_open(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError as error:
        # Any other error tells that the kernel let the call through.
        return error.errno not in REFUSED
    return True


def _fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _limit_of_parent() -> None:
    resource.prlimit(os.getppid(), resource.RLIMIT_CORE)


TRIES = (
    Try("landlock", "list folders", lambda: os.listdir("/")),
    Try("landlock", "read files", lambda: os.close(os.open(READABLE_BY_ALL, os.O_RDONLY))),
    Try("landlock", "write files", lambda: os.close(os.open("/dev/zero", os.O_WRONLY))),
    Try("seccomp", "change files' modes", lambda: os.chmod(NO_SUCH_FILE, 0)),
    Try("seccomp", "use TCP", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()),
    Try("seccomp", "use UDP", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()),
    Try("seccomp", "use UNIX sockets", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close()),
    Try("seccomp", "start processes", _fork),
    Try("seccomp", "start programs", lambda: os.execv(NO_SUCH_FILE, [NO_SUCH_FILE])),
    Try("seccomp", "signal processes", lambda: os.kill(os.getppid(), 0)),
    Try("seccomp", "limit processes", _limit_of_parent),
    Try("seccomp", "use io_uring", lambda: syscall("io_uring_setup", IO_URING_SETUP, 0, 0)),
    Try("seccomp", "change its own state in the kernel", lambda: prctl("PR_GET_DUMPABLE", PR_GET_DUMPABLE)),
)
