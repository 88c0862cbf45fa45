"""A release itself: what is new is held against what lies there, private files are sealed, and all of it is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graders.engine.deliver.release.bundle import differing, pack
from graders.engine.deliver.release.placing import write
from graders.engine.deliver.release.plan import Plan, Settle, make_plan, needing
from graders.engine.deliver.release.record import BUNDLE, Release, digest
from graders.engine.deliver.release.tree import digests, read_release, remove_drafts, require_place
from graders.engine.deliver.seal import require_recipient, seal
from graders.engine.load.course import Course

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Done:
    """What a release did: to the public files, and to whom it sealed the private ones, if to anybody."""

    plan: Plan
    recipient: str | None


def release(course: Course, public: Files, private: Files, folder: Path, recipient: str | None, settle: Settle) -> Done:
    """Write these files of the course into that folder, and return what was done.

    Without a recipient the last one stays. Raises UsageError, with nothing written, if the folder or the recipient is
    none that fits, or if that is how conflicts are settled; CourseError if it was written in part. Nobody else may
    write a release there meanwhile.
    """
    require_place(folder, course.root)
    remove_drafts(folder)
    last = read_release(folder)
    recipient = recipient or (last.recipient if last else None)
    if recipient is not None:
        require_recipient(recipient)

    # The bundle is another each time, and nobody's to change: no plan is made for it.
    base = {path: sha for path, sha in last.files.items() if path != BUNDLE} if last else {}
    ours = {path: digest(data) for path, data in public.items()}
    theirs = digests(folder, {*ours, *base, BUNDLE})
    plan = make_plan(base, {path: sha for path, sha in theirs.items() if path != BUNDLE}, ours)
    if recipient is not None:
        plan = needing(plan, differing(private, folder, ours))
    plan = settle(plan)

    files = {path: public[path] for path in (*plan.written, *plan.updated, *plan.overwritten)}
    if recipient is not None:
        files[BUNDLE] = seal(pack(private), recipient)
        ours[BUNDLE] = digest(files[BUNDLE])
    write(folder, files, plan.removed, Release(recipient=recipient, files=ours))
    return Done(plan, recipient)
