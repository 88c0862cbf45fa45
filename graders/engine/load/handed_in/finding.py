"""Finds the submissions of a class: what kind of source this is, and whose is what in it. Nothing is read yet."""

from collections.abc import Callable
from pathlib import Path

from graders.engine.errors import UsageError, first_of, shown_path
from graders.engine.load.course import EXERCISES
from graders.engine.load.handed_in.canvas import canvas, is_canvas
from graders.engine.load.handed_in.commits import listed_commits, swept_commits
from graders.engine.load.handed_in.drafts import Draft, attributed, one_each
from graders.engine.load.handed_in.gradescope import METADATA, gradescope
from graders.engine.load.handed_in.moodle import is_moodle, moodle
from graders.engine.load.handed_in.plain import plain
from graders.engine.load.handed_in.records import Found
from graders.engine.load.handed_in.sources import InZip, Source, open_source, open_zip
from graders.engine.load.roster import Roster

_Layout = Callable[[Source, Roster | None], tuple[list[Draft], list[str]]]
_Drafts = tuple[str, list[Draft], list[str]]

_WHAT = (
    "a folder of submissions, the zip or folder that Canvas, Moodle or Gradescope lets you download, a table of "
    "commits (.csv with student,url,sha), or the submissions.json of `grade sweep`"
)
_MAX_LINES = 5


def find_handed_in(source: Path, roster: Roster | None = None) -> Found:
    """The submissions in a source, one for each student; raises UsageError if it has none."""
    layout, drafts, unread = _drafts(source, roster)
    handed_in, nobodys = attributed(drafts, roster)
    if not handed_in:
        lines = first_of([*unread, *nobodys], _MAX_LINES)
        raise UsageError("\n  ".join([f"no submission in {shown_path(source)}; expected {_WHAT}", *lines]))
    chosen = one_each(handed_in)
    there = {one.student for one in chosen}
    missing = [row.student for row in roster.rows if row.student not in there] if roster is not None else []
    return Found(layout, tuple(chosen), tuple(sorted(missing)), tuple(sorted([*unread, *nobodys])))


def _drafts(path: Path, roster: Roster | None) -> _Drafts:
    if not path.exists():
        raise UsageError(f"there is no {shown_path(path)}; expected {_WHAT}")
    suffix = path.suffix.lower()
    if path.is_dir():
        return _laid_out(open_source(path), roster)
    if suffix == ".csv":
        return ("a table of commits", *listed_commits(path))
    if suffix == ".json":
        return ("the list of a sweep", *swept_commits(path))
    if suffix == ".zip":
        return _laid_out(open_zip(path), roster)
    raise UsageError(f"{shown_path(path)} is no class; expected {_WHAT}")


def _laid_out(source: Source, roster: Roster | None) -> _Drafts:
    layout = _layout(source)
    if layout is None and _is_one_submission(source):
        raise UsageError(
            f"this is one submission, with {EXERCISES}/ in it; expected {_WHAT}. "
            "Give the folder around it, or grade it alone with `grade`"
        )
    if layout is None and (inner := _only_folder(source)) is not None:
        layout = _layout(inner)
        # In an archive there is often one folder around everything; on this machine people name the one they mean.
        if layout is not None or (isinstance(inner, InZip) and not _is_one_submission(inner)):
            source = inner
    named, read = layout or ("a folder of submissions", plain)
    drafts, unread = read(source, roster)
    return named, drafts, [*source.unread, *unread]


def _layout(source: Source) -> tuple[str, _Layout] | None:
    """The layout of a system that names its files itself."""
    entries = [entry for entry in source.entries if not entry.name.startswith(".")]
    if any(entry.name == METADATA and not entry.is_folder for entry in entries):
        return "a Gradescope export", gradescope
    if is_moodle([entry.name for entry in entries]):
        return "a Moodle download", moodle
    if is_canvas(entries):
        return "a Canvas download", canvas
    return None


def _only_folder(source: Source) -> Source | None:
    """What lies in the one folder around everything, if there is one."""
    entries = [entry for entry in source.entries if not entry.name.startswith(".")]
    return source.inside(entries[0].name) if len(entries) == 1 and entries[0].is_folder else None


def _is_one_submission(source: Source) -> bool:
    return any(entry.is_folder and entry.name == EXERCISES for entry in source.entries)
