"""Programs that look at the repository for us, and must find nothing."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import graders

REPOSITORY = Path(graders.__file__).parents[1]


def run_tool(name: str, *arguments: str) -> None:
    """Run a program of this environment, or of the path, in the repository; it must find nothing."""
    program = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    assert program, f"{name} is not installed; it is part of the test extra"
    finished = subprocess.run(
        [program, *arguments], cwd=REPOSITORY, capture_output=True, text=True, timeout=200, check=False
    )
    assert finished.returncode == 0, f"{name} {' '.join(arguments)}\n{finished.stdout}{finished.stderr}"
