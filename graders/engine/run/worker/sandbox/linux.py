"""The doors to the Linux kernel that Python has no function for: raw system calls and prctl, errors as OSError."""

import ctypes
import os
from collections.abc import Callable
from functools import cache

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2
PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 38, 39
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4


@cache
def libc() -> ctypes.CDLL:
    """Return the C library, with the argument types of what is called here."""
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    library.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library


def syscall(what: str, number: int, *arguments: int) -> int:
    """Make a system call and return its result; `what` names it in the error. Addresses travel as integers."""
    return checked(what, libc().syscall(ctypes.c_long(number), *(ctypes.c_long(argument) for argument in arguments)))


def prctl(what: str, option: int, value: int = 0, third: int = 0) -> int:
    """Call prctl and return its result; `what` names the option in the error."""
    return checked(f"prctl({what})", libc().prctl(option, value, third, 0, 0))


def named(what: str, call: Callable[..., object], *arguments: object) -> None:
    """Make a call of Python's own, and name it in the error."""
    try:
        call(*arguments)
    except OSError as error:
        raise OSError(error.errno, f"{what} failed: {error.strerror}") from None


def set_no_new_privs() -> None:
    """Give up gaining rights by starting programs, without which no rules can be set. Twice is as good as once."""
    prctl("PR_SET_NO_NEW_PRIVS", PR_SET_NO_NEW_PRIVS, 1)


def checked(what: str, result: int) -> int:
    """Return the result of a call of the C library's, or raise what it left in errno."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what} failed: {os.strerror(number)}")
    return result
