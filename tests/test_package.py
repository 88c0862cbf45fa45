"""The command as people start it."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import graders

REPOSITORY = Path(graders.__file__).parents[1]
COMMANDS = ["grade", "mark", "lint", "new"]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


def run(*arguments):
    command = [sys.executable, "-m", "graders", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)


def test_the_version():
    finished = run("--version")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, f"{graders.__version__}\n", "")
    assert re.fullmatch(r"\d+\.\d+\.\d+", graders.__version__)


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_names_what_there_is(arguments):
    finished = run(*arguments)
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""
    for word in COMMANDS if arguments == ["--help"] else ["--course"]:
        assert word in finished.stdout


def test_help_imports_no_torch():
    program = (
        "import sys\nfrom graders.engine.cli.app import app\n"
        "app(['--help'], standalone_mode=False)\nprint('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    finished = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert finished.stdout.splitlines()[-1] == "False", finished.stderr


def test_the_command_grade_is_declared():
    module, _, function = PROJECT["project"]["scripts"]["grade"].partition(":")
    assert callable(getattr(import_module(module), function))


def test_what_is_not_python_is_declared_as_part_of_the_package():
    declared = {
        path
        for package, patterns in PROJECT["tool"]["setuptools"].get("package-data", {}).items()
        for pattern in patterns
        for path in (REPOSITORY / package.replace(".", "/")).glob(pattern)
    }
    engine = REPOSITORY / "graders" / "engine"
    found = {path for path in engine.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    # In folders with a dot, tools keep what is theirs.
    data = {path for path in found if not re.search("/[.]", path.relative_to(REPOSITORY).as_posix())}
    assert {engine / "judge" / "checks.ini", engine / "deliver" / "autograder" / "run_autograder"} <= data
    assert data <= declared, f"package-data lacks {sorted(path.name for path in data - declared)}"
