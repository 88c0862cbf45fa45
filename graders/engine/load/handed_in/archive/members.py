"""What an archive holds, as a place with files: this module makes folders of names, and refuses what is ambiguous.

Names come from whoever made the archive. One that leads out of it makes the whole archive refused; one that stands
there twice, or once more in other capitals, is refused where it is asked for, as it depends on the system which counts.
"""

import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from graders.engine.clean import one_line
from graders.engine.load.place import MAX_ENTRIES, Refused, require_file, require_folder

MAX_NAME = 1_000
"""So many characters may a name have, with those of its folders."""
DEEPEST = 3
"""Folders around a file that is looked at: one around all, exercises/, and a package in it."""
NOISE = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})
"""What systems put beside people's files."""

_PACKAGE = "__init__.py"
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Member:
    """A file or a folder in an archive: its name with those of its folders, what it is, how large, and where it lies.

    `at`, `packed`, `method` and `crc` mean something to those who read that kind of archive.
    """

    path: str
    mode: int
    size: int = 0
    at: int = 0
    packed: int = 0
    method: int = 0
    crc: int = 0
    refusal: str = ""
    """Why it cannot be read, as the end of a sentence."""


class Reader(Protocol):
    """The archive itself."""

    def bytes_of(self, member: Member, label: str, limit: int) -> bytes:
        """The member's bytes; raises Refused for more than the limit, or for what is damaged."""


def parts_of(name: str) -> tuple[str, ...]:
    """The folders and the name; raises Refused for a name that leads out of the archive, or that nobody can have."""
    text = unicodedata.normalize("NFC", name.replace("\\", "/"))
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    if text.startswith("/") or _DRIVE.match(text) or ".." in parts:
        raise Refused(
            f'it has a name that leads out of it, "{one_line(name[:100])}"; expected names inside it. '
            "Pack the folder again, from its own place"
        )
    if len(text) > MAX_NAME or "\0" in text:
        raise Refused(f'it has a name that no file can have, "{one_line(name[:100])}"; pack the folder again')
    return parts


def is_noise(name: str) -> bool:
    """Whether a system put that there, and no person."""
    return name in NOISE or name.startswith("._")


def looked_at(members: Iterable[Member]) -> tuple[Member, ...]:
    """Those that a submission can be read from, or that show what lies beside it: of deeper ones, their folders."""
    found: dict[str, list[Member]] = {}
    for member in members:
        parts = parts_of(member.path)
        if not parts or any(map(is_noise, parts)):
            continue
        path = "/".join(parts[:DEEPEST])
        if len(parts) > DEEPEST and parts[DEEPEST:] != (_PACKAGE,):
            found.setdefault(path, []).append(Member(path, stat.S_IFDIR))
        else:
            found.setdefault("/".join(parts), []).append(member)
    return tuple(member for path in found for member in _once(path, found[path]))


def _once(path: str, held: list[Member]) -> list[Member]:
    """What stands under a name; a folder once, however often it is named."""
    folders = [member for member in held if stat.S_ISDIR(member.mode)]
    others = [member for member in held if not stat.S_ISDIR(member.mode)]
    return [*(Member(path, stat.S_IFDIR) for _ in folders[:1]), *others[:2]]


@dataclass(slots=True)
class _Node:
    """A name in a folder: what it is the name of, and what that holds."""

    members: list[Member] = field(default_factory=list)
    inner: dict[str, "_Node"] = field(default_factory=dict)

    @property
    def mode(self) -> int:
        return self.members[0].mode if self.members and not self.inner else stat.S_IFDIR


@dataclass(frozen=True, slots=True)
class MemberFolder:
    """A folder in an archive, and what it holds by name."""

    reader: Reader
    prefix: str
    held: Mapping[str, _Node]
    twins: frozenset[str]
    """Names that are the same where capitals don't count."""

    @property
    def entries(self) -> tuple[str, ...]:
        return tuple(sorted(self.held)[:MAX_ENTRIES])

    @property
    def modules(self) -> tuple[str, ...]:
        names = {name.removesuffix(".py") for name in self.entries if _is_module(name, self.held[name])}
        return tuple(sorted(name for name in names if name.isidentifier()))

    def has(self, name: str) -> bool:
        return name in self.held

    def inside(self, name: str) -> "MemberFolder":
        node = self._only(name, name)
        require_folder(node.mode, name)
        return _folder(self.reader, f"{name}/", node)

    def read(self, name: str, label: str, limit: int) -> bytes:
        if name not in self.held:
            raise FileNotFoundError(name)
        node = self._only(name, label)
        require_file(node.mode, label)
        return self.reader.bytes_of(node.members[0], label, limit)

    def _only(self, name: str, label: str) -> _Node:
        node = self.held[name]
        files = [member for member in node.members if not stat.S_ISDIR(member.mode)]
        if len(files) > 1 or (files and len(node.members) > 1) or (files and node.inner):
            raise Refused(f"{label} stands in the archive more than once; expected it once. Pack the folder again.")
        if name in self.twins:
            raise Refused(
                f"{label} stands in the archive once more with other capitals; expected one of the two. "
                "Delete the other."
            )
        return node


def folder_of(reader: Reader, members: Iterable[Member]) -> MemberFolder:
    """The folder that the members lie in; raises Refused as `parts_of` does."""
    root = _Node()
    for member in looked_at(members):
        node = root
        for part in parts_of(member.path):
            node = node.inner.setdefault(part, _Node())
        node.members.append(member)
    return _folder(reader, "", root)


def _folder(reader: Reader, prefix: str, node: _Node) -> MemberFolder:
    return MemberFolder(reader, prefix, node.inner, frozenset(_twins(node.inner)))


def _twins(names: Iterable[str]) -> Iterator[str]:
    by_fold: dict[str, list[str]] = {}
    for name in names:
        by_fold.setdefault(name.casefold(), []).append(name)
    return (name for alike in by_fold.values() if len(alike) > 1 for name in alike)


def _is_module(name: str, node: _Node) -> bool:
    return _PACKAGE in node.inner if stat.S_ISDIR(node.mode) else name.endswith(".py")
