"""What a machine looks like around an attack: this module tells what an attack left behind, hurt or changed."""

import ctypes
import hashlib
import os
import resource
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.planted import SHARED, Planted

MIB = 1 << 20
MOST_GROWTH = 300 * MIB
"""Of the judge's memory while one attack is judged: an answer may be 64 MiB, and is held more than once."""
LIMITS = [getattr(resource, f"RLIMIT_{name}") for name in ("AS", "CORE", "CPU", "FSIZE", "NOFILE", "NPROC")]


@dataclass(frozen=True)
class Surroundings:
    """One look at them. Each field has the name that a problem is told by."""

    host: tuple[int, ...]
    """The process that workers are forked from, if it lives."""
    processes: frozenset[str]
    files: frozenset[str]
    """Whatever bears the attack's mark, wherever it may have been put."""
    planted: dict[str, tuple[int, ...]]
    """The course and the other planted files: mode, owner, size, times and content."""
    ipc: frozenset[str]
    judge: tuple[object, ...]
    """Limits, priority and processors of this process and of the host; open descriptors of this one."""
    memory: int
    """Bytes that this process holds."""


def look(planted: Planted, host: int) -> Surroundings:
    """Return what is there now."""
    return Surroundings(
        host=(host,) if _command_line(str(host)) else (),
        processes=frozenset(_processes(planted.mark, host)),
        files=frozenset(_marked_files(planted)),
        planted=dict(_planted_files(planted)),
        ipc=frozenset(_ipc(planted)),
        judge=(_state(os.getpid()), _state(host), len(os.listdir("/proc/self/fd"))),
        memory=_memory(),
    )


def differences(before: Surroundings, after: Surroundings) -> dict[str, str]:
    """Return what an attack did to its surroundings, in words, by the name of the field."""
    names = ("host", "processes", "files", "planted", "ipc", "judge")
    pairs = [(name, getattr(before, name), getattr(after, name)) for name in names]
    found = {name: f"{_only(old, new)} became {_only(new, old)}" for name, old, new in pairs if old != new}
    if after.memory - before.memory > MOST_GROWTH:
        found["memory"] = f"the judge grew by {(after.memory - before.memory) // MIB} MiB"
    return found


def _only(one: object, other: object) -> object:
    """Return what of one is not in the other, where they are sets or tables, so that words stay short."""
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return sorted(one - other)
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: value for key, value in one.items() if other.get(key) != value}
    return one


def folders(planted: Planted) -> list[Path]:
    """Return where an attack may try to leave a file."""
    places = ["/", "/tmp", "/var/tmp", "/dev/shm", "/run", os.getcwd(), os.path.expanduser("~"), planted.folder]
    inside = [planted.course.root, planted.files["hidden"].parent, planted.files["neighbour"].parent]
    return [path for path in map(Path, [*places, *inside]) if path.is_dir()]


def _marked_files(planted: Planted) -> Iterator[str]:
    for folder in folders(planted):
        try:
            yield from (str(folder / name) for name in os.listdir(folder) if planted.mark in name)
        except PermissionError:
            continue  # a folder that this user may not list, such as the home of another


def _planted_files(planted: Planted) -> Iterator[tuple[str, tuple[int, ...]]]:
    for path in (*planted.folder.rglob("*"), planted.files["shared"]):
        if "__pycache__" in path.parts:
            continue  # the judge's own, written when it imports a check
        facts = path.lstat()
        content = b"" if stat.S_ISDIR(facts.st_mode) else path.read_bytes()
        digest = int.from_bytes(hashlib.sha256(content).digest()[:8])
        # A folder's times change with what the judge itself caches in it.
        times = () if stat.S_ISDIR(facts.st_mode) else (facts.st_size, facts.st_mtime_ns)
        yield str(path), (facts.st_mode, facts.st_uid, facts.st_nlink * bool(times), *times, digest)


def _processes(mark: str, host: int) -> Iterator[str]:
    """Yield those that have the mark on their command line, as every child of the host has; and ended ones of it."""
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        if mark.encode() in _command_line(pid) and int(pid) != host:
            yield f"process {pid}"
    try:
        children = Path(f"/proc/{host}/task/{host}/children").read_text(encoding="ascii")
    except OSError:
        return  # the host has ended, which is told apart
    yield from (f"child {pid} of the host" for pid in children.split())


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended by now


def _ipc(planted: Planted) -> Iterator[str]:
    for kind in ("shm", "sem", "msg"):
        lines = Path(f"/proc/sysvipc/{kind}").read_text(encoding="ascii").splitlines()[1:]
        yield from (f"{kind} {line.split()[1]}" for line in lines if int(line.split()[0]) == planted.ipc_key)
    if ctypes.CDLL(None).mq_open(f"/{planted.mark}".encode(), os.O_RDONLY) != -1:
        yield "a message queue"
    yield from (str(path) for path in SHARED.glob(f"*{planted.mark}*"))


def _state(pid: int) -> tuple[object, ...]:
    try:
        limits = [resource.prlimit(pid, limit) for limit in LIMITS]
        return (*limits, os.getpriority(os.PRIO_PROCESS, pid), frozenset(os.sched_getaffinity(pid)))
    except ProcessLookupError:
        return ()


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
