"""Somebody else's git repository, opened so that nothing in it is obeyed and nothing but its own objects is seen.

git runs commands that a repository's configuration names, and its hooks. Ours never sees either: it works in an empty
repository that we make, with a copy of that one's references, and links to its objects. So there are no filters, no
textconv, no hooks, no file system monitor, and no remotes to fetch a missing object from, whatever the version of git.

Objects and references must be the repository's own. An alternate store, a link or a `.git` that leads elsewhere would
let a crafted repository show files of another one on this machine. Worktrees and submodules lose nothing by this: the
repository that they belong to has the same commits. Hard links of objects are left alone, as `git clone` makes them.

What is not named here is not there for git, so nothing is left to lead it astray:

- Of references, what has the form of one: a digest, or the name of another below `refs`. No journals (`main@{1}`), no
  index (`:name`), no `worktrees`, no `commondir`, no grafts, no `shallow`. In `packed-refs` stand digests for names,
  and git opens no file by them. References in the newer format (`reftable`) are not seen; commits by digest are.
- Of objects, the folders of loose ones, and in `pack` the files `*.pack` and `*.idx`. An index holds no names of files:
  git takes the pack beside it. Left out are those that do name files, and only make git faster (`multi-pack-index`,
  `commit-graph`), and those that are of no use here (`.rev`, `.bitmap`, `.mtimes`, `.promisor`, `info/packs`,
  `info/http-alternates`).

All of this is looked at once: expected is a repository that nobody writes to meanwhile.
"""

import itertools
import os
import re
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.errors import UsageError
from graders.engine.load.folder import Folder, open_folder
from graders.engine.load.git_objects import Objects
from graders.engine.load.place import MAX_BYTES, Refused, require_folder

MAX_NAMES = 5_000
"""So many references that are files of their own, or objects in one folder of them."""
MAX_DEPTH = 32
"""Of folders in folders of references."""
MAX_REFERENCE_BYTES = 4_096
MAX_PACKED_BYTES = 32_000_000
"""Of `packed-refs`: some 400,000 references."""

_REFERENCE = re.compile(rb"(?:[0-9a-f]{64}|[0-9a-f]{40}|ref:[ \t]*refs/(?!\S*\.\.)\S+)\s*")
_LOOSE = re.compile(r"[0-9a-f]{2}")
_PACKED = (".pack", ".idx")
_BORROWS = (
    "it borrows from another repository ({}); expected objects and references of its own. "
    "Clone it with `git clone --no-local`, and give the clone"
)


def open_repository(path: Path, stack: ExitStack) -> Objects:
    """The objects of the repository at that path; raises Refused if it is none, or borrows from another.

    Raises UsageError where there is no git, and OSError where the path cannot be opened.
    """
    git = shutil.which("git")
    if git is None:
        raise UsageError("a commit is read with git, and no git is on the PATH; install it, or give a folder")
    folder = _git_folder(path, stack)
    for name in ("objects", "refs"):
        require_folder(folder.look_up(name).st_mode, f"{name} of the repository")
    own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="grade-")))
    (own / "config").write_text(_config(folder), encoding="utf-8")
    _copy_head(folder, own)
    _copy_references(folder, own)
    _link_objects(folder, own)
    return Objects(git, own, stack)


def _git_folder(path: Path, stack: ExitStack) -> Folder:
    """The folder that holds the objects: the path itself, if it is a bare repository, or .git in it."""
    folder = open_folder(path.resolve(), "", stack)
    if folder.has(".git"):
        try:
            folder = folder.inside(".git")
        except Refused as refusal:
            raise Refused(
                ".git in it leads to another repository, as in a worktree or a submodule; give that repository itself"
            ) from refusal
    if not all(folder.has(name) for name in ("HEAD", "objects", "refs")):
        raise Refused("it is no git repository; give the folder that holds .git, or a bare repository")
    return folder


def _copy_head(folder: Folder, own: Path) -> None:
    source = folder.read("HEAD", "HEAD of the repository", MAX_BYTES)
    if not _REFERENCE.fullmatch(source):
        raise Refused("HEAD of the repository is damaged; expected a branch or a commit in it. Fetch it anew")
    (own / "HEAD").write_bytes(source)


def _copy_references(folder: Folder, own: Path) -> None:
    if folder.has("packed-refs"):
        packed = folder.read("packed-refs", "packed-refs of the repository", MAX_PACKED_BYTES)
        (own / "packed-refs").write_bytes(packed)
    places, left = ["refs"], MAX_NAMES
    while places:
        place = places.pop()
        (own / place).mkdir()
        held = _entries(folder.path, place, left if place.count("/") < MAX_DEPTH else 0)
        left -= len(held)
        places += [f"{place}/{entry.name}" for entry in held if entry.is_dir(follow_symlinks=False)]
        for entry in held:
            if entry.is_file(follow_symlinks=False):
                _copy_reference(folder, f"{place}/{entry.name}", own)


def _copy_reference(folder: Folder, name: str, own: Path) -> None:
    """Copy what has the form of a reference: a damaged one, as after a crash, is none for git either."""
    label = one_line(name)
    size = folder.look_up(name).st_size
    if size > MAX_REFERENCE_BYTES:
        raise Refused(f"{label} is {size} bytes long; expected a reference, which is a digest or a name. Delete it")
    source = folder.read(name, label, MAX_REFERENCE_BYTES)
    if _REFERENCE.fullmatch(source):
        (own / name).write_bytes(source)


def _link_objects(folder: Folder, own: Path) -> None:
    if os.path.lexists(folder.path / "objects" / "info" / "alternates"):
        raise Refused(_BORROWS.format("objects/info/alternates"))
    (own / "objects" / "pack").mkdir(parents=True)
    for entry in _entries(folder.path, "objects", MAX_NAMES):
        place = f"objects/{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            continue
        if _LOOSE.fullmatch(entry.name):
            _entries(folder.path, place, MAX_NAMES)
            (own / place).symlink_to(folder.path / place, target_is_directory=True)
        if entry.name == "pack":
            for file in _entries(folder.path, place, MAX_NAMES):
                if file.name.endswith(_PACKED) and file.is_file(follow_symlinks=False):
                    (own / place / file.name).symlink_to(folder.path / place / file.name)


def _entries(root: Path, place: str, most: int) -> list[os.DirEntry[str]]:
    """What a folder holds; raises Refused where that is a link, neither a file nor a folder, or more than so many."""
    with os.scandir(root / place) as found:
        held = list(itertools.islice(found, most + 1))
    for entry in held:
        label = one_line(f"{place}/{entry.name}")
        if entry.is_symlink():
            raise Refused(_BORROWS.format(f"{label} is a link"))
        if not entry.is_dir(follow_symlinks=False) and not entry.is_file(follow_symlinks=False):
            raise Refused(f"{label} is a pipe or a device; expected a file or a folder. Delete it")
    if len(held) > most:
        raise Refused(f"there is too much in {one_line(place)}; run `git gc` in the repository, which packs it")
    return held


def _config(folder: Folder) -> str:
    """A configuration that says nothing but which kind of digest the repository's own names."""
    text = folder.read("config", "config of the repository", MAX_BYTES) if folder.has("config") else b""
    if re.search(rb'(?im)^[ \t]*objectformat[ \t]*=[ \t]*"?sha256\b', text):
        return "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
    return "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
