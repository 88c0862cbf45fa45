"""Reads one student's submission, wherever it lies, by the rules that hold for a folder.

What surrounds the work is looked through, once each: an archive, and a folder around everything.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from graders.engine.clean import one_line
from graders.engine.errors import SubmissionError
from graders.engine.load.assignment import NOTEBOOK, Assignment, Wanted
from graders.engine.load.course import EXERCISES
from graders.engine.load.folder import Folder as OpenFolder
from graders.engine.load.folder import open_folder, open_unlisted
from graders.engine.load.git_tree import open_commit
from graders.engine.load.handed_in.archive.members import MemberFolder, folder_of, is_noise
from graders.engine.load.handed_in.archive.opening import MAX_ARCHIVE, archive_stem, open_archive
from graders.engine.load.handed_in.archive.zips import ZipOnDisk
from graders.engine.load.handed_in.records import Commit, Files, Folder, HandedIn, Nothing, PackedFiles, PackedFolder
from graders.engine.load.place import Place, Refused
from graders.engine.load.reading import load_place
from graders.engine.load.submission import Submission

_AGAIN = re.compile(r"(.+)-(?:\d{1,2}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\.[^.]+)")
"""How Canvas calls a file of which it has one of that name already."""

_Failure = Callable[[Sequence[str]], SubmissionError]


def load_handed_in(handed_in: HandedIn, assignments: Sequence[Assignment], notebook: str | None = None) -> Submission:
    """What a student handed in for these exercises, in their order; raises SubmissionError if that is nothing.

    Raises UsageError where a commit is to be read and there is no git.
    """
    wanted = Wanted(assignments, notebook)
    label, origin = handed_in.label, handed_in.origin

    def failure(reasons: Sequence[str]) -> SubmissionError:
        return SubmissionError(
            "\n  ".join([f'nothing to grade in "{one_line(label)}":', *reasons])
            + f"\nExpected {EXERCISES}/ with the exercise files, or these files themselves, such as {wanted.files[0]}"
            + (", or a notebook." if notebook else ".")
        )

    try:
        with ExitStack() as stack:
            if isinstance(origin, Nothing):
                raise failure([origin.said])
            if isinstance(origin, Commit):
                return _load_commit(origin, label, wanted, failure, stack)
            place, notes = _opened(origin, wanted, stack)
            submission = load_place(place, label, wanted, failure)
            return replace(submission, notes=(*notes, *submission.notes))
    except OSError as error:
        raise failure([f"it cannot be opened ({error.strerror})"]) from error
    except Refused as refusal:
        raise failure([str(refusal)]) from refusal


def _load_commit(commit: Commit, label: str, wanted: Wanted, failure: _Failure, stack: ExitStack) -> Submission:
    if commit.folder is None:
        raise failure(["its commit was not fetched"])
    tree, digest = open_commit(commit.folder, commit.sha, stack)
    return replace(load_place(tree, label, wanted, failure), commit=digest)


def _opened(
    origin: Folder | Files | PackedFolder | PackedFiles, wanted: Wanted, stack: ExitStack
) -> tuple[Place, list[str]]:
    if isinstance(origin, Folder):
        return _looked_through(open_folder(origin.path, "", stack), wanted)
    if isinstance(origin, PackedFolder):
        return _looked_through(folder_of(ZipOnDisk(origin.archive), origin.members), wanted)
    if isinstance(origin, Files):
        folder: Place = open_unlisted(origin.folder, stack)
        lies_as = dict(origin.names)
    else:
        folder = folder_of(ZipOnDisk(origin.archive), [member for _, member in origin.names])
        lies_as = {name: member.path for name, member in origin.names}
    called, notes = _called([name for name, _ in origin.names], wanted)
    chosen = _Chosen(folder, {name: lies_as[raw] for name, raw in called.items()})
    place, more = _looked_through(chosen, wanted)
    return place, [*notes, *more]


def _called(names: Sequence[str], wanted: Wanted) -> tuple[dict[str, str], list[str]]:
    """How each of several files is to be called, with what it was called, and what a student should know of that."""
    called: dict[str, str] = {}
    notes = []
    for raw in names:
        name = _wanted_name(raw, wanted, alone=len(names) == 1)
        if name in called:
            notes.append(f"{name} was handed in more than once, and the last was read: {one_line(raw)}")
        called[name] = raw
    return called, notes


def _wanted_name(raw: str, wanted: Wanted, alone: bool) -> str:
    """The name that the course has for a file: without what was appended, or of the only file for the only exercise."""
    if raw in wanted.all_names:
        return raw
    again = _AGAIN.fullmatch(raw)
    if again and "".join(again.groups()) in wanted.all_names:
        return "".join(again.groups())
    only = wanted.files[0] if alone and len(wanted.files) == 1 else ""
    return only if only and PurePosixPath(raw).suffix == PurePosixPath(only).suffix else raw


def _looked_through(place: Place, wanted: Wanted) -> tuple[Place, list[str]]:
    """The place with the work in it, this or what the one archive or folder in it holds; and what was passed by."""
    place = _within_folder(place, wanted)
    archives = [name for name in place.entries if archive_stem(name) is not None and not is_noise(name)]
    names = ", ".join(map(one_line, archives[:5]))
    if _shows_work(place, wanted):
        return place, [f"{names} was not read: the files beside it count"] if archives else []
    if len(archives) > 1:
        raise Refused(f"it holds {len(archives)} archives, {names}; expected one. Delete those that do not count")
    if not archives:
        return place, []
    data = place.read(archives[0], names, MAX_ARCHIVE)
    return _within_folder(open_archive(data, archives[0], names), wanted), []


def _within_folder(place: Place, wanted: Wanted) -> Place:
    # What begins with a dot, programs keep for themselves.
    entries = [name for name in place.entries if not is_noise(name) and not name.startswith((".", "__pycache__"))]
    if len(entries) != 1 or _shows_work(place, wanted) or archive_stem(entries[0]) is not None:
        return place
    try:
        return _without_prefix(place.inside(entries[0]))
    except Refused:
        return place  # it is no folder: what it is will be said where it is looked for


def _shows_work(place: Place, wanted: Wanted) -> bool:
    notebooks = wanted.notebook is not None and any(
        name.endswith(NOTEBOOK) and not is_noise(name) for name in place.entries
    )
    return notebooks or any(place.has(name) for name in (EXERCISES, *wanted.all_names))


def _without_prefix(place: Place) -> Place:
    """The same, with files named as if nothing were around it."""
    assert isinstance(place, OpenFolder | MemberFolder)
    return replace(place, prefix="")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Some files of a place, each under the name that it is called by, and nothing else of it."""

    place: Place
    names: Mapping[str, str]
    prefix: str = ""

    @property
    def entries(self) -> tuple[str, ...]:
        return tuple(sorted(self.names))

    @property
    def modules(self) -> tuple[str, ...]:
        names = {name.removesuffix(".py") for name in self.names if name.endswith(".py")}
        return tuple(sorted(name for name in names if name.isidentifier()))

    def has(self, name: str) -> bool:
        return name in self.names

    def inside(self, name: str) -> Place:
        raise Refused(f"{name} is not a folder; expected one with the exercise files.")

    def read(self, name: str, label: str, limit: int) -> bytes:
        if name not in self.names:
            raise FileNotFoundError(name)
        return self.place.read(self.names[name], label, limit)
