"""What a branch was at the deadline, by the server's record of pushes: this module reads the record, and decides."""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graders.engine.deliver.github.api.answers import many
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.names import is_sha
from graders.engine.deliver.github.sweep.answers import Activity, Fork

MOST_PUSHES = 2_000
"""Of one branch, as many are looked through: in twenty requests."""
COPYING = datetime.timedelta(minutes=2)
"""So soon after a fork was made, a branch that appears in it is one that it was made with."""
CREATED, DELETED = "branch_creation", "branch_deletion"
NOTHING = "0" * 40
BRANCHES = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Past:
    """A branch at the deadline: the commit that was pushed last, and when the server received it; or nothing.

    `late` counts what came after the deadline, as far as that was read, and `latest` is the last of it. `whole` says
    that the record was read back to the deadline, `born` that the branch has been made since then; `by` is the account
    that pushed.
    """

    sha: str | None
    received: datetime.datetime | None
    late: int
    latest: datetime.datetime | None
    whole: bool = True
    born: bool = False
    by: str = ""


def pushes(session: Session, repository: Fork, branch: str | None) -> Iterator[Activity]:
    """Yield what happened to a branch, or to all of them, newest first, page by page as it is asked for."""
    name = repository.full_name
    pages = session.pages(
        f"/repos/{name}/activity",
        {} if branch is None else {"ref": f"{BRANCHES}{branch}"},
        what=f"list the pushes to {name}",
        needs="contents: read",
    )
    for page in pages:
        yield from many(Activity, page)


def past(activities: Iterable[Activity], made: datetime.datetime | None, deadline: datetime.datetime) -> Past:
    """Return what a branch was at the deadline, from what happened to it, newest first.

    Nothing is asked for that comes before the deadline's own state. What the fork was `made` with is no push.
    """
    late, latest, kind = 0, None, ""
    for seen, activity in enumerate(activities, start=1):
        kind = activity.activity_type
        if activity.timestamp <= deadline:
            if kind == DELETED or not _is_commit(activity.after) or _is_copied(activity, made):
                return Past(None, None, late, latest)
            by = activity.actor.login if activity.actor is not None else ""
            return Past(activity.after, activity.timestamp, late, latest, by=by)
        if not _is_copied(activity, made):
            late += 1
            latest = latest or activity.timestamp
        if seen == MOST_PUSHES:
            return Past(None, None, late, latest, whole=False)
    # Without a push until then it is what it was forked with: somebody else's work, or the course's.
    return Past(None, None, late, latest, born=late > 0 and kind == CREATED)


def _is_commit(sha: str) -> bool:
    return is_sha(sha) and sha != NOTHING


def _is_copied(activity: Activity, made: datetime.datetime | None) -> bool:
    return activity.activity_type == CREATED and made is not None and activity.timestamp <= made + COPYING
