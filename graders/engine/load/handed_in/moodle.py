"""What Moodle lets instructors download: a folder `Full Name_1234567_assignsubmission_file_` for each student.

After mod/assign/classes/downloader.php of Moodle: the name, in which underscores have become blanks, the number that
the assignment has for the student, and the kind of submission; the underscore at the end comes and goes with versions.
Without folders, the same stands before each file's name. Without names, all are called participant. A group has its own
name, and a number or none.
"""

import re

from graders.engine.clean import one_line
from graders.engine.load.handed_in.drafts import Draft
from graders.engine.load.handed_in.records import Origin
from graders.engine.load.handed_in.sources import Source
from graders.engine.load.roster import Roster

_ENTRY = re.compile(
    r"(?P<name>[^_]+)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
_FILE = "file"


def is_moodle(names: list[str]) -> bool:
    """Whether one of these is called so."""
    return any(_ENTRY.fullmatch(name) for name in names)


def moodle(source: Source, roster: Roster | None) -> tuple[list[Draft], list[str]]:
    """One submission for each student, and lines about what else lies there."""
    folders: dict[tuple[str, str], dict[str, str]] = {}
    files: dict[tuple[str, str], list[tuple[str, str]]] = {}
    unread = []
    for entry in source.entries:
        told = _ENTRY.fullmatch(entry.name)
        if told is None or not (entry.is_folder or told["file"]):
            unread.append(f"{one_line(entry.name)} is not called as Moodle calls submissions; it was left out")
            continue
        student = (told["name"], told["number"] or "")
        if entry.is_folder:
            folders.setdefault(student, {})[told["kind"]] = entry.name
        else:
            files.setdefault(student, []).append((told["file"], entry.name))
    drafts = []
    for student in sorted({*folders, *files}):
        if student in folders:
            # What was typed into a form is no file of the exercises; it is all there is where no file was handed in.
            kinds = folders[student]
            label = kinds.get(_FILE) or next(iter(kinds.values()))
            drafts.append(_draft(student, label, source.folder(label)))
        if student in files:
            several = files[student]
            label = several[0][1] if len(several) == 1 else "_".join(filter(None, student))
            drafts.append(_draft(student, label, source.files(several)))
    return drafts, unread


def _draft(student: tuple[str, str], label: str, origin: Origin) -> Draft:
    name, number = student
    return Draft(name, label, origin, number, full_name=name)
