"""A submission as bytes: the named exercise files, read so that no link, device or giant does harm.

Folders are opened one component at a time without following links, so that a file swapped in the middle of
a read cannot lead elsewhere. Windows lacks the system calls for that, and students grade only their own code
there: the kind of each component is looked up just before it is opened.
"""

import difflib
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from graders.engine.errors import SubmissionError, printable, shown_path

EXERCISES = "exercises"
MAX_BYTES = 1_000_000
MAX_NEIGHBOURS = 200
MAX_ENTRIES = 2_000
"""So many entries of a folder are looked at, for neighbours and for misspelt names."""

_IMPORTABLE = sys.stdlib_module_names | {"torch", "numpy"}
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# Not blocking: a FIFO put in the file's place after the look-up would keep us waiting for a writer.
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class ExerciseFile:
    """One exercise's file: its bytes and their digest, or the problem that kept it from being read."""

    slug: str
    label: str
    source: bytes = b""
    sha256: str = ""
    problem: str = ""
    neighbours: tuple[str, ...] = ()
    """Modules and packages that lie beside the file and are no part of the submission, by name."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One file for each selected exercise, in the order of the selection, and remarks for the student."""

    label: str
    files: tuple[ExerciseFile, ...]
    notes: tuple[str, ...]


class _Refused(Exception):
    """Why a file or a folder is not read, in words for the student."""


@dataclass(frozen=True, slots=True)
class _Folder:
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


def _open(path: Path, prefix: str, stack: ExitStack) -> _Folder:
    descriptor = os.open(path, _FOLDER) if os.open in os.supports_dir_fd else None
    return _listed(_Folder(path, prefix, descriptor), stack)


def _open_inside(outer: _Folder, name: str, stack: ExitStack) -> _Folder:
    try:
        kind = outer.look_up(name).st_mode
        if stat.S_ISLNK(kind):
            raise _Refused(f"{name} is a link to another place; expected a folder. Copy the files into one.")
        if not stat.S_ISDIR(kind):
            raise _Refused(f"{name} is not a folder; expected one with the exercise files. Rename this.")
        within = outer.descriptor
        descriptor = None if within is None else os.open(name, _FOLDER | _NO_LINK, dir_fd=within)
        return _listed(_Folder(outer.path / name, f"{name}/", descriptor), stack)
    except OSError as error:
        raise _Refused(f"{name} cannot be opened ({error.strerror}); expected a folder to read.") from error


def _listed(folder: _Folder, stack: ExitStack) -> _Folder:
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


def _read(folder: _Folder, name: str, label: str) -> bytes:
    """The file's bytes; raises FileNotFoundError if there is none, _Refused if it is not to be read."""
    try:
        _require_plain(folder.look_up(name), label)
        with open(os.open(folder.at(name), _FILE, dir_fd=folder.descriptor), "rb") as file:
            status = os.fstat(file.fileno())
            _require_plain(status, label)  # again: what was opened may not be what was looked up
            source = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _Refused(f"{label} cannot be read ({error.strerror}); expected a file you may read.") from error
    if len(source) > MAX_BYTES:
        size = max(status.st_size, len(source)) / 1_000_000
        raise _Refused(f"{label} is too large ({size:.1f} MB); expected 1 MB at most. Keep only your code.")
    return source


def _require_plain(status: os.stat_result, label: str) -> None:
    kind = status.st_mode
    if stat.S_ISLNK(kind):
        raise _Refused(f"{label} is a link to another place; expected a file. Put a copy there.")
    if stat.S_ISDIR(kind):
        raise _Refused(f"{label} is a folder; expected a file. Move the folder away.")
    if not stat.S_ISREG(kind):
        raise _Refused(f"{label} is a pipe or a device; expected a file. Put your file in its place.")
    if status.st_nlink > 1:
        raise _Refused(
            f"{label} has a second name in another place (a hard link); expected a file of its own. "
            "Copy it, delete this one and give the copy its name."
        )


def load_submission(path: Path, slugs: Sequence[str]) -> Submission:
    """The files of the exercises ``slugs`` in a folder, in its folder ``exercises``, or in one single file.

    A file that cannot be read is in there with its problem; if that holds for all, raises SubmissionError.
    """
    try:
        with ExitStack() as stack:
            # Links in the path itself are followed: whoever runs this typed it, not the student graded.
            kind = os.stat(path).st_mode
            if stat.S_ISDIR(kind):
                return _load_folder(path, slugs, stack)
            if stat.S_ISREG(kind):
                return _load_single(path, slugs, stack)
    except OSError as error:
        raise _nothing_read(path, slugs, [f"it cannot be opened ({error.strerror})"]) from error
    raise _nothing_read(path, slugs, ["it is neither a folder nor an ordinary file"])


