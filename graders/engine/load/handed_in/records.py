"""What is known of a student's submission before it is read: whose it is, where it lies, and since when."""

import datetime
from dataclasses import dataclass, replace
from pathlib import Path

from graders.engine.load.handed_in.archive.members import Member

OTHER = "other"
"""The kind of a finding that has no kind of its own; see `score/class_entry.py`."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder on this machine."""

    path: Path


@dataclass(frozen=True, slots=True)
class Files:
    """Files of a folder on this machine: how each is called, and under which name it lies there; later ones count."""

    folder: Path
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PackedFolder:
    """A folder in the archive of a class: what it holds, by names within it."""

    archive: Path
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class PackedFiles:
    """Files in the archive of a class, and how each is called; later ones count."""

    archive: Path
    names: tuple[tuple[str, Member], ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of a repository on a server, and the folder that it was fetched to, once it was."""

    server: str
    repository: str
    """OWNER/NAME."""
    sha: str
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Nothing:
    """No files at all, and why."""

    said: str


Origin = Folder | Files | PackedFolder | PackedFiles | Commit | Nothing


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A student's submission, not read yet. `label` is its name in the source, and the same on every machine.

    `handed_in_at` is a time that the student does not set. A finding is a kind and the words for a person.
    """

    student: str
    label: str
    origin: Origin
    handed_in_at: datetime.datetime | None = None
    findings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A class: its submissions by student, who handed in nothing, and lines about what was not understood."""

    layout: str
    """What the source was taken for, as people call it."""
    handed_in: tuple[HandedIn, ...]
    missing: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def finding(words: str) -> tuple[str, str]:
    """Something for a person to look at that has no kind of its own."""
    return (OTHER, words)


def with_finding(handed_in: HandedIn, words: str) -> HandedIn:
    """The same with something more for a person to look at."""
    return replace(handed_in, findings=(*handed_in.findings, finding(words)))


def fetched(handed_in: HandedIn, folder: Path) -> HandedIn:
    """The same, of a commit, with the folder that it was fetched to."""
    assert isinstance(handed_in.origin, Commit)
    return replace(handed_in, origin=replace(handed_in.origin, folder=folder))
