"""A class folder as its readers see it: what was graded and how, a line for each student, and the cards.

`grade class` and `grade merge` write it (`batch/folder.py`), a card before its student's line. A line and a card that
do not go together were being written when a machine stopped: such a line counts as not there, and is named.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from graders.engine.errors import CourseError, UsageError, first_problem, shown_path
from graders.engine.load.moments import Moment
from graders.engine.score.card import Card, card_from_json
from graders.engine.score.class_entry import ClassEntry, State
from graders.engine.score.names import file_stem
from graders.engine.score.record import Digest, MaxPoints, Name, Record, Words
from graders.engine.score.strictness import Strictness

SETTINGS, CARDS, ENTRIES, CHANGES = "class.json", "cards", "entries", "changes.jsonl"
MOST_BYTES = 64_000_000
"""Of one file of a class folder: a hundred times what a large card takes."""


class Shard(Record):
    """Which part of a class this is: `number` of `of`, counted from 1."""

    number: Annotated[int, Field(ge=1)]
    of: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.number > self.of:
            raise ValueError(f"shard {self.number} of {self.of}; expected 1 to {self.of}")
        return self


class ClassExercise(Record):
    """An exercise that was graded: its name, title and worth."""

    slug: Name
    title: Words
    max_points: MaxPoints
    bonus: bool


class ClassSettings(Record):
    """What all cards of a class have in common. `course` is the digest of checks, references, rubric and engine."""

    version: Literal[1]
    title: Words
    seed: Annotated[int, Field(ge=0)]
    hidden: bool
    mode: Strictness
    course: Digest
    grader: Name
    torch: Name
    python: Name
    exercises: Annotated[tuple[ClassExercise, ...], Field(min_length=1)]
    deadline: Moment | None
    shard: Shard | None
    finished: bool = True
    """False while it is being graded, and after a run that was stopped: some cards may then be of an earlier run."""


@dataclass(frozen=True, slots=True)
class ClassFolder:
    """A class as it was graded, students by name. `unsettled` names the files whose student has to be graded again."""

    path: Path
    settings: ClassSettings
    entries: tuple[ClassEntry, ...]
    unsettled: tuple[str, ...] = ()

    def card_of(self, student: str) -> Card | None:
        """A student's card, read now; none for one who has no card here. Raises CourseError for one that is no card."""
        digest = next((entry.card_sha256 for entry in self.entries if entry.student == student), None)
        return None if digest is None else read_card(self.path, student, digest)


def read_class(folder: Path) -> ClassFolder:
    """The class in that folder, without its cards; raises UsageError where there is none, CourseError for a bad one."""
    settings = read_settings(folder)
    if settings is None:
        raise UsageError(
            f"{shown_path(folder)} is no class folder: it has no {SETTINGS}; give one that `grade class` wrote"
        )
    found, unsettled = [], []
    for path in files_in(folder / ENTRIES):
        entry = read_entry(folder, path)
        if entry is None:
            unsettled.append(f"{ENTRIES}/{path.name}")
        else:
            found.append(entry)
    return ClassFolder(folder, settings, tuple(sorted(found, key=lambda entry: entry.student)), tuple(unsettled))


def read_settings(folder: Path) -> ClassSettings | None:
    """What all cards there have in common; none if nothing was graded there yet. Raises CourseError."""
    path = folder / SETTINGS
    try:
        return ClassSettings.model_validate_json(_read(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        raise CourseError(
            f"{shown_path(path)} does not say how a class was graded: {first_problem(error)}; expected what "
            "`grade class` writes. Bring back a copy of it, or grade into another folder"
        ) from error


def read_entry(folder: Path, path: Path) -> ClassEntry | None:
    """The line in that file; none where it is no line, or does not go with the name or the card that lie there."""
    try:
        entry = ClassEntry.model_validate_json(_read(path))
    except ValidationError:
        return None
    if file_stem(entry.student) != path.stem or (entry.state is State.GRADED) != (entry.card_sha256 is not None):
        return None
    if entry.card_sha256 is None:
        return entry
    try:
        came = hashlib.sha256(_read(card_path(folder, entry.student))).hexdigest()
    except FileNotFoundError:
        return None
    return entry if came == entry.card_sha256 else None


def read_card(folder: Path, student: str, digest: str) -> Card:
    """The card with that digest; raises CourseError where another lies in its place, or what is no card."""
    path = card_path(folder, student)
    try:
        data = _read(path)
        card = card_from_json(data.decode("utf-8"))
    except FileNotFoundError:
        raise CourseError(
            f"{shown_path(path)} is gone; run `grade class` again, which grades what is missing"
        ) from None
    except ValueError as error:
        words = first_problem(error) if isinstance(error, ValidationError) else "it is not UTF-8"
        raise CourseError(
            f"{shown_path(path)} is no score card: {words}; delete it and run `grade class` again"
        ) from error
    if hashlib.sha256(data).hexdigest() != digest or card.student != student:
        raise CourseError(
            f"{shown_path(path)} is not the card that its student's line means; if the class is being graded, wait "
            "for the end of that, and otherwise grade it again"
        )
    return card


def card_path(folder: Path, student: str) -> Path:
    """Where a student's card lies."""
    return folder / CARDS / f"{file_stem(student)}.json"


def entry_path(folder: Path, student: str) -> Path:
    """Where a student's line lies."""
    return folder / ENTRIES / f"{file_stem(student)}.json"


def files_in(folder: Path) -> Iterator[Path]:
    """The files of students in one of the folders, by name; what a stopped machine left half written is none."""
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.suffix == ".json" and not path.name.startswith("."))


def _read(path: Path) -> bytes:
    """What is in a file of ours. Raises FileNotFoundError, and CourseError for any other reason not to read it."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise CourseError(f"{shown_path(path)} cannot be read: {error.strerror or error}") from error
    if len(data) > MOST_BYTES:
        raise CourseError(f"{shown_path(path)} is too large: expected {MOST_BYTES} bytes at most")
    return data
