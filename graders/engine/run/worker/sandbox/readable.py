"""The paths that a worker may read: Python, its packages and the system's libraries, and nothing of anybody's own."""

import os
import sys
import sysconfig
from pathlib import Path

LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def readable_paths() -> tuple[str, ...]:
    """Return them with links resolved, each once; none lies beneath another."""
    # sys.path has the packages' folders and no more: boot.py makes it by hand.
    python = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.join(sys.base_prefix, "lib")]
    there = {os.path.realpath(path) for path in (*python, *sys.path, *LIBRARIES, *DEVICES) if os.path.exists(path)}
    return tuple(sorted(path for path in there if not _has_outer(path, there)))


def _has_outer(path: str, others: set[str]) -> bool:
    return any(path != other and Path(path).is_relative_to(other) for other in others)
