"""Limits of one worker's own use: memory beyond what it maps now, threads, descriptors, no files written, no core dump.

Time is the judge's business: it kills by its own clock. The limit of CPU seconds here only ends a worker that nobody
watches any more.
"""

import os
import sys

if sys.platform != "win32":
    import resource

MIB = 1 << 20
CPU_BACKSTOP_SECONDS = 600
LEAST_CPU_SECONDS = 60
OPEN_FILES = 64
LEAST_THREADS = 64
THREADS = 1024
"""So many more than its user has when the host starts."""


def wanted(memory_mib: int, mapped: int, threads: int) -> dict[int, int]:
    """Return the limits of a worker by the system's numbers for them.

    `mapped` bytes are those of the process that it comes from, `threads` those that its user has already.
    """
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CPU: CPU_BACKSTOP_SECONDS,
    }
    if sys.platform == "linux":  # macOS refuses a limit of the address space, and has no such queues
        limits[resource.RLIMIT_AS] = mapped + memory_mib * MIB
        limits[resource.RLIMIT_NPROC] = threads + THREADS
        limits[resource.RLIMIT_MEMLOCK] = 0
        limits[resource.RLIMIT_MSGQUEUE] = 0
    return limits


def apply(limits: dict[int, int]) -> None:
    """Set each limit for good, or the lower one that is set already; see that the system holds it.

    Raises OSError as well where a lower one leaves honest code too little, which must not cost a student points.
    """
    for which, value in limits.items():
        _, hard = resource.getrlimit(which)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(which, (ceiling, ceiling))
        except ValueError as error:  # so Python names some refusals of the system
            raise OSError(f"limit {which} can't be set to {ceiling}: {error}") from None
        if resource.getrlimit(which) != (ceiling, ceiling):
            raise OSError(f"limit {which} was set to {ceiling} and is {resource.getrlimit(which)}")
    for name, least in _least(limits).items():
        held, _ = resource.getrlimit(getattr(resource, name))
        if held < least:
            raise OSError(f"{name} is {held} where this was started, and student code needs {least} (see ulimit)")


def _least(limits: dict[int, int]) -> dict[str, int]:
    """Return what each limit must allow at least, by its name."""
    least = {"RLIMIT_CPU": LEAST_CPU_SECONDS}
    if sys.platform == "linux":
        least["RLIMIT_AS"] = limits[resource.RLIMIT_AS]
        least["RLIMIT_NPROC"] = limits[resource.RLIMIT_NPROC] - THREADS + LEAST_THREADS
    return least


def mapped_bytes() -> int:
    """Return the size of this process's address space in bytes (Linux)."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def threads_of(user: int) -> int:
    """Return how many threads a user has on this machine (Linux), as far as this process may see them."""
    return sum(_threads(pid, user) for pid in os.listdir("/proc") if pid.isdecimal())


def _threads(pid: str, user: int) -> int:
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
            fields = dict(line.split(":", 1) for line in status if ":" in line)
    except OSError:
        return 0  # it has ended by now
    return int(fields["Threads"]) if int(fields["Uid"].split()[0]) == user else 0
