"""What a worker may do: the one place where it gives up rights, after the fork and before any student code.

Today that is resource limits, an empty environment and death with its host. Kernel rules about files and system
calls (Landlock, seccomp) belong here too, in `restrict`, last, since they take away the calls that the others need.
"""

import ctypes
import os
import signal
import sys
import tempfile

MIB = 1 << 20
CPU_BACKSTOP_SECONDS = 600
"""The judge kills by its own clock; this only ends a worker that nobody watches any more."""
OPEN_FILES = 64
PR_SET_PDEATHSIG = 1


def restrict(memory_mib: int) -> None:
    """Limit this process for good: memory beyond what it maps now, no files written, no core dump, few descriptors."""
    os.environ.clear()
    # Parts of torch ask for this name when they are imported, and it is found by writing a file, once.
    tempfile.gettempdir()
    if sys.platform == "linux":
        _die_with_parent()
    if sys.platform != "win32":
        _limit_resources(memory_mib)


def _limit_resources(memory_mib: int) -> None:
    import resource  # not there on Windows

    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CPU: CPU_BACKSTOP_SECONDS,
    }
    # macOS refuses an address space limit; a driver for a real accelerator reserves more than any limit would allow.
    if sys.platform == "linux" and not accelerator_present():
        limits[resource.RLIMIT_AS] = mapped_bytes() + memory_mib * MIB
    for which, value in limits.items():
        _, hard = resource.getrlimit(which)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (ceiling, ceiling))


def mapped_bytes() -> int:
    """Return the size of this process's address space in bytes (Linux)."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def accelerator_present() -> bool:
    """Return whether this machine has an NVIDIA GPU; the driver must not be woken for that, before a fork."""
    return os.path.exists("/dev/nvidiactl")


def _die_with_parent() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
