"""Runs the commands of the demo in its folder: in sight of whoever reads along, or for a picture."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.demo.class_of_sixty import REPOSITORY, write_class
from tests.demo.steps import Step

PLACE = "build/demo"
FOLDER = REPOSITORY / PLACE


class Stopped(Exception):
    """A command did not end well, and those after it would make no sense."""


def make_folder() -> None:
    """Write the class anew, in place of whatever an earlier demo has left."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    write_class(FOLDER)


def run_in_sight(step: Step) -> None:
    """Run a command whose output goes where ours does. Raises Stopped."""
    _require(step, subprocess.run(_command(step), cwd=FOLDER, env=_environment(), check=False).returncode)


def run_into(step: Step) -> Path:
    """Run a command whose output goes into a file, and return that. Raises Stopped."""
    path = FOLDER / step.into
    with path.open("wb") as file:
        done = subprocess.run(_command(step), cwd=FOLDER, env=_environment(), stdout=file, check=False)
    _require(step, done.returncode)
    return path


def run_for_picture(step: Step, width: int) -> str:
    """Run a command as if at a terminal of that width, and return what it prints, with colours. Raises Stopped."""
    environment = _environment() | {"COLUMNS": str(width), "FORCE_COLOR": "1"}
    done = subprocess.run(_command(step), cwd=FOLDER, env=environment, stdout=subprocess.PIPE, check=False)
    _require(step, done.returncode)
    return done.stdout.decode("utf-8")


def _command(step: Step) -> list[str]:
    return [sys.executable, "-m", "graders", *step.arguments]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(REPOSITORY)}


def _require(step: Step, code: int) -> None:
    if code != 0:
        raise Stopped(f"{step.typed}\nended with exit code {code}; the demo stops here.")
