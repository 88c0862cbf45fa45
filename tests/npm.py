"""Files out of npm packages, which only tests need: fetched when they first do, and kept in `build/`."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[1] / "build"
SECONDS = 120


@dataclass(frozen=True)
class Packed:
    """A file in an npm package of that version."""

    package: str
    version: str
    member: str


def kept(packed: Packed, name: str, make: Callable[[bytes], bytes]) -> Path:
    """Return the file in `build/` that is made of a package's; skips the test without npm, and fails it under CI."""
    path = BUILD / name
    if not path.is_file():
        try:
            data = make(_fetched(packed))
        except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
            reason = f"{packed.member} of {packed.package} {packed.version} could not be had with npm: {error}"
            if os.environ.get("CI"):
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)
        _write(path, data)
    return path


def _fetched(packed: Packed) -> bytes:
    """Return the file, read out of the package without unpacking the rest of it."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("there is no npm; install Node.js")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"{packed.package}@{packed.version}", "--silent", "--ignore-scripts"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        # As a stream, which ends where the file has been read.
        with tarfile.open(archive, "r|gz") as members:
            for member in members:
                if member.name == packed.member and (file := members.extractfile(member)) is not None:
                    return file.read()
    raise FileNotFoundError("it is not in the package")


def _write(path: Path, data: bytes) -> None:
    """Write it whole, so that of several processes that make it at once each finds a whole one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
        draft.write(data)
    os.replace(draft.name, path)
