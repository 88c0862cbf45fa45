"""A folder of somebody else's, read so that no link, device or giant in it does harm.

Folders are opened one component at a time without following links, so that a file swapped in the middle of
a read cannot lead elsewhere. Windows lacks the system calls for that, and students grade only their own code
there: the kind of each component is looked up just before it is opened.
"""

import itertools
import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from graders.engine.load.place import MAX_ENTRIES, Refused, require_file, require_folder, too_large

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# Not blocking: a FIFO put in the file's place after the look-up would keep us waiting for a writer.
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder and what it holds. Without a descriptor (Windows), names are appended to its path."""

    path: Path
    prefix: str
    descriptor: int | None
    stack: ExitStack
    """Closes the folder, and those inside it that are opened later."""
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

    def inside(self, name: str) -> "Folder":
        try:
            require_folder(self.look_up(name).st_mode, name)
            within = self.descriptor
            descriptor = None if within is None else os.open(name, _FOLDER | _NO_LINK, dir_fd=within)
            return _listed(_kept_open(Folder(self.path / name, f"{name}/", descriptor, self.stack)))
        except OSError as error:
            raise Refused(f"{name} cannot be opened ({error.strerror}); expected a folder to read.") from error

    def read(self, name: str, label: str, limit: int) -> bytes:
        try:
            _require_plain(self.look_up(name), label)
            with open(os.open(self.at(name), _FILE, dir_fd=self.descriptor), "rb") as file:
                status = os.fstat(file.fileno())
                _require_plain(status, label)  # again: what was opened may not be what was looked up
                source = file.read(limit + 1)  # whatever size it had: it may grow meanwhile
        except FileNotFoundError:
            raise
        except OSError as error:
            raise Refused(f"{label} cannot be read ({error.strerror}); expected a file you may read.") from error
        if len(source) > limit:
            raise too_large(label, max(status.st_size, len(source)), limit)
        return source


def open_folder(path: Path, prefix: str, stack: ExitStack) -> Folder:
    """The folder at that path, whose last component may be a link; raises OSError if it cannot be opened."""
    return _listed(replace(open_unlisted(path, stack), prefix=prefix))


def open_unlisted(path: Path, stack: ExitStack) -> Folder:
    """The same without prefix, entries and modules: for files that are known by name, in a folder of very many."""
    descriptor = os.open(path, _FOLDER) if os.open in os.supports_dir_fd else None
    return _kept_open(Folder(path, "", descriptor, stack))


def _kept_open(folder: Folder) -> Folder:
    """The folder, to be closed with its stack."""
    if folder.descriptor is not None:
        folder.stack.callback(os.close, folder.descriptor)
    return folder


def _listed(folder: Folder) -> Folder:
    """The folder with the names of what it holds."""
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


def _require_plain(status: os.stat_result, label: str) -> None:
    require_file(status.st_mode, label)
    if status.st_nlink > 1:
        raise Refused(
            f"{label} has a second name in another place (a hard link); expected a file of its own. "
            "Copy it, delete this one and give the copy its name."
        )
