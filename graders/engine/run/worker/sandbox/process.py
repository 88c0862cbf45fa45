"""A worker's own place among processes: a session, no inherited descriptor, and death with its parent (Linux)."""

import ctypes
import os
import signal
from collections.abc import Collection

from graders.engine.run.worker.sandbox.linux import (
    PR_GET_DUMPABLE,
    PR_GET_PDEATHSIG,
    PR_SET_DUMPABLE,
    PR_SET_PDEATHSIG,
    named,
    prctl,
)

STANDARD_STREAMS = (0, 1, 2)


def apply(parent: int, kept: Collection[int]) -> None:
    """Cut every tie but the descriptors to keep, and see that it is cut; `parent` is the process to die with.

    A change of user undoes a part of this, so that it comes before.
    """
    if os.getsid(0) != os.getpid():
        named("setsid", os.setsid)
    prctl("PR_SET_PDEATHSIG", PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl("PR_SET_DUMPABLE", PR_SET_DUMPABLE, 0)
    keep = sorted({*STANDARD_STREAMS, *kept})
    # Not the system's limit: it may have been lowered since the highest of them was opened.
    end = max(map(int, os.listdir("/proc/self/fd"))) + 1
    for lower, upper in zip(keep, [*keep[1:], end], strict=True):
        os.closerange(lower + 1, upper)
    _prove(parent, keep)


def _prove(parent: int, keep: list[int]) -> None:
    if os.getsid(0) != os.getpid():
        raise OSError("a worker asked for a session of its own and has none")
    deadly = ctypes.c_int(0)
    prctl("PR_GET_PDEATHSIG", PR_GET_PDEATHSIG, ctypes.addressof(deadly))
    if deadly.value != signal.SIGKILL or prctl("PR_GET_DUMPABLE", PR_GET_DUMPABLE) != 0:
        raise OSError("a worker would not die with its host, or could be looked into")
    if os.getppid() != parent:
        raise OSError("the process that started this worker is gone")
    if len(os.listdir("/proc/self/task")) != 1:
        raise OSError("a worker has more than one thread, and the layers to come would hold this one alone")
    # One more is the folder itself while it is listed.
    if len(os.listdir("/proc/self/fd")) > len(keep) + 1:
        raise OSError("a worker closed what it inherited, and descriptors are still open")
