"""What every attack begins with: it knows all that an attacker might guess, and says so where it succeeds.

The harness puts this text before each submission, after a line for each name in capitals: COURSE, PLANTED (what secrets
lie in which files), OUTPUT, FOLDERS, JUDGE, TOKEN_AT, MARK, IPC_KEY and WON.
"""

import ctypes
import errno
import json
import os
import re
import struct
import sys

HOST = os.getppid()
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


class Won(BaseException):
    """An attack succeeded."""


class Stumbled(Exception):
    """An attack failed for a reason of its own, which proves nothing."""


def win(what):
    """Say, on every way that leads out, that an attack succeeded."""
    print(WON, what, flush=True)
    raise Won(f"{WON} {what}")


def show(data):
    """Show the secrets in what was read, short enough for what is shown of a submission."""
    data = data if isinstance(data, bytes) else str(data).encode()
    if found := sorted(set(re.findall(rb"secret-\w+-[0-9a-f]{32}", data))):
        text = " ".join(secret.decode() for secret in found[:4])
        print(text, flush=True)
        raise Won(text)


def expect_refusal(call, *arguments, also=()):
    """Try something that no worker may do; `also` are errors that mean a refusal besides the kernel's own word."""
    try:
        result = call(*arguments)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.ENOSYS, *also):
            raise Stumbled(f"{error!r} of {call} {arguments}") from None
        return error
    except tuple(kind for kind in also if isinstance(kind, type)) as error:
        return error
    return win(f"{call} {result}")


def syscall(number, *arguments):
    """Make a system call by its number, and raise OSError where it fails."""
    return checked(LIBC.syscall(ctypes.c_long(number), *map(as_long, arguments)))


def libc(name, *arguments):
    """Call a function of the C library, and raise OSError where it fails."""
    return checked(getattr(LIBC, name)(*map(as_long, arguments)))


def as_long(value):
    return ctypes.c_long(value) if isinstance(value, int) else value


def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def order():
    """Return the worker's socket and the number of the order that it obeys, from the callers' frames."""
    frame = sys._getframe()
    while not {"message", "sock"} <= frame.f_locals.keys():
        frame = frame.f_back
    return frame.f_locals["sock"], frame.f_locals["message"].fields["id"]


def frame(header, body=b"", header_bytes=None, body_bytes=None):
    """Return a frame of the wire, with lengths that need not be true."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    lengths = [len(header) if header_bytes is None else header_bytes, len(body) if body_bytes is None else body_bytes]
    return struct.pack("<4sII", b"PEG1", *lengths) + header + body
