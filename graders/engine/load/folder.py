"""A folder of somebody else's, read so that no link, device or giant in it does harm.

Folders are opened one component at a time without following links, so that a file swapped in the middle of
a read cannot lead elsewhere. Windows lacks the system calls for that, and students grade only their own code
there: the kind of each component is looked up just before it is opened.
"""

import itertools
import os
import stat
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

MAX_BYTES = 1_000_000
MAX_ENTRIES = 2_000
"""So many entries of a folder are looked at, for neighbours and for misspelt names."""

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# Not blocking: a FIFO put in the file's place after the look-up would keep us waiting for a writer.
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


class Refused(Exception):
    """Why a file or a folder is not read, in words for the student."""


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder and what it holds. Without a descriptor (Windows), names are appended to its path."""

    path: Path
    prefix: str
    descriptor: int | None
    entries: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    def at(self, name: str) -> Path:
        return self.path / name if self.descriptor is None else Path(name)

    def look_up(self, name: str) -> os.stat_result:
        return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Whether that name is there, or may be there for all that this folder lets us see."""
        try:
            self.look_up(name)
        except OSError as error:
            return not isinstance(error, FileNotFoundError)
        return True


def open_folder(path: Path, prefix: str, stack: ExitStack) -> Folder:
    descriptor = os.open(path, _FOLDER) if os.open in os.supports_dir_fd else None
    return _listed(Folder(path, prefix, descriptor), stack)


def open_inside(outer: Folder, name: str, stack: ExitStack) -> Folder:
    try:
        kind = outer.look_up(name).st_mode
        if stat.S_ISLNK(kind):
            raise Refused(f"{name} is a link to another place; expected a folder. Copy the files into one.")
        if not stat.S_ISDIR(kind):
            raise Refused(f"{name} is not a folder; expected one with the exercise files. Rename this.")
        within = outer.descriptor
        descriptor = None if within is None else os.open(name, _FOLDER | _NO_LINK, dir_fd=within)
        return _listed(Folder(outer.path / name, f"{name}/", descriptor), stack)
    except OSError as error:
        raise Refused(f"{name} cannot be opened ({error.strerror}); expected a folder to read.") from error


def _listed(folder: Folder, stack: ExitStack) -> Folder:
    """The folder with the names of what it holds, closed when the stack is."""
    if folder.descriptor is not None:
        stack.callback(os.close, folder.descriptor)
    entries, modules = [], []
    with os.scandir(folder.path if folder.descriptor is None else folder.descriptor) as found:
        for entry in itertools.islice(found, MAX_ENTRIES):
            entries.append(entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            module = entry.name if is_folder else entry.name.removesuffix(".py")
            is_module = folder.has(f"{module}/__init__.py") if is_folder else module != entry.name
            if module.isidentifier() and is_module:
                modules.append(module)
    return replace(folder, entries=tuple(sorted(entries)), modules=tuple(sorted(set(modules))))


def read_file(folder: Folder, name: str, label: str, limit: int = MAX_BYTES) -> bytes:
    """The file's bytes; raises FileNotFoundError if there is none, Refused if it is not to be read."""
    try:
        _require_plain(folder.look_up(name), label)
        with open(os.open(folder.at(name), _FILE, dir_fd=folder.descriptor), "rb") as file:
            status = os.fstat(file.fileno())
            _require_plain(status, label)  # again: what was opened may not be what was looked up
            source = file.read(limit + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Refused(f"{label} cannot be read ({error.strerror}); expected a file you may read.") from error
    if len(source) > limit:
        size, most = max(status.st_size, len(source)) / 1_000_000, limit // 1_000_000
        raise Refused(f"{label} is too large ({size:.1f} MB); expected {most} MB at most. Keep only your own work.")
    return source


def _require_plain(status: os.stat_result, label: str) -> None:
    kind = status.st_mode
    if stat.S_ISLNK(kind):
        raise Refused(f"{label} is a link to another place; expected a file. Put a copy there.")
    if stat.S_ISDIR(kind):
        raise Refused(f"{label} is a folder; expected a file. Move the folder away.")
    if not stat.S_ISREG(kind):
        raise Refused(f"{label} is a pipe or a device; expected a file. Put your file in its place.")
    if status.st_nlink > 1:
        raise Refused(
            f"{label} has a second name in another place (a hard link); expected a file of its own. "
            "Copy it, delete this one and give the copy its name."
        )
