"""The yardstick of `make bench` still runs the real checks, and the reference passes them; no figure is looked at."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_unprotected_run_passes_every_check_of_the_reference() -> None:
    checks = [str(path) for path in sorted(ROOT.glob("graders/ex*/*.py"))]
    paths = os.pathsep.join([str(ROOT / "tests" / "bench"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", "graders/engine/judge/checks.ini", "--rootdir=.",
         "--import-mode=importlib", "-p", "unprotected", "-p", "no:cacheprovider", *checks],
        # One thread, as in the yardstick itself.
        env=os.environ | {"BENCH_SUBMISSION": str(ROOT / "reference"), "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
