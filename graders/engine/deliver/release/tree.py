"""A course repository as a folder: whether a release may go there, and which of its files are there."""

import contextlib
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from graders.engine.deliver.release.record import RECORD, Release, digest, record_from_json
from graders.engine.errors import UsageError, shown_path

DRAFT = re.compile(r"\.release-[0-9a-f]{8}")
"""The name of a folder in which a release is put together. One that was cut off leaves it behind."""
LOCK = ".release-lock"


def require_place(folder: Path, staff: Path) -> None:
    """Raise UsageError for a folder that no release may be written to."""
    with _readable(folder):
        place, home = folder.resolve(), staff.resolve()
        if place == home or home in place.parents or place in home.parents:
            raise UsageError(
                f"{shown_path(folder)} and the staff repository lie in one another; expected a folder elsewhere, "
                "or private files would get into the course's history"
            )
        if not folder.exists() and folder.absolute().parent.is_dir():
            return
        if not folder.is_dir():
            raise UsageError(f"{shown_path(folder)} is no folder, and can't become one; make the one around it first")
        others = sorted(name for name in os.listdir(folder) if name not in (".git", LOCK) and not DRAFT.fullmatch(name))
        if others and not (folder / RECORD).exists():
            raise UsageError(
                f"{shown_path(folder)} holds files ({', '.join(others[:3])}) but no {RECORD}, so it was not released "
                "by this command; expected an empty folder or repository, or an earlier release"
            )


def remove_drafts(folder: Path) -> None:
    """Remove what earlier releases left behind that were cut off."""
    for name in os.listdir(folder) if folder.is_dir() else []:
        if DRAFT.fullmatch(name) and not (folder / name).is_symlink():
            shutil.rmtree(folder / name, ignore_errors=True)


def read_release(folder: Path) -> Release | None:
    """The record of the release in that folder, None if there is none; raises UsageError for one that is broken."""
    with _readable(folder):
        _require_plain(folder, [RECORD])
        return record_from_json(_read(folder / RECORD)) if (folder / RECORD).exists() else None


def digests(folder: Path, paths: Collection[str]) -> Mapping[str, str]:
    """The digests of those files that are there; raises UsageError, naming all, where something else is in the way."""
    with _readable(folder):
        _require_plain(folder, paths)
        return {path: digest(_read(folder / path)) for path in paths if (folder / path).is_file()}


@contextlib.contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Raise UsageError where looking at it fails: a folder may be shut, a name too long, a link go in a circle."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{shown_path(folder)} cannot be looked at: {said}; mend that, or give another") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from error


def _require_plain(folder: Path, paths: Collection[str]) -> None:
    """Raise UsageError for links, and for folders where files should be or files where folders should be."""
    found = dict.fromkeys(problem for path in sorted(paths) if (problem := _in_the_way(folder, path)))
    if found:
        raise UsageError("these are in the way of a release; move them elsewhere:" + "".join(found))


def _in_the_way(folder: Path, path: str) -> str:
    place, *names = folder, *path.split("/")
    for depth, name in enumerate(names, start=1):
        place = place / name
        if place.is_symlink():
            return f"\n  {shown_path(place)} is a link"
        if not place.exists():
            return ""
        if depth < len(names) and not place.is_dir():
            return f"\n  {shown_path(place)} is no folder"
    return "" if place.is_file() else f"\n  {shown_path(place)} is no file"
