"""Which files of `.github/workflows/` are not the course's: a comparison of digests, in folders that were fetched."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.errors import first_of
from graders.engine.load.git_tree import open_commit
from graders.engine.load.place import Refused

FOLDER = (".github", "workflows")
NO_FOLDER = "no folder"
MOST_NAMED = 10

Files = Mapping[str, str]
"""Digests by name, as they are in a commit."""


def workflow_files(repository: Path, sha: str) -> Files:
    """Return the files of `.github/workflows/` in a commit; raises Refused where the commit can't be read."""
    with ExitStack() as stack:
        place, _ = open_commit(repository, sha, stack)
        for name in FOLDER:
            if not place.has(name):
                return {}
            try:
                place = place.inside(name)
            except Refused:
                return {NO_FOLDER: ""}
        return {name: entry.digest for name, entry in place.held.items()}


def edited(files: Files, versions: Sequence[Files]) -> str | None:
    """Return in words how a fork's workflows differ from every version that the course has had, or nothing.

    A fork may have been made, or brought up to date, at any of them.
    """
    known = {(name, digest) for version in versions for name, digest in version.items()}
    names = {name for name, _ in known}
    always = set.intersection(*(set(version) for version in versions)) if versions else set()
    changed = sorted(name for name, digest in files.items() if name in names and (name, digest) not in known)
    added = sorted(name for name in files if name not in names)
    parts = [
        f"{what} {_named(some)}"
        for what, some in (("changed:", changed), ("added:", added), ("missing:", sorted(always - set(files))))
        if some
    ]
    return f"the files in .github/workflows are not the course's; {'; '.join(parts)}" if parts else None


def _named(names: Sequence[str]) -> str:
    return ", ".join(first_of([one_line(name[:100]) for name in names], MOST_NAMED))