def _load_folder(path: Path, slugs: Sequence[str], stack: ExitStack) -> Submission:
    folder = root = _open(path, f"{EXERCISES}/" if path.name == EXERCISES else "", stack)
    names = [f"{slug}.py" for slug in slugs]
    direct = [name for name in names if root.has(name)]
    notes: list[str] = []
    if root.has(EXERCISES):
        try:
            inner = _open_inside(root, EXERCISES, stack)
        except _Refused as refusal:
            if not direct:
                raise _nothing_read(path, slugs, [str(refusal)]) from refusal
            notes.append(f"{refusal} Until then only the files beside it are graded.")
        else:
            preferred = any(inner.has(name) for name in names)
            folder = inner if preferred or not direct else root
            if preferred and direct:
                notes.append(f"{', '.join(direct)} beside {EXERCISES}/ was not read: the files in it count")
    pairs = zip(slugs, names, strict=True)
    files = tuple(_load_file(folder, slug, name, folder.prefix + name, names) for slug, name in pairs)
    if not any(file.sha256 for file in files):
        raise _nothing_read(path, slugs, [file.problem for file in files] + [_inventory(root)])
    return Submission(shown_path(path), files, (*notes, *_shadows(folder, files)))


def _load_single(path: Path, slugs: Sequence[str], stack: ExitStack) -> Submission:
    names = [f"{slug}.py" for slug in slugs]
    if path.name in names:
        chosen = slugs[names.index(path.name)]
    elif len(slugs) == 1 and path.suffix == ".py":
        chosen = slugs[0]
    else:
        raise _nothing_read(path, slugs, [f"expected a file with the name {' or '.join(names)}; rename it"])
    real = path.resolve()
    folder = _open(real.parent, f"{EXERCISES}/" if path.parent.name == EXERCISES else "", stack)
    given = _load_file(folder, chosen, real.name, folder.prefix + printable(path.name), names)
    if given.problem:
        raise _nothing_read(path, slugs, [given.problem])
    absent = f"not given: only {given.label} was. Give the folder that holds it to grade every exercise."
    others = {slug: ExerciseFile(slug, f"{folder.prefix}{slug}.py", problem=absent) for slug in slugs}
    files = tuple((others | {chosen: given}).values())
    return Submission(shown_path(path), files, _shadows(folder, (given,)))


def _nothing_read(path: Path, slugs: Sequence[str], reasons: Sequence[str]) -> SubmissionError:
    return SubmissionError(
        "\n  ".join([f'nothing to grade in "{shown_path(path)}":', *reasons])
        + f"\nGive a folder with {EXERCISES}/ in it, the folder of the exercise files itself, "
        f"or one exercise file, such as {slugs[0]}.py."
    )


def _shadows(folder: _Folder, files: Sequence[ExerciseFile]) -> tuple[str, ...]:
    return tuple(
        f"{folder.prefix}{name}{'.py' if folder.has(f'{name}.py') else '/'} is not part of the submission, "
        f"and can hide the real {name} when you run your file yourself; rename it"
        for name in dict.fromkeys(itertools.chain.from_iterable(file.neighbours for file in files))
        if name in _IMPORTABLE
    )


def _load_file(folder: _Folder, slug: str, name: str, label: str, known: Sequence[str]) -> ExerciseFile:
    neighbours = tuple(module for module in folder.modules if f"{module}.py" != name)[:MAX_NEIGHBOURS]
    try:
        source = _read(folder, name, label)
    except FileNotFoundError:
        near = _nearest(name, [entry for entry in folder.entries if entry not in known])
        remedy = "Copy the stub from the course and fill it in."
        if near:
            remedy = f'There is "{printable(near)}": if that is your file, rename it.'
        problem = f"no file {label}; expected it there. {remedy}"
        return ExerciseFile(slug, label, problem=problem, neighbours=neighbours)
    except _Refused as refusal:
        return ExerciseFile(slug, label, problem=str(refusal), neighbours=neighbours)
    return ExerciseFile(slug, label, source, hashlib.sha256(source).hexdigest(), neighbours=neighbours)


def _nearest(name: str, entries: Sequence[str]) -> str:
    """The entry that was probably meant to have that name: it contains it, or is spelt much like it."""
    stem = name.removesuffix(".py")
    entries = [entry for entry in entries if not entry.lower().endswith((".ipynb", ".pyc"))]
    holding = [entry for entry in entries if stem in entry.lower()]
    alike = difflib.get_close_matches(name, [entry.lower() for entry in entries], n=1, cutoff=0.8)
    return next(iter(holding + [entry for entry in entries if entry.lower() in alike]), "")


def _inventory(folder: _Folder) -> str:
    if not folder.entries:
        return "the folder is empty"
    more = f" and {len(folder.entries) - 5} more" if len(folder.entries) > 5 else ""
    return printable(f"the folder holds {', '.join(folder.entries[:5])}{more}")
