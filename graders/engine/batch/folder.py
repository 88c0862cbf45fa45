"""Writes a class folder: each file whole or not at all, and a card before the line of its student.

Nothing waits for the disk: a card that a failing machine has lost does not have the digest that its line names, and its
student is graded again. `score/class_folder.py` has the names of the files, and reads them.
"""

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import ValidationError

from graders.engine.batch.changes import Change
from graders.engine.errors import ServiceError, UsageError, shown_path
from graders.engine.score.class_entry import ClassEntry
from graders.engine.score.class_folder import (
    CARDS,
    CHANGES,
    ENTRIES,
    SETTINGS,
    ClassSettings,
    card_path,
    entry_path,
    files_in,
    read_entry,
)
from graders.engine.score.names import file_stem

REPOSITORIES = "repositories"
"""What was fetched of commits, a repository for each student."""
OURS = (SETTINGS, CARDS, ENTRIES, CHANGES, REPOSITORIES)
DRAFT = ".draft-"


def make_folder(folder: Path) -> None:
    """Make the folder of a class where there is none; raises UsageError where something else lies there."""
    if folder.is_dir() and not (folder / SETTINGS).exists():
        strange = sorted(path.name for path in folder.iterdir() if path.name not in OURS and path.name[0] != ".")
        if strange:
            raise UsageError(
                f"--out {shown_path(folder)} holds {strange[0]!a} and no {SETTINGS}; give a folder that is new or "
                "empty, or one that `grade class` wrote"
            )
    try:
        for each in (folder, folder / CARDS, folder / ENTRIES):
            each.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {shown_path(folder)} cannot be made: {error.strerror or error}") from error


def clear_drafts(folder: Path) -> None:
    """Delete what a run that was killed left half written."""
    for place in (folder, folder / CARDS, folder / ENTRIES):
        for draft in place.glob(f"{DRAFT}*"):
            draft.unlink(missing_ok=True)
    for repository in (folder / REPOSITORIES).glob(".*"):
        shutil.rmtree(repository, ignore_errors=True)


def write_settings(folder: Path, settings: ClassSettings) -> None:
    """Write what all cards have in common."""
    _write(folder / SETTINGS, settings.model_dump_json(indent=2) + "\n")


def write_card(folder: Path, student: str, card: str) -> str:
    """Write a card, and return its digest. Its student's line has to follow."""
    _write(card_path(folder, student), card)
    return hashlib.sha256(card.encode()).hexdigest()


def write_entry(folder: Path, entry: ClassEntry) -> None:
    """Write a student's line, and take away a card that it does not know of."""
    _write(entry_path(folder, entry.student), entry.model_dump_json(indent=2) + "\n")
    if entry.card_sha256 is None:
        card_path(folder, entry.student).unlink(missing_ok=True)


def class_of_card(path: Path) -> Path | None:
    """Return the class folder that a card is one of; none for a card that lies anywhere else."""
    folder = path.absolute().parent.parent
    return folder if path.absolute().parent == folder / CARDS and (folder / SETTINGS).is_file() else None


def replace_card(folder: Path, path: Path, card: str) -> None:
    """Write another card in the place of one that is there, and its student's line to go with it."""
    entry = read_entry(folder, folder / ENTRIES / path.name)
    _write(path, card)
    if entry is not None:
        digest = hashlib.sha256(card.encode()).hexdigest()
        write_entry(folder, entry.model_copy(update={"card_sha256": digest}))


def others_in(folder: Path, known: Collection[str]) -> list[str]:
    """Return who else has a line there that holds together."""
    stems = {file_stem(student) for student in known}
    lines = (read_entry(folder, path) for path in files_in(folder / ENTRIES) if path.stem not in stems)
    return sorted(entry.student for entry in lines if entry is not None)


def add_change(folder: Path, change: Change) -> None:
    """Add a line to the table of changes."""
    _append(folder / CHANGES, change.model_dump_json())


def read_changes(folder: Path) -> Iterator[Change]:
    """Yield the changes in their order; a line that was cut off is none."""
    try:
        text = (folder / CHANGES).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    for line in text.splitlines():
        try:
            yield Change.model_validate_json(line)
        except ValidationError:
            continue


def _append(path: Path, line: str) -> None:
    with _told(path), open(path, "a+b") as file:
        if file.tell() and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n":
            line = f"\n{line}"  # a line that was cut off stays alone
        file.write(line.encode() + b"\n")


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f"{DRAFT}{secrets.token_hex(8)}")
    try:
        with _told(path):
            draft.write_bytes(text.encode())
            draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raise ServiceError for a disk that is full, say: no fault of the grader, and none of a student."""
    try:
        yield
    except OSError as error:
        raise ServiceError(
            f"{shown_path(path)} cannot be written: {error.strerror or error}; see to it, and run the same again"
        ) from error
