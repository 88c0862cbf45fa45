"""Somebody else's git repository, opened so that nothing in it is obeyed and nothing but its own objects is seen.

git runs commands that a repository's configuration names, and its hooks. Ours never sees either: it works in an empty
repository that we make, with that one's references, and its objects for a store. So there are no filters, no textconv,
no hooks, no file system monitor, and no remotes to fetch a missing object from, whatever the version of git.

Objects and references must be the repository's own. An alternate store, a link or a `.git` that leads elsewhere would
let a crafted repository show files of another one on this machine. Worktrees and submodules lose nothing by this: the
repository that they belong to has the same commits. Hard links are left alone, as `git clone` makes them.
"""

import os
import re
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from graders.engine.errors import UsageError
from graders.engine.load.folder import Folder, open_folder
from graders.engine.load.git_objects import Objects
from graders.engine.load.place import MAX_BYTES, Refused, require_file, require_folder


def open_repository(path: Path, stack: ExitStack) -> Objects:
    """The objects of the repository at that path; raises Refused if it is none, or borrows from another.

    Raises UsageError where there is no git, and OSError where the path cannot be opened.
    """
    git = shutil.which("git")
    if git is None:
        raise UsageError("a commit is read with git, and no git is on the PATH; install it, or give a folder")
    folder = _git_folder(path, stack)
    _refuse_borrowed(folder)
    own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="grade-")))
    (own / "HEAD").write_bytes(folder.read("HEAD", "HEAD of the repository", MAX_BYTES))
    (own / "config").write_text(_config(folder), encoding="utf-8")
    for name in ("refs", "packed-refs"):
        (own / name).symlink_to(folder.path / name)
    return Objects(git, own, folder.path / "objects", stack)


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


def _refuse_borrowed(folder: Folder) -> None:
    """Raise Refused where references or objects lie elsewhere; a link deeper in is seen when its object is read."""
    for name in ("objects", "refs"):
        require_folder(folder.look_up(name).st_mode, f"{name} of the repository")
    if folder.has("packed-refs"):
        require_file(folder.look_up("packed-refs").st_mode, "packed-refs of the repository")
    store = folder.path / "objects"
    held = [entry for place in (store, store / "pack") if place.is_dir() for entry in os.scandir(place)]
    if any(entry.is_symlink() for entry in held) or os.path.lexists(store / "info" / "alternates"):
        raise Refused(
            "it borrows objects from another repository (by a link, or objects/info/alternates); expected all of its "
            "own. Clone it with `git clone --no-local`, and give the clone"
        )


def _config(folder: Folder) -> str:
    """A configuration that says nothing but which kind of digest the repository's own names."""
    text = folder.read("config", "config of the repository", MAX_BYTES) if folder.has("config") else b""
    if re.search(rb'(?im)^[ \t]*objectformat[ \t]*=[ \t]*"?sha256\b', text):
        return "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
    return "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
