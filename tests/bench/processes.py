"""Whole processes, and what they cost: commands that a figure is measured by, or compared with."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def plain_pytest(root: Path) -> list[str]:
    """Return the command that runs all checks of a course unprotected, on files that pytest imports."""
    files = [str(path) for kind in ("visible", "hidden") for path in sorted(root.glob(f"graders/ex*/{kind}.py"))]
    ini = ROOT / "graders/engine/judge/checks.ini"
    return [sys.executable, "-m", "pytest", "-q", "-c", str(ini), f"--rootdir={root}", "--import-mode=importlib",
            "-p", "unprotected", "-p", "no:cacheprovider", *files]  # fmt: skip


def surroundings(root: Path, submission: Path) -> dict[str, str]:
    """Return the environment in which the checks of that course judge this submission, one thread at a time."""
    path = os.pathsep.join(dict.fromkeys([str(HERE), str(root), str(ROOT)]))
    return os.environ | {"BENCH_SUBMISSION": str(submission), "OMP_NUM_THREADS": "1", "PYTHONPATH": path}


def run_once(command: list[str], environment: dict[str, str], root: Path = ROOT) -> tuple[float, float, str]:
    """Return wall and CPU seconds of a command, its children included, and what it printed."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def children(pid: int) -> list[int]:
    """Return the processes that one has started."""
    try:
        lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return []
    return [int(child) for text in lists for child in text.split()]


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, and of those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
