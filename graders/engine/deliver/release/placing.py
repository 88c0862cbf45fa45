"""How new files come into a course's folder: all or none, as far as a disk allows."""

import contextlib
import os
import secrets
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from graders.engine.deliver.release.record import RECORD, Release, record_to_json
from graders.engine.errors import CourseError, UsageError, shown_path

BEGUN = ".begun"
"""Where the record of a release that is under way waits in the draft."""


def write(folder: Path, files: Mapping[str, bytes], removed: Collection[str], record: Release) -> None:
    """Write the files, remove the others, and write the record, which comes last.

    All are written beside the tree before one takes its place: a full disk leaves the tree as it was, and that raises
    UsageError. After a failure between two of them, which raises CourseError, or a power cut there, the same release
    finishes what was begun. A first one is known by a record of no files, which comes first.
    """
    draft = folder / f".release-{secrets.token_hex(4)}"
    try:
        folder.mkdir(exist_ok=True)
        for path, data in files.items():
            (draft / path).parent.mkdir(parents=True, exist_ok=True)
            (draft / path).write_bytes(data)
        (draft / RECORD).parent.mkdir(parents=True, exist_ok=True)
        (draft / RECORD).write_bytes(record_to_json(record))
        (draft / BEGUN).write_bytes(record_to_json(record.model_copy(update={"files": {}})))
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise _unwritten(folder, error) from error
    try:
        _take_their_places(draft, folder, sorted(files), removed)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_new(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files into a folder that is not there yet, and that its owner alone may look into, or write nothing."""
    try:
        os.mkdir(folder, 0o700)
    except OSError as error:
        raise _unwritten(folder, error) from error
    try:
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise _unwritten(folder, error) from error


def _take_their_places(draft: Path, folder: Path, written: Collection[str], removed: Collection[str]) -> None:
    done = 0
    try:
        if not (folder / RECORD).exists():
            _place(draft / BEGUN, folder / RECORD)
        for path in written:
            _place(draft / path, folder / path)
            done += 1
        for path in removed:
            (folder / path).unlink(missing_ok=True)
            done += 1
            _remove_empty(folder / path, folder)
        _place(draft / RECORD, folder / RECORD)
    except OSError as error:
        raise CourseError(
            f"{shown_path(folder)} is written in part: {done} of {len(written) + len(removed)} files, and then: "
            f"{error.strerror}. Mend that, and repeat the command, which goes on from there; commit nothing before"
        ) from error


def _unwritten(folder: Path, error: OSError) -> UsageError:
    return UsageError(f"{shown_path(folder)} cannot be written: {error.strerror}; mend that, and repeat")


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
