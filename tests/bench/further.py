"""(b) What a further submission of a class costs, against a fresh pytest process and against the checks' own work.

With exercise 5's training, and in a copy of the course without the checks that train.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graders.engine.judge.session import Options, judge
from graders.engine.load.assignment import assignments
from graders.engine.load.course import find_course
from graders.engine.load.reading import load_submission
from graders.engine.load.rubric import load_rubric
from graders.engine.run.connection import Connection
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.supply import WorkerSupply, start_supply
from tests.bench.processes import HERE, ROOT, children, cpu_seconds, plain_pytest, run_once, surroundings
from tests.bench.training import without_training

PAIRS, FURTHER, ROUNDS = 5, 8, 8
OPTIONS = Options(1, hidden=True)


def further_submissions(submission: Path) -> None:
    """Print the comparison twice: with the checks that train, and without them."""
    with tempfile.TemporaryDirectory() as folder:
        left_out = without_training(ROOT, Path(folder))
        print(f"(b) a further submission in a warm class; medians of {PAIRS} interleaved rounds, CPU s")
        _compare("all checks", ROOT, submission)
        _compare(f"without {', '.join(left_out)}", Path(folder), submission)


def _compare(name: str, root: Path, submission: Path) -> None:
    fresh, floors, ours = [], [], []
    supply = start_supply(Isolation(Mode.STRICT))
    try:
        _further(root, submission, supply)  # warms the judge and the host
        for _ in range(PAIRS):
            fresh.append(_fresh_process(root, submission))
            floors.append(_floor(root, submission))
            ours.append(_further(root, submission, supply))
        orders, workers = _counted(root, submission, supply)
        order, fork = _one_order(supply), _one_worker(supply)
    finally:
        supply.close()
    judges, hosts, walls = (statistics.median(run[part] for run in ours) for part in range(3))
    floor, by_pytest = (statistics.median(run[part] for run in floors) for part in range(2))
    whole, plain = judges + hosts, statistics.median(fresh)
    print(f"    {name}")
    print(f"      judge {judges:.3f} + host and workers {hosts:.3f} = {whole:.3f}, wall {walls:.3f}")
    print(f"      a fresh pytest process {plain:.3f}: {whole / plain:.2f} of that, 1/{plain / whole:.1f}")
    print(f"      the checks' own work in one warm process {floor:.3f}: {whole / floor:.2f} x; as pytest runs it, "
          f"{by_pytest:.3f}: {whole / by_pytest:.2f} x")  # fmt: skip
    print(f"      of ours: checks' own work {floor:.3f}, {orders} orders {orders * order:.3f}, {workers} workers "
          f"{workers * fork:.3f}, the rest {whole - floor - orders * order - workers * fork:.3f}")  # fmt: skip


def _fresh_process(root: Path, submission: Path) -> float:
    """Return the CPU seconds of a process that runs the checks on a file that it imports."""
    _, cpu, _ = run_once(plain_pytest(root), surroundings(root, submission), root)
    return cpu


def _floor(root: Path, submission: Path) -> tuple[float, float]:
    """Return the CPU seconds that a submission's checks take in one warm process: called, and as pytest runs them."""
    command = [sys.executable, str(HERE / "warm.py"), str(root), str(submission), str(ROUNDS)]
    _, _, out = run_once(command, surroundings(root, submission), root)
    plain, by_pytest = out.split()[-2:]
    return float(plain), float(by_pytest)


def _further(root: Path, submission: Path, supply: WorkerSupply) -> tuple[float, float, float]:
    """Return CPU seconds of the judge and of host and workers, and wall seconds, for one submission more.

    What a session costs by itself cancels in the difference of a short one and a long one.
    """
    short, long = (_session(root, submission, supply, count) for count in (1, 1 + FURTHER))
    judge_cpu, hosts, wall = ((b - a) / FURTHER for a, b in zip(short, long, strict=True))
    return judge_cpu, hosts, wall


def _session(root: Path, submission: Path, supply: WorkerSupply, count: int) -> tuple[float, float, float]:
    course = find_course(root)
    rubric = load_rubric(course.rubric)
    given = load_submission(submission, assignments(course, rubric, list(rubric.exercises)))
    started, before = time.perf_counter(), (time.process_time(), host_seconds())
    judge(course, rubric, [given] * count, supply, OPTIONS)
    return time.process_time() - before[0], host_seconds() - before[1], time.perf_counter() - started


def host_seconds() -> float:
    """Return the CPU seconds of the host, this process's only child by now, and of all workers that it has reaped."""
    (host,) = children(os.getpid())
    return cpu_seconds(host)


def _counted(root: Path, submission: Path, supply: WorkerSupply) -> tuple[int, int]:
    """Return how many orders one submission takes, and how many workers."""
    counts = {"order": 0, "start": 0}
    order, start = Connection.order, type(supply).start

    def counting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **kwargs: Any) -> Any:
            counts[name] += 1
            return method(*args, **kwargs)

        return count

    Connection.order, type(supply).start = counting("order", order), counting("start", start)  # type: ignore[method-assign]
    try:
        _session(root, submission, supply, 1)
    finally:
        Connection.order, type(supply).start = order, start  # type: ignore[method-assign]
    return counts["order"], counts["start"]


def _one_order(supply: WorkerSupply) -> float:
    """Return the CPU seconds of an order that does nothing much, on both sides."""
    worker = supply.start(1024)
    before = time.process_time(), host_seconds()
    for _ in range(1000):
        worker.order("random_numbers", {"seed": None}, time.monotonic() + 5)
    worker.close()
    return (time.process_time() - before[0] + host_seconds() - before[1]) / 1000


def _one_worker(supply: WorkerSupply) -> float:
    """Return the CPU seconds of a worker's start, its restriction and its end."""
    before = time.process_time(), host_seconds()
    for _ in range(50):
        supply.start(1024).close()
    return (time.process_time() - before[0] + host_seconds() - before[1]) / 50
