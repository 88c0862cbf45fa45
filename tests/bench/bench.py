"""`make bench`: what grading costs, against a plain pytest process that runs the same checks unprotected.

Every figure is the median of interleaved runs, so that a noisy machine is noisy for both sides. Nothing here asserts.
"""

import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from graders.engine.run.connection import Connection
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.supply import start_supply
from tests.bench import class_report, whole_class
from tests.bench.further import further_submissions
from tests.bench.processes import ROOT, children, plain_pytest, run_once, surroundings

PAIRS = 10
REPEATS = 200
STARTS = 100


def main() -> None:
    """Print (a) to (f)."""
    print(f"torch {torch.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for file in (ROOT / "reference").glob("ex*.*"):
            shutil.copy(file, folder)
        compare_processes(Path(folder))
        if sys.platform == "linux":
            further_submissions(Path(folder))
    if sys.platform == "linux":
        orders_and_forks()
        sandbox(ROOT / "reference" / "ex02_token_pos.py")
    whole_class.main(*map(int, sys.argv[1:2]))
    class_report.main()


def compare_processes(folder: Path) -> None:
    """(a) One submission, whole process against whole process."""
    ours = [sys.executable, "-m", "graders", "grade", str(folder), "--hidden", "--seed", "1"]
    plain, environment = plain_pytest(ROOT), surroundings(ROOT, folder)
    for command in (ours, plain):
        run_once(command, environment)  # both warm: byte code and files are in the cache
    pairs = [(run_once(ours, environment)[:2], run_once(plain, environment)[:2]) for _ in range(PAIRS)]
    print(f"(a) one submission, all checks, whole process; medians of {PAIRS} interleaved pairs")
    for index, unit in enumerate(("wall", "CPU")):
        left, right = ([pair[side][index] for pair in pairs] for side in (0, 1))
        ratio = statistics.median(a / b for a, b in zip(left, right, strict=True))
        print(f"    {unit:4} s: grade {statistics.median(left):.2f}, plain pytest {statistics.median(right):.2f}, "
              f"ratio {ratio:.2f}")  # fmt: skip


def orders_and_forks() -> None:
    """(c) Milliseconds per fork and per order."""
    supply = start_supply(Isolation(Mode.PRACTICE))
    try:
        forks, closes = [], []
        for _ in range(50):
            forks.append(timed(lambda: supply.start(1024)))
            worker = forks[-1][1]
            closes.append(timed(worker.close))
        worker = supply.start(1024)
        orders = [
            timed(lambda: worker.order("random_numbers", {"seed": None}, time.monotonic() + 5)) for _ in range(REPEATS)
        ]
        worker.close()
    finally:
        supply.close()
    fork, close, order = (statistics.median(seconds for seconds, _ in rows) * 1e3 for rows in (forks, closes, orders))
    print(f"(c) {fork:.2f} ms per fork, {close:.2f} ms to end a worker, {order:.3f} ms per order")


def sandbox(reference: Path) -> None:
    """(d) What the sandbox adds to a worker's start, and the memory that a worker has to itself after some work."""
    supply = start_supply(Isolation(Mode.PRACTICE))
    shut_in, free = Isolation(Mode.STRICT), Isolation(Mode.PRACTICE, ())
    added = []
    try:
        supply.start(1024).close()
        for _ in range(STARTS):
            times = {}
            for isolation in (shut_in, free):
                supply.isolation = isolation
                times[isolation], worker = timed(lambda: supply.start(1024))
                worker.close()
            added.append(times[shut_in] - times[free])
        supply.isolation = shut_in
        worker = supply.start(1024)
        work_a_little(worker, reference)
        kib = private_kib(worker)
        worker.close()
    finally:
        supply.close()
    median = statistics.median(added) * 1e3
    print(f"(d) the sandbox adds {median:.2f} ms to a worker's start, median of {STARTS} interleaved pairs")
    print(f"    a worker that has gone forward and backward has {kib / 1024:.1f} MiB of memory to itself")


def work_a_little(worker: Connection, reference: Path) -> None:
    """Load an exercise, make a module and go backward through it."""
    source = torch.frombuffer(bytearray(reference.read_bytes()), dtype=torch.uint8)
    deadline = time.monotonic() + 30
    worker.order("load", {"source": source, "name": reference.stem, "label": reference.name}, deadline)
    made = {"name": "TokenPosEmbedding", "args": [1000, 64, 128], "kwargs": {}, "seed": 0}
    module = worker.order("make", made, deadline)
    ids = torch.zeros(4, 32, dtype=torch.int64)
    upstream = torch.ones(4, 32, 64)
    asked = {"module": module, "args": [ids], "kwargs": {}, "seed": 0, "upstream": upstream, "paths": ["pos.weight"]}
    worker.order("backward", asked, deadline)


def private_kib(worker: Connection) -> int:
    """Return the KiB of memory that the one worker shares with nobody."""
    (host,) = children(os.getpid())
    (pid,) = children(host)
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that an action took, and its result."""
    started = time.perf_counter()
    result = action()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    main()
