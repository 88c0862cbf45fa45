"""A Python for the workflows that has every package of the tests' own one, and into which nothing can be installed.

Its `pip` is a stand-in: it writes down what it was asked to install, and installs nothing, so that a rehearsal needs no
network and changes no environment of a developer's. That the real command works is shown wherever this project is
set up, which happens by the same line.
"""

import json
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

PIP = '''"""Stands in for pip: writes down what it was asked, and installs nothing."""
import json
import os
import sys

with open({asked!r}, "a", encoding="utf-8") as file:
    file.write(json.dumps([os.getcwd(), *sys.argv[1:]]) + "\\n")
print("pip stands in here, and installs nothing:", *sys.argv[1:])
'''


@dataclass(frozen=True)
class StandIn:
    """The environment, and the file in which its pip writes down what it was asked."""

    folder: Path

    @property
    def asked_file(self) -> Path:
        return self.folder / "asked.jsonl"

    def asked(self) -> list[list[str]]:
        """Return, for each call of pip, the folder that it was called in and its arguments."""
        lines = self.asked_file.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


def make_python(folder: Path) -> StandIn:
    """Make the environment in that folder."""
    venv.create(folder, symlinks=True, with_pip=False)
    stand_in = StandIn(folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    # Paths of such a file come after the folder that it lies in; and files like it in those folders are not obeyed,
    # so that a course which is installed there for development is no part of this environment.
    paths = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "borrowed.pth").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    (packages / "pip").mkdir()
    (packages / "pip" / "__init__.py").write_text("", encoding="utf-8")
    (packages / "pip" / "__main__.py").write_text(PIP.format(asked=str(stand_in.asked_file)), encoding="utf-8")
    program = folder / "bin" / "pip"
    program.write_text(f'#!/bin/sh\nexec "{folder / "bin" / "python"}" -m pip "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    stand_in.asked_file.touch()
    return stand_in
