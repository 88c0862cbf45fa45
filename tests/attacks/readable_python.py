"""An interpreter that the user of one's choice can read, made in a second or two from the one that runs the tests."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

import graders

ORDINARY_USER = 54321
"""A number that hardly any system has given to anybody; it needs no name."""
ROOT = Path(graders.__file__).parents[1]
LEFT_OUT = ("site-packages", "test", "idlelib", "lib2to3", "tkinter", "ensurepip", "turtledemo")
TESTS = ("tests/attacks", "graders/__init__.py", "graders/engine", "pyproject.toml")


@dataclass(frozen=True)
class Python:
    """An interpreter and a folder from which it runs the tests of attacks."""

    executable: Path
    course: Path


@contextmanager
def copied_python(folder: Path, mode: int) -> Iterator[Python]:
    """Copy interpreter and tests, by links where possible, into a folder with this mode, which is gone afterwards."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = folder / "lib" / version
    folder.mkdir()
    try:
        executable = _copy_executable(folder, version)
        shutil.copytree(
            sysconfig.get_path("stdlib"), library, copy_function=_link, ignore=shutil.ignore_patterns(*LEFT_OUT)
        )
        packages = Path(torch.__file__).parents[1]
        if _others_can_read(packages):
            (library / "site-packages").symlink_to(packages)
        else:
            ignore = shutil.ignore_patterns("include", "test", "tests")
            shutil.copytree(packages, library / "site-packages", copy_function=_link, ignore=ignore, symlinks=True)
        for name in TESTS:
            source, target = ROOT / name, folder / "course" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
        folder.chmod(mode)
        yield Python(executable, folder / "course")
    finally:
        shutil.rmtree(folder)


@contextmanager
def running(python: Python, arguments: Sequence[str], home: Path, user: int) -> Iterator[subprocess.Popen[str]]:
    """Run an interpreter as a user, with an environment of its own; what is left of it at the end is killed."""
    home.mkdir()
    os.chown(home, user, user)
    process = subprocess.Popen(
        [python.executable, "-B", *arguments],
        cwd=python.course,
        env={"HOME": str(home), "TMPDIR": str(home), "PATH": os.environ["PATH"]},
        user=user if os.getuid() == 0 else None,
        group=user if os.getuid() == 0 else None,
        extra_groups=[] if os.getuid() == 0 else None,
        start_new_session=True,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@contextmanager
def as_ordinary_user(arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Run Python as this user, or as an ordinary one where this is root."""
    with open_folder() as folder, contextlib.ExitStack() as stack:
        if os.getuid() == 0:
            python = stack.enter_context(copied_python(folder / "python", 0o755))
        else:
            python = Python(Path(sys.executable), ROOT)
        yield stack.enter_context(running(python, arguments, folder / "home", os.getuid() or ORDINARY_USER))


def _copy_executable(folder: Path, version: str) -> Path:
    """Copy the program, and its library where it has one; that is then looked for beside the program."""
    (folder / "bin").mkdir()
    executable = folder / "bin" / version
    program = Path(os.path.realpath(sys.executable)).read_bytes()
    place, shared = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and (old := place.encode() + b"\0") in program:
        (folder / "lib").mkdir()
        shutil.copy2(Path(place) / shared, folder / "lib")
        program = program.replace(old, b"$ORIGIN/../lib".ljust(len(old), b"\0"))
    executable.write_bytes(program)
    executable.chmod(0o755)
    return executable


def _link(source: str, target: str) -> None:
    """Make a second name for a file that everyone may read, or else a copy that everyone may read."""
    if os.stat(source).st_mode & 0o004:
        try:
            os.link(source, target)
        except OSError:  # on another file system, or not ours to link
            shutil.copy2(source, target)
    else:
        shutil.copy2(source, target)
        os.chmod(target, 0o644)


def _others_can_read(path: Path) -> bool:
    """Return whether the folders on the way are open to everyone."""
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (path, *path.parents))
