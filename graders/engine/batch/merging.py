"""Joins parts of a class that were graded apart: into the folder that one machine would have written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.engine.batch.folder import add_change, others_in, read_changes, write_card, write_entry, write_settings
from graders.engine.errors import CourseError, UsageError, first_of, shown_path
from graders.engine.score.class_entry import ClassEntry
from graders.engine.score.class_folder import ClassFolder, ClassSettings, card_path, read_card, read_class

MOST_NAMED = 10
MAY_DIFFER = {"title", "shard", "finished"}


@dataclass(frozen=True, slots=True)
class Merged:
    """How many students came together, and the numbers of the shards that were not among the parts."""

    students: int
    missing: tuple[int, ...]


def merge_parts(parts: Sequence[Path], out: Path) -> Merged:
    """Write the class that these parts are, into a folder that was made for it.

    Raises UsageError, before anything is written, for parts that are not of one class, that were not graded to their
    end, or that have different results for one student; CourseError for one that does not hold together.
    """
    folders = [read_class(part) for part in parts]
    settings = _common(folders)
    owners = _owners(folders)
    if strangers := others_in(out, owners):
        raise UsageError(
            f"--out {shown_path(out)} has students that are in none of the parts: "
            f"{', '.join(first_of(strangers, MOST_NAMED))}; give a folder that is new or empty"
        )
    write_settings(out, settings.model_copy(update={"finished": False}))
    for student in sorted(owners):
        folder, entry = owners[student]
        if entry.card_sha256 is not None:
            # Looked at before it is written: what lies in a part may have come a long way.
            read_card(folder.path, student, entry.card_sha256)
        _copy(folder, entry, out)
    seen = set(read_changes(out))
    for folder in folders:
        for change in read_changes(folder.path):
            if change not in seen:
                add_change(out, change)
    write_settings(out, settings)
    return Merged(len(owners), _missing(folders))


def _common(folders: Sequence[ClassFolder]) -> ClassSettings:
    """Return the settings of the whole; raises UsageError for what can't be joined."""
    first = folders[0]
    for folder in folders:
        if not folder.settings.finished or folder.unsettled:
            raise UsageError(
                f"{shown_path(folder.path)} was not graded to its end; run the same `grade class` on it again"
            )
        differ = _differences(first.settings, folder.settings)
        if differ:
            raise UsageError(
                f"{shown_path(first.path)} and {shown_path(folder.path)} are not of one class, or not graded in one "
                f"way: they differ in {', '.join(differ)}; grade them with the same course, grader and options"
            )
    sizes = {folder.settings.shard.of for folder in folders if folder.settings.shard is not None}
    if len(sizes) > 1:
        raise UsageError(
            f"some parts are shards of {' and others of '.join(map(str, sorted(sizes)))}; give those of one division"
        )
    return first.settings.model_copy(update={"shard": None, "finished": True})


def _differences(one: ClassSettings, other: ClassSettings) -> list[str]:
    names = [name for name in ClassSettings.model_fields if name not in MAY_DIFFER]
    return [
        f"{name} ({_shown(getattr(one, name))} and {_shown(getattr(other, name))})"
        for name in names
        if getattr(one, name) != getattr(other, name)
    ]


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 20 else text[:12] + "..."


def _owners(folders: Sequence[ClassFolder]) -> dict[str, tuple[ClassFolder, ClassEntry]]:
    """Return each student's folder and line; the same line in two parts is as good as once."""
    owners: dict[str, tuple[ClassFolder, ClassEntry]] = {}
    for folder in folders:
        for entry in folder.entries:
            there = owners.setdefault(entry.student, (folder, entry))
            if there[1] != entry:
                raise UsageError(
                    f"{entry.student} has different results in {shown_path(there[0].path)} and "
                    f"{shown_path(folder.path)}; give only the part that counts"
                )
    return owners


def _copy(folder: ClassFolder, entry: ClassEntry, out: Path) -> None:
    if entry.card_sha256 is not None:
        text = card_path(folder.path, entry.student).read_text(encoding="utf-8")
        if write_card(out, entry.student, text) != entry.card_sha256:
            raise CourseError(f"the card of {entry.student} changed while it was merged; try again")
    write_entry(out, entry)


def _missing(folders: Sequence[ClassFolder]) -> tuple[int, ...]:
    shards = [folder.settings.shard for folder in folders if folder.settings.shard is not None]
    if not shards:
        return ()
    return tuple(sorted(set(range(1, shards[0].of + 1)) - {shard.number for shard in shards}))
