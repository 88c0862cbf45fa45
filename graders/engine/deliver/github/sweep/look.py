"""One look at a fork, or at a pull request whose fork is gone: what was there at the deadline, as a record to keep."""

import datetime
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from graders.engine.deliver.github.api.answers import Id, one
from graders.engine.deliver.github.api.failure import EndlessError, NotThereError, RefusedError
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.names import SHA, is_sha
from graders.engine.deliver.github.sweep.answers import Activity, Fork, Runs, SweptPull
from graders.engine.deliver.github.sweep.listing import Network, default_branch
from graders.engine.deliver.github.sweep.pushes import BRANCHES, DELETED, MOST_PUSHES, Past, past, pushes

MOST_BRANCHES = 3
"""Of one fork, beside the default branch: those with an open pull request."""


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Branch(_Kept):
    """A branch at the deadline."""

    name: str
    sha: Annotated[str, Field(pattern=SHA)] | None
    received: AwareDatetime | None
    late: int
    latest: AwareDatetime | None
    note: str = ""
    by: str = ""
    """The account that pushed it, where GitHub says so."""


class Look(_Kept):
    """What was seen of a fork: its branches, the default one first; or why there are none."""

    fork: Id
    name: str
    owner: str
    deadline: AwareDatetime
    looked_at: AwareDatetime
    branches: tuple[Branch, ...]
    said: str = ""


class Lost(_Kept):
    """A pull request whose fork is gone, and since when the server is known to have had its commit."""

    pull: Id
    owner: str
    sha: str
    known_at: AwareDatetime | None


def look(session: Session, network: Network, fork: Fork, deadline: datetime.datetime, now: datetime.datetime) -> Look:
    """Return what a fork held at the deadline; raises GitHubError where the trouble is not with this fork alone."""
    branches: tuple[Branch, ...] = ()
    said = ""
    try:
        if fork.created_at is not None and fork.created_at > deadline:
            said = f"the fork {fork.full_name} was made after the deadline"
        else:
            branches = _branches(session, network, fork, deadline)
            said = "" if branches else f"{fork.full_name} is empty: it has no branch"
    except NotThereError:
        said = f"{fork.full_name} is gone, or may not be read"
    except RefusedError as error:
        said = f"{fork.full_name} may not be read: {error}"
    return Look(
        fork=fork.id,
        name=fork.full_name,
        owner=fork.owner.login,
        deadline=deadline,
        looked_at=now,
        branches=branches,
        said=session.shown(said),
    )


def look_for_lost(session: Session, network: Network, pull: SweptPull, deadline: datetime.datetime) -> Lost:
    """Return since when the server has had a pull request's commit, as far as it says: the fork's record is gone.

    No time is believed that its author sets. A run of a workflow is made when the push comes, or later.
    """
    times = [pull.updated_at]
    if pull.updated_at > deadline and is_sha(pull.head.sha):
        name = network.course.full_name
        pages = session.pages(
            f"/repos/{name}/actions/runs",
            {"head_sha": pull.head.sha},
            what=f"list the runs of pull request {pull.number}",
            needs="actions: read",
        )
        # Where runs may not be seen, nothing is known but when the pull request was changed last.
        with suppress(NotThereError, RefusedError, EndlessError):
            times += [run.created_at for page in pages for run in one(Runs, page).workflow_runs]
    known = min(times)
    owner = pull.user.login if pull.user is not None else ""
    return Lost(pull=pull.number, owner=owner, sha=pull.head.sha, known_at=known if known <= deadline else None)


def _branches(session: Session, network: Network, fork: Fork, deadline: datetime.datetime) -> tuple[Branch, ...]:
    first = default_branch(session, fork)
    if first is None:
        return ()
    mine = [pull for pull in network.pulls if pull.state == "open" and pull.head.repo and pull.head.repo.id == fork.id]
    others = dict.fromkeys(pull.head.ref for pull in mine if pull.head.ref != first)
    default = _branch(session, fork, first, deadline)
    return (default, *(_branch(session, fork, name, deadline) for name in list(others)[:MOST_BRANCHES]))


def _branch(session: Session, fork: Fork, name: str, deadline: datetime.datetime) -> Branch:
    found = past(pushes(session, fork, name), fork.created_at, deadline)
    if found.born:
        return _before_it_was_born(session, fork, name, found, deadline)
    note = (
        "" if found.whole else f"there were {found.late} pushes after the deadline; what was before them was not read"
    )
    return _as_branch(session, name, found, note)


def _before_it_was_born(session: Session, fork: Fork, name: str, found: Past, deadline: datetime.datetime) -> Branch:
    """The branch was made, or renamed, after the deadline: what was pushed last until then counts, on any branch."""
    refs: list[str] = []
    gone: set[str] = set()

    def noted(activities: Iterable[Activity]) -> Iterable[Activity]:
        """Without the branches that were deleted by the deadline: that one is gone says nothing of the others."""
        for activity in islice(activities, MOST_PUSHES):
            if activity.activity_type == DELETED and activity.timestamp <= deadline:
                gone.add(activity.ref)
            if activity.ref not in gone:
                refs.append(activity.ref)
                yield activity

    before = past(noted(pushes(session, fork, None)), fork.created_at, deadline)
    if before.sha is None:
        return _as_branch(session, name, found, "the branch was made after the deadline")
    there = refs[-1].removeprefix(BRANCHES)
    note = f'the branch was made after the deadline; what was pushed last until then, to "{there}", is taken'
    return _as_branch(session, name, before, note)


def _as_branch(session: Session, name: str, found: Past, note: str) -> Branch:
    return Branch(
        name=session.shown(name),
        sha=found.sha,
        received=found.received,
        late=found.late,
        latest=found.latest,
        note=session.shown(note),
        by=session.shown(found.by),
    )
