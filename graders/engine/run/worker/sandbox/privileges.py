"""Privileges: a worker becomes an unprivileged user where it can, and holds no capability in any case.

Run by root, it becomes nobody, if nobody can read Python and torch. Where they lie under root's home, as they often do
in containers, it reads files as user 0, without any of the rights that make one, and its threads are nobody's.
"""

import contextlib
import ctypes
import os
import signal
from collections.abc import Sequence
from enum import StrEnum
from typing import NoReturn

from graders.engine.run.worker.sandbox.linux import (
    PR_CAP_AMBIENT,
    PR_CAP_AMBIENT_CLEAR_ALL,
    PR_GET_NO_NEW_PRIVS,
    checked,
    libc,
    named,
    prctl,
    set_no_new_privs,
)

NOBODY = 65534
CHILD_SECONDS = 5
CAPABILITY_VERSION_3 = 0x20080522


class User(StrEnum):
    """Whom a worker runs as."""

    NOBODY = "nobody"
    ROOT_WITHOUT_CAPABILITIES = "root without capabilities"
    SAME = "the user who grades"

    def numbers(self) -> tuple[int, int, int]:
        """The user's numbers: whose threads these are, whose files it reads, and what it could go back to.

        The kernel counts no threads of user 0, and would let it have any number of them.
        """
        match self:
            case User.NOBODY:
                return NOBODY, NOBODY, NOBODY
            case User.ROOT_WITHOUT_CAPABILITIES:
                return NOBODY, 0, 0
        return os.getresuid()


def choose_user(readable: Sequence[str]) -> User:
    """Return whom workers of this process shall run as; `readable` is what they must be able to read."""
    if os.geteuid() == 0:
        for user in (User.NOBODY, User.ROOT_WITHOUT_CAPABILITIES):
            if _will_do(user, readable):
                return user
    # An ordinary user, or a root who may not become another one, as in some containers.
    return User.SAME


def _will_do(user: User, paths: Sequence[str]) -> bool:
    """Return whether a child that became this user can read these paths, and can be killed by this process afterwards.

    Both are tried: who may do what is more than the bits of a file's mode, and root in a container is not always root.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _read_as(user, paths, tell)
    os.close(tell)
    with open(told, "rb") as answer:
        could_read = answer.read(1) != b""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return could_read and os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def _read_as(user: User, paths: Sequence[str], tell: int) -> NoReturn:
    """Say one word if all can be read, and wait to be killed; but not for ever, by one who may not."""
    signal.alarm(CHILD_SECONDS)
    try:
        apply(user)
        for path in paths:
            os.close(os.open(path, os.O_RDONLY))
        os.write(tell, b"y")
        signal.pause()
    finally:
        os._exit(1)


def apply(user: User) -> None:
    """Give up every privilege for good, and see that it is gone."""
    expected = user.numbers()
    if user is User.NOBODY:
        named("setgroups", os.setgroups, [])
        named("setresgid", os.setresgid, *expected)
    if user is not User.SAME:
        named("setresuid", os.setresuid, *expected)
    prctl("PR_CAP_AMBIENT", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    _set_no_capabilities()
    set_no_new_privs()
    if os.getresuid() != expected:
        raise OSError(f"a worker should be user {expected} and is {os.getresuid()}")
    if user is User.NOBODY and (os.getresgid() != expected or os.getgroups()):
        raise OSError(f"a worker should be in group {NOBODY} alone and is in {os.getresgid()}, {os.getgroups()}")
    if any(_capabilities()):
        raise OSError("capabilities were given up and are still there")
    if prctl("PR_GET_NO_NEW_PRIVS", PR_GET_NO_NEW_PRIVS) != 1:
        raise OSError("no_new_privs was set and is not there")


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


# Effective, permitted and inheritable, each as two words of 32 bits, the lower words of all three first.
_Words = ctypes.c_uint32 * 6


def _set_no_capabilities() -> None:
    header = _Header(CAPABILITY_VERSION_3, 0)
    checked("capset", libc().capset(ctypes.byref(header), _Words()))


def _capabilities() -> list[int]:
    # Filled beforehand, so that a call that only says it answered is noticed.
    header, words = _Header(CAPABILITY_VERSION_3, 0), _Words(*[1] * 6)
    checked("capget", libc().capget(ctypes.byref(header), words))
    return list(words)
