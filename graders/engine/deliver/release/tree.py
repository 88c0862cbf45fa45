"""A course repository as a folder: which of its files are there, and how new ones come into it, all or none."""

import contextlib
import os
import secrets
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from graders.engine.deliver.release.record import RECORD, Release, digest, record_from_json
from graders.engine.errors import UsageError, shown_path


def require_place(folder: Path, staff: Path) -> None:
    """Raise UsageError for a folder that no release may be written to."""
    place, home = folder.resolve(), staff.resolve()
    if place == home or home in place.parents or place in home.parents:
        raise UsageError(
            f"{shown_path(folder)} and the repository of the staff lie in one another; expected a folder elsewhere, "
            "or private files would get into the course's history"
        )
    if not folder.exists() and folder.absolute().parent.is_dir():
        return
    if not folder.is_dir():
        raise UsageError(f"{shown_path(folder)} is no folder, and can't become one; make the folder around it first")
    others = sorted(set(os.listdir(folder)) - {".git"})
    if others and not (folder / RECORD).exists():
        raise UsageError(
            f"{shown_path(folder)} holds files ({', '.join(others[:3])}) but no {RECORD}, so it was not released by "
            "this command; expected an empty folder or repository, or an earlier release"
        )


def read_release(folder: Path) -> Release | None:
    """The record of the release in that folder, None if there is none; raises UsageError for one that is broken."""
    _require_plain(folder, [RECORD])
    try:
        return record_from_json((folder / RECORD).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{shown_path(folder / RECORD)} cannot be read ({error.strerror})") from error


def digests(folder: Path, paths: Collection[str]) -> Mapping[str, str]:
    """The digests of those files that are there; raises UsageError, naming all, where something else is in the way."""
    _require_plain(folder, paths)
    return {path: digest((folder / path).read_bytes()) for path in paths if (folder / path).is_file()}


def write(folder: Path, files: Mapping[str, bytes], removed: Collection[str]) -> None:
    """Write the files, which the record is one of, and remove the others; the record comes last.

    All are written beside the tree before one takes its place: a full disk leaves the tree as it was. After a power
    cut between two of them, the same release finishes what was begun.
    """
    folder.mkdir(exist_ok=True)
    staging = folder / f".release-{secrets.token_hex(4)}"
    try:
        for path, data in files.items():
            (staging / path).parent.mkdir(parents=True, exist_ok=True)
            (staging / path).write_bytes(data)
        for path in sorted(set(files) - {RECORD}):
            _place(staging / path, folder / path)
        for path in removed:
            (folder / path).unlink(missing_ok=True)
            _remove_empty(folder / path, folder)
        _place(staging / RECORD, folder / RECORD)
    except OSError as error:
        raise UsageError(f"{shown_path(folder)} can't be written ({error}); mend that, and repeat") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _place(draft: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        shutil.copymode(target, draft)
    draft.replace(target)


def _remove_empty(path: Path, folder: Path) -> None:
    """Remove the folders around a file that is gone, as long as nothing else is in them."""
    with contextlib.suppress(OSError):  # it holds other files, and stays
        for parent in path.parents:
            if parent == folder:
                return
            parent.rmdir()


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
