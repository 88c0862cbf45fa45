"""Where the submissions of a class lie, as a list of names: a folder on this machine, or one zip of them all."""

import itertools
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from graders.engine.clean import one_line
from graders.engine.errors import UsageError, shown_path
from graders.engine.load.folder import open_unlisted
from graders.engine.load.handed_in.archive.members import Member, folder_of, is_noise, looked_at, parts_of
from graders.engine.load.handed_in.archive.zips import A_CLASS, ONE_STUDENT, ZipOnDisk, list_zip
from graders.engine.load.handed_in.records import Files, Folder, Nothing, Origin, PackedFiles, PackedFolder
from graders.engine.load.place import Refused

MAX_ENTRIES = 400_000
MOST_OF_ONE = ONE_STUDENT.members
"""So many files of one student in the archive of a class."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name at the top of a source: a folder or a file."""

    name: str
    is_folder: bool


class Source(Protocol):
    """The submissions of a class."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What lies at the top, sorted, without what systems put there."""

    @property
    def unread(self) -> tuple[str, ...]:
        """What cannot be read at all, and why."""

    def inside(self, name: str) -> "Source":
        """The folder of that name as a source."""

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a file at the top; raises Refused."""

    def folder(self, name: str) -> Origin:
        """That folder as a submission."""

    def files(self, names: Sequence[tuple[str, str]]) -> Origin:
        """These files as one: how each is called, and what it lies under."""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A folder of submissions."""

    path: Path
    entries: tuple[Entry, ...]
    unread: tuple[str, ...]

    def inside(self, name: str) -> "OnDisk":
        return open_source(self.path / name)

    def read(self, name: str, limit: int) -> bytes:
        with ExitStack() as stack:
            return open_unlisted(self.path, stack).read(name, one_line(name), limit)

    def folder(self, name: str) -> Origin:
        return Folder(self.path / name)

    def files(self, names: Sequence[tuple[str, str]]) -> Origin:
        return Files(self.path, tuple(names))


@dataclass(frozen=True, slots=True)
class InZip:
    """The archive of a class, or a folder in it: what lies under each name at its top, with the rest of its path."""

    archive: Path
    held: Mapping[str, tuple[Member, ...]]
    unread: tuple[str, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(Entry(name, self._is_folder(name)) for name in sorted(self.held) if not is_noise(name))

    def inside(self, name: str) -> "InZip":
        return InZip(self.archive, _by_top(self.held[name]), self.unread)

    def read(self, name: str, limit: int) -> bytes:
        return folder_of(ZipOnDisk(self.archive), self._named(name)).read(name, one_line(name), limit)

    def folder(self, name: str) -> Origin:
        members = self.held[name]
        if len(members) > MOST_OF_ONE:
            return Nothing(f"it has {len(members)} files; expected {MOST_OF_ONE} at most, one's own work")
        return PackedFolder(self.archive, looked_at(members))

    def files(self, names: Sequence[tuple[str, str]]) -> Origin:
        named = [(name, member) for name, lies_as in names for member in self._named(lies_as)]
        return PackedFiles(self.archive, tuple(named))

    def _named(self, name: str) -> list[Member]:
        return [replace(member, path=name) for member in self.held[name]]

    def _is_folder(self, name: str) -> bool:
        return any(member.path or stat.S_ISDIR(member.mode) for member in self.held[name])


def open_source(path: Path) -> OnDisk:
    """A folder of submissions; raises UsageError if it cannot be read."""
    entries, unread = [], []
    try:
        with os.scandir(path) as found:
            for entry in itertools.islice(found, MAX_ENTRIES):
                if is_noise(entry.name):
                    continue
                # Whoever unpacks something into this folder may have made a link that leads to another student's work.
                if entry.is_symlink():
                    unread.append(f"{one_line(entry.name)} is a link; expected a folder or a file. Put a copy there")
                else:
                    entries.append(Entry(entry.name, entry.is_dir(follow_symlinks=False)))
    except OSError as error:
        raise UsageError(
            f"{shown_path(path)} cannot be read ({error.strerror}); expected a folder of submissions"
        ) from error
    return OnDisk(path, tuple(sorted(entries, key=lambda entry: entry.name)), tuple(sorted(unread)))


def open_zip(path: Path) -> InZip:
    """An archive of submissions; raises UsageError if it is none."""
    try:
        with path.open("rb") as file:
            members = list_zip(file, A_CLASS)
    except OSError as error:
        raise UsageError(
            f"{shown_path(path)} cannot be read ({error.strerror}); expected a zip of submissions"
        ) from error
    except Refused as refusal:
        raise UsageError(f"{shown_path(path)} cannot be read: {refusal}") from refusal
    plain, unread = [], []
    for member in members:
        try:
            plain.append(replace(member, path="/".join(parts_of(member.path))))
        except Refused as refusal:
            unread.append(f"a file of the archive is left out: {refusal}")
    return InZip(path, _by_top(plain), tuple(unread))


def _by_top(members: Iterable[Member]) -> dict[str, tuple[Member, ...]]:
    """The members by the first part of their paths, which they lose; a folder's own entry is left with none."""
    held: dict[str, list[Member]] = {}
    for member in members:
        top, _, rest = member.path.partition("/")
        if top:
            held.setdefault(top, []).append(replace(member, path=rest))
    return {top: tuple(found) for top, found in held.items()}
