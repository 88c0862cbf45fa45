"""A folder in a commit, read from the objects of its repository: nothing is checked out, and nothing is obeyed."""

import re
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.load.git_objects import Objects
from graders.engine.load.git_repository import open_repository
from graders.engine.load.place import MAX_BYTES, MAX_ENTRIES, Refused, require_file, require_folder, too_large

MAX_TREE_BYTES = 8_000_000
"""Of the list of names in one folder: some 200,000 of them."""

_SUBMODULE = 0o160000
_PACKAGE = "__init__.py"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name in a folder: what it is the name of, as git knows it."""

    mode: int
    digest: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder in a commit, and what it holds by name."""

    objects: Objects
    prefix: str
    held: Mapping[str, _Entry]
    entries: tuple[str, ...]
    modules: tuple[str, ...]

    def has(self, name: str) -> bool:
        return name in self.held

    def inside(self, name: str) -> "Tree":
        entry = self.held[name]
        _refuse_submodule(entry, name, "a folder with the exercise files")
        require_folder(entry.mode, name)
        return _open_tree(self.objects, entry.digest, f"{name}/", name)

    def read(self, name: str, label: str, limit: int) -> bytes:
        if name not in self.held:
            raise FileNotFoundError(name)
        entry = self.held[name]
        _refuse_submodule(entry, label, "a file")
        require_file(entry.mode, label)
        return _read(self.objects, entry.digest, "blob", label, limit)


def open_commit(path: Path, revision: str, stack: ExitStack) -> tuple[Tree, str]:
    """The root folder of a commit, and the commit's digest; raises Refused, UsageError without git, or OSError."""
    objects = open_repository(path, stack)
    # The name travels in a line of its own: it can be no option, and ends where the line does.
    commit = objects.find(f"{revision}^{{commit}}") if revision.isprintable() else None
    if commit is None:
        raise Refused(
            f'there is no commit "{one_line(revision)}" in it; expected a branch, a tag or the digest of a commit '
            "that was fetched"
        )
    if len(revision) == len(commit.digest) and objects.find(revision) != commit:
        raise Refused(f'"{one_line(revision)}" is a tag; give the commit that it stands for, {commit.digest}')
    body = _read(objects, commit.digest, "commit", "the commit", MAX_BYTES)
    first, _, _ = body.partition(b"\n")
    return _open_tree(objects, first.removeprefix(b"tree ").decode("latin-1"), "", "the commit's folder"), commit.digest


def _open_tree(objects: Objects, digest: str, prefix: str, label: str) -> Tree:
    held = _parse(_read(objects, digest, "tree", label, MAX_TREE_BYTES), len(digest) // 2, label)
    entries = tuple(sorted(held)[:MAX_ENTRIES])
    modules = {name.removesuffix(".py") for name in entries if _is_module(objects, name, held[name], digest)}
    return Tree(objects, prefix, held, entries, tuple(sorted(name for name in modules if name.isidentifier())))


def _is_module(objects: Objects, name: str, entry: _Entry, tree: str) -> bool:
    if not stat.S_ISDIR(entry.mode):
        return name.endswith(".py")
    return name.isidentifier() and objects.find(f"{tree}:{name}/{_PACKAGE}") is not None


def _parse(source: bytes, digest_bytes: int, label: str) -> dict[str, _Entry]:
    """The names in a folder, in whatever bytes; raises Refused for a folder that git would not have written."""
    held: dict[str, _Entry] = {}
    place = 0
    while place < len(source):
        end = source.find(b"\0", place)
        mode, _, raw = source[place:end].partition(b" ")
        place = end + 1 + digest_bytes
        name = raw.decode("utf-8", "surrogateescape")
        if end < 0 or place > len(source) or not re.fullmatch(rb"[0-7]{5,6}", mode) or name in held:
            raise Refused(f"{label} is damaged or forged; expected names that stand in it once. Commit the files anew.")
        held[name] = _Entry(int(mode, 8), source[end + 1 : place].hex())
    return held


def _read(objects: Objects, digest: str, kind: str, label: str, limit: int) -> bytes:
    """The object's bytes; raises Refused if it is not there, of another kind, or too large to be looked at."""
    found = objects.find(digest)
    if found is None:
        raise Refused(
            f"{label} is in the commit, but not in this copy of the repository, which was fetched in part or is "
            f"damaged. Fetch it again, or make it smaller if it is above {limit // 1_000_000} MB."
        )
    if found.kind != kind:
        raise Refused(f"{label} is damaged or forged: git has a {found.kind} there; expected a {kind}")
    if found.size > limit:
        raise too_large(label, found.size, limit)
    return objects.read(found)


def _refuse_submodule(entry: _Entry, label: str, expected: str) -> None:
    if stat.S_IFMT(entry.mode) == _SUBMODULE:
        raise Refused(f"{label} is a submodule, a commit of another repository; expected {expected}. Put a copy there.")
