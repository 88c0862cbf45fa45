"""Which files of a commit are looked at when it is graded, by their digests: what a copy of it must hold, and no more.

Looked at are the exercises' files, the texts and the notebook, at the root and in ``exercises/``, as `reading.py` does;
and whether a folder beside them is a package, for which the file that makes it one has to be there.
"""

import stat
from collections.abc import Iterator

from graders.engine.load.assignment import NOTEBOOK, Wanted
from graders.engine.load.course import EXERCISES
from graders.engine.load.git_tree import Tree
from graders.engine.load.notebook.cells import MAX_BYTES as MAX_NOTEBOOK_BYTES
from graders.engine.load.place import MAX_BYTES, Refused
from graders.engine.load.reading import MAX_NEIGHBOURS

_PACKAGE = "__init__.py"


def asked_for(root: Tree, wanted: Wanted) -> dict[str, int]:
    """Return the digests of these files, and how large each may be. What is no file is left out: it is never read."""
    found: dict[str, int] = {}
    places = list(_places(root))
    for place in places:
        notebooks = _notebooks(place, wanted)
        for name in {*wanted.all_names, *notebooks} & place.held.keys():
            entry = place.held[name]
            if stat.S_ISREG(entry.mode):
                limit = MAX_NOTEBOOK_BYTES if name in notebooks else MAX_BYTES
                found[entry.digest] = max(limit, found.get(entry.digest, 0))
    # Last, as there may be many, and the time for all questions is limited.
    for place in places:
        for package in _packages(place):
            found.setdefault(package, MAX_BYTES)
    return found


def _places(root: Tree) -> Iterator[Tree]:
    yield root
    if root.has(EXERCISES):
        try:
            yield root.inside(EXERCISES)
        except Refused:
            return  # grading says why, and goes on with what lies beside it


def _notebooks(place: Tree, wanted: Wanted) -> set[str]:
    """The notebook under the course's name, or the only one under another."""
    if wanted.notebook is None or place.has(wanted.notebook):
        return {wanted.notebook} if wanted.notebook else set()
    others = {name for name in place.entries if name.endswith(NOTEBOOK) and not name.startswith(".")}
    return others if len(others) == 1 else set()


def _packages(place: Tree) -> Iterator[str]:
    """The files that make packages of folders, of so many as are told of."""
    folders = [name for name in place.entries if name.isidentifier() and stat.S_ISDIR(place.held[name].mode)]
    for name in folders[:MAX_NEIGHBOURS]:
        try:
            entry = place.inside(name).held.get(_PACKAGE)
        except Refused:
            continue  # a damaged folder is no package
        # A link is one for git, wherever it leads; a folder is there already.
        if entry is not None and (stat.S_ISREG(entry.mode) or stat.S_ISLNK(entry.mode)):
            yield entry.digest
