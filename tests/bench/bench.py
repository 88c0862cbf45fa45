"""`make bench`: what grading costs, against a plain pytest process that runs the same checks unprotected.

Every figure is the median of interleaved runs, so that a noisy machine is noisy for both sides. Nothing here asserts.
"""

import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from graders.engine.judge.session import Options, judge
from graders.engine.load.assignment import assignments
from graders.engine.load.course import find_course
from graders.engine.load.reading import load_submission
from graders.engine.load.rubric import load_rubric
from graders.engine.run.connection import Connection
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.supply import start_supply

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAIRS = 10
FURTHER = 8
REPEATS = 200
STARTS = 100


def main() -> None:
    """Print (a) to (d)."""
    print(f"torch {torch.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for file in (ROOT / "reference").glob("ex*.*"):
            shutil.copy(file, folder)
        plain_cpu = compare_processes(Path(folder))
        if sys.platform == "linux":
            further_submissions(Path(folder), plain_cpu)
    if sys.platform == "linux":
        orders_and_forks()
        sandbox(ROOT / "reference" / "ex02_token_pos.py")


def compare_processes(folder: Path) -> float:
    """(a) One submission, whole process against whole process; returns the plain process's median CPU seconds."""
    ours = [sys.executable, "-m", "graders", "grade", str(folder), "--hidden", "--seed", "1"]
    files = [str(path) for kind in ("visible", "hidden") for path in sorted(ROOT.glob(f"graders/ex*/{kind}.py"))]
    ini = ROOT / "graders/engine/judge/checks.ini"
    plain = [sys.executable, "-m", "pytest", "-q", "-c", str(ini), f"--rootdir={ROOT}", "--import-mode=importlib",
             "-p", "unprotected", "-p", "no:cacheprovider", *files]  # fmt: skip
    environment = os.environ | {"BENCH_SUBMISSION": str(folder), "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT)])}
    environment |= {"OMP_NUM_THREADS": "1"}
    for command in (ours, plain):
        run_once(command, environment)  # both warm: byte code and files are in the cache
    pairs = [(run_once(ours, environment), run_once(plain, environment)) for _ in range(PAIRS)]
    print(f"(a) one submission, all checks, whole process; medians of {PAIRS} interleaved pairs")
    for index, unit in enumerate(("wall", "CPU")):
        left, right = ([pair[side][index] for pair in pairs] for side in (0, 1))
        ratio = statistics.median(a / b for a, b in zip(left, right, strict=True))
        print(f"    {unit:4} s: grade {statistics.median(left):.2f}, plain pytest {statistics.median(right):.2f}, "
              f"ratio {ratio:.2f}")  # fmt: skip
    return statistics.median(pair[1][1] for pair in pairs)


def run_once(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return wall and CPU seconds of a command, its children included."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def further_submissions(folder: Path, plain_cpu: float) -> None:
    """(b) What each further submission costs in one session with a host that is already up."""
    course = find_course(None)
    rubric = load_rubric(course.rubric)
    submission = load_submission(folder, assignments(course, rubric, list(rubric.exercises)))
    options = Options(1, hidden=True)
    supply = start_supply(Isolation(Mode.PRACTICE))
    try:
        runs = [
            run_in_session(lambda count=count: judge(course, rubric, [submission] * count, supply, options))
            for _ in range(PAIRS + 1)
            for count in (1, 1 + FURTHER)
        ]
        # The first pair warms the judge; what a session costs by itself cancels in the difference of the two lengths.
        pairs = list(zip(runs[2::2], runs[3::2], strict=True))
        judges, workers, walls = (
            statistics.median((long[part] - short[part]) / FURTHER for short, long in pairs) for part in range(3)
        )
    finally:
        supply.close()
    both = judges + workers
    print(f"(b) a further submission, host up; medians of {PAIRS} pairs")
    print(f"    CPU s: judge {judges:.3f} + workers {workers:.3f} = {both:.3f}, wall s: {walls:.3f}")
    print(f"    {both / plain_cpu:.2f} of the plain process's CPU")


def run_in_session(action: Callable[[], Any]) -> tuple[float, float, float]:
    """Return the judge's CPU seconds, the host's with its workers', and wall seconds of an action."""
    started, before = time.perf_counter(), (time.process_time(), host_seconds())
    action()
    return time.process_time() - before[0], host_seconds() - before[1], time.perf_counter() - started


def host_seconds() -> float:
    """Return the CPU seconds of the host, this process's only child, and of all workers that it has reaped."""
    (host,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    fields = Path(f"/proc/{host}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


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
    (host,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    (pid,) = Path(f"/proc/{host}/task/{host}/children").read_text().split()
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that an action took, and its result."""
    started = time.perf_counter()
    result = action()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    main()
