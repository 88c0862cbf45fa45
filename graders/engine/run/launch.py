"""How the processes that student code runs in are started, and the errors of starting them.

Nothing here needs torch, so that a host can be started first and import it while the judge does the same.
"""

import json
import os
import sys
from pathlib import Path

START_SECONDS = 120
"""How long a host or a fresh worker may take to import torch; a slow disk is no fault of the student's."""
BOOT = Path(__file__).with_name("worker") / "boot.py"
ROOT = Path(__file__).parents[3]


class HostFailed(Exception):
    """The process that workers come from did not start or is gone: the grader's fault, or the machine's."""


def command(kind: str) -> list[str]:
    """The line that starts boot.py: isolated, without the site module, with the judge's package folders by hand.

    Output is unbuffered, so that what a student printed before an endless loop is there to read.
    """
    site_paths = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    return [sys.executable, "-I", "-S", "-B", "-u", "-X", "utf8", str(BOOT), str(ROOT), json.dumps(site_paths), kind]


def environment() -> dict[str, str]:
    """An environment built from nothing: one thread, no accelerator, and no word of the judge's own."""
    variables = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    # Every thread would map 64 MiB for its own allocations, on machines with many cores more than a worker may map.
    variables["MALLOC_ARENA_MAX"] = "2"
    # What is allocated lies in large pages, where the system has them: a fork copies an entry for every page, and so
    # takes half the time.
    variables["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
    # The same verdicts with a GPU as without: its driver wants more than a worker may do.
    variables["CUDA_VISIBLE_DEVICES"] = ""
    if sys.platform == "win32":
        variables["SYSTEMROOT"] = os.environ["SYSTEMROOT"]  # Windows finds its own libraries through it
    return variables
