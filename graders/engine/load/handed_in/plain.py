"""A folder of submissions as people make one: for each student a folder, an archive or a single file of that name."""

import re
from pathlib import PurePath

from graders.engine.clean import one_line
from graders.engine.load.handed_in.archive.opening import archive_stem
from graders.engine.load.handed_in.drafts import Draft
from graders.engine.load.handed_in.sources import Entry, Source
from graders.engine.load.place import KINDS
from graders.engine.load.roster import Roster

_NOBODY = re.compile(r"(readme|changelog|license)\..*", re.IGNORECASE)


def plain(source: Source, roster: Roster | None) -> tuple[list[Draft], list[str]]:
    """A submission for each entry that can be one, and lines about the others."""
    drafts, unread = [], []
    for entry in source.entries:
        if entry.name.startswith("."):
            continue  # what programs keep for themselves
        student = _student(entry)
        if student is None:
            unread.append(
                f"{one_line(entry.name)} is nobody's submission; expected a folder, a zip or tar, or a file that ends "
                f"in {', '.join(KINDS)}"
            )
            continue
        origin = source.folder(entry.name) if entry.is_folder else source.files([(entry.name, entry.name)])
        drafts.append(Draft(student, entry.name, origin, known_by=(student,)))
    return drafts, unread


def _student(entry: Entry) -> str | None:
    if entry.is_folder:
        return entry.name
    if _NOBODY.fullmatch(entry.name):
        return None
    path = PurePath(entry.name)
    return path.stem if path.suffix in KINDS else archive_stem(entry.name)
