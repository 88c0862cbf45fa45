"""What a place with a submission's files in it must be able to tell, and what is taken from it: named files only.

A place is a folder (`folder.py`) or a folder in a commit (`git_tree.py`). Whatever is refused, it is refused in the
same words.
"""

import stat
from pathlib import PurePath
from typing import Protocol

from graders.engine.clean import one_line
from graders.engine.errors import CourseError

KINDS = (".py", ".ipynb", ".yaml", ".md")
"""The kinds of files that can be handed in at all, whatever a rubric asks for."""
MAX_BYTES = 1_000_000
MAX_ENTRIES = 2_000
"""So many entries of a place are looked at, for neighbours and for misspelt names."""

_LFS = b"version https://git-lfs.github.com/spec/"


class Refused(Exception):
    """Why a file or a folder is not read, in words for the student."""


class Place(Protocol):
    """A folder of somebody else's, and what it holds by name."""

    @property
    def prefix(self) -> str:
        """What stands before the name of a file in its label."""

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of what it holds, sorted; of very many, some."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules and packages among the entries."""

    def has(self, name: str) -> bool:
        """Whether that name is there, whatever it is the name of."""

    def inside(self, name: str) -> "Place":
        """The folder of that name in it; raises Refused if that is no folder."""

    def read(self, name: str, label: str, limit: int) -> bytes:
        """The file's bytes; raises FileNotFoundError if there is none, Refused if it is not to be read."""


def read_handed_in(place: Place, name: str, label: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file that was handed in; raises as `Place.read` does, and CourseError for no such kind of file."""
    if PurePath(name).suffix not in KINDS:
        raise CourseError(f'"{one_line(name)}" cannot be handed in; expected a name that ends in {", ".join(KINDS)}')
    source = place.read(name, label, limit)
    if source.startswith(_LFS):
        raise Refused(
            f"{label} is a pointer of Git LFS; expected the file itself. "
            "Run `git lfs untrack` for it, then `git add --renormalize .`, and commit."
        )
    return source


def require_file(mode: int, label: str) -> None:
    """Raise Refused for what is no file. The modes of git mean what those of a file system do."""
    if stat.S_ISLNK(mode):
        raise Refused(f"{label} is a link to another place; expected a file. Put a copy there.")
    if stat.S_ISDIR(mode):
        raise Refused(f"{label} is a folder; expected a file. Move the folder away.")
    if not stat.S_ISREG(mode):
        raise Refused(f"{label} is a pipe or a device; expected a file. Put your file in its place.")


def require_folder(mode: int, name: str) -> None:
    """Raise Refused for what is no folder."""
    if stat.S_ISLNK(mode):
        raise Refused(f"{name} is a link to another place; expected a folder. Copy the files into one.")
    if not stat.S_ISDIR(mode):
        raise Refused(f"{name} is not a folder; expected one with the exercise files. Rename this.")


def too_large(label: str, size: int, limit: int) -> Refused:
    return Refused(
        f"{label} is too large ({size / 1_000_000:.1f} MB); expected {limit // 1_000_000} MB at most. "
        "Keep only your own work."
    )
