"""A sweep from beginning to end: what is essential first, kept as it comes; then copies; then what is nice to know."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from graders.engine.deliver.github.api.failure import GitHubError
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.clock import Clock
from graders.engine.deliver.github.fetching.settings import Remote
from graders.engine.deliver.github.names import is_login
from graders.engine.deliver.github.sweep.choosing import choose, with_findings
from graders.engine.deliver.github.sweep.copies import course_versions, edited_workflows, fetch_all
from graders.engine.deliver.github.sweep.kept_claims import KeptClaims
from graders.engine.deliver.github.sweep.listing import Network, list_network
from graders.engine.deliver.github.sweep.look import Look, Lost, look, look_for_lost
from graders.engine.deliver.github.sweep.optional import look_up_claims
from graders.engine.deliver.github.sweep.progress import Progress
from graders.engine.deliver.github.sweep.roll import Roll, as_students
from graders.engine.errors import CourseError, ServiceError
from graders.engine.load.assignment import Wanted
from graders.engine.load.handed_in.listing import SweepList

PATIENCE = 2_400.0
"""Seconds that a sweep may talk to GitHub, pauses for rate limits included: less than a job of a workflow may take."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Place:
    """Where a sweep asks, what for, and where it puts what it finds."""

    course: Remote
    api: str
    folder: Path
    deadline: datetime.datetime
    wanted: Wanted
    known: Roll


@dataclass(frozen=True)
class Swept:
    """What a sweep found; `notes` are for whoever asked for it, and `complete` says that nothing was left out."""

    listed: SweepList
    notes: tuple[str, ...]
    complete: bool


def sweep(session: Session, place: Place, clock: Clock, say: Say) -> Swept:
    """Return the class around a course's repository. What was seen before an end is in the folder, for the next time.

    Raises GitHubError where the course itself can't be listed, or GitHub asks for more patience than there is.
    """
    network = list_network(session, place.course.repository)
    # By the name that it has now: where git is asked, nothing is followed.
    course = Remote(place.course.server, network.course.full_name, place.course.token)
    progress = Progress(place.folder, network.course.id, _now(clock))
    looks = _looks(session, network, place, progress, clock, say)
    lost = _lost(session, network, place)
    chosen = choose(looks, lost, network.own_commits, course.repository, course.server)
    items = as_students(chosen, place.known, course.repository, course.server)
    unfetched = fetch_all(items, course, place.folder, place.wanted, clock, say)
    notes = list(network.unread)
    try:
        versions = course_versions(course, [activity.after for activity in network.pushed], clock)
        edited = edited_workflows(items, versions, place.folder)
    except (CourseError, ServiceError) as error:
        edited = {}
        notes.append(f"workflows were not compared with the course's: {error}")
    kept = KeptClaims(place.folder)
    kept.drop_others(items)
    claimed = look_up_claims(session, items, course.repository, place.api, clock, kept)
    for found in (unfetched, edited, claimed.findings):
        items = with_findings(items, found)
    listed = SweepList(version=1, course=course.repository, deadline=place.deadline, made_at=_now(clock), items=items)
    return Swept(listed, (*notes, *([claimed.stopped] if claimed.stopped else [])), not claimed.stopped)


def _looks(session: Session, network: Network, place: Place, progress: Progress, clock: Clock, say: Say) -> list[Look]:
    """Look at every fork, but for those that were looked at before an interruption."""
    looks: list[Look] = []
    for fork in network.forks:
        deadline = place.known.deadline(fork.owner.login, place.deadline)
        seen = progress.usable(fork.id, deadline, _now(clock))
        if seen is None:
            try:
                seen = look(session, network, fork, deadline, _now(clock))
            except GitHubError as error:
                raise GitHubError(
                    f"{error}\n{len(looks)} of {len(network.forks)} forks have been looked at; the next sweep into the "
                    "same folder goes on from there"
                ) from error
            progress.keep(seen, _now(clock))
            say(f"looked at {session.shown(fork.full_name)}")
        looks.append(seen)
    return looks


def _lost(session: Session, network: Network, place: Place) -> list[Lost]:
    return [
        look_for_lost(session, network, pull, place.known.deadline(pull.user.login, place.deadline))
        for pull in network.pulls
        if pull.head.repo is None and pull.user is not None and is_login(pull.user.login)
    ]


def _now(clock: Clock) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(clock.now(), datetime.UTC)
