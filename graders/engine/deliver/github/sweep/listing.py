"""Everybody who may have handed something in: the course's forks, forks of forks, and its pull requests."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from graders.engine.deliver.github.api.answers import many, one
from graders.engine.deliver.github.api.failure import EndlessError, GitHubError, NotThereError, RefusedError
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.names import is_full_name, is_login
from graders.engine.deliver.github.sweep.answers import Activity, Fork, SweptPull
from graders.engine.deliver.github.sweep.pushes import pushes

MOST_FORKS = 5_000
MOST_COMMITS = 2_000
"""Of the course, by its pushes: so many are remembered, to tell a fork in which nothing was done."""
METADATA = "metadata: read"


@dataclass(frozen=True, slots=True)
class Network:
    """The course, what it was pushed, and who is around it."""

    course: Fork
    branch: str
    pushed: tuple[Activity, ...]
    """To the course's default branch, newest first."""
    forks: tuple[Fork, ...]
    pulls: tuple[SweptPull, ...]
    """Those to the default branch, newest first."""
    unread: tuple[str, ...]

    @property
    def own_commits(self) -> frozenset[str]:
        """What the course has had, as far as is known: with one of these as its head, a fork holds no work."""
        known = {sha for activity in self.pushed for sha in (activity.before, activity.after)}
        return frozenset(known | {pull.base.sha for pull in self.pulls})


def list_network(session: Session, name: str) -> Network:
    """Return all that is around a course; raises GitHubError where that cannot be had."""
    course = one(Fork, session.read(f"/repos/{name}", what=f"show {name}", needs=METADATA))
    branch = course.default_branch
    if branch is None:
        raise GitHubError(f"GitHub does not say which branch of {name} is the default; look whether it has any")
    unread: list[str] = []
    pulls = tuple(pull for pull in _pulls(session, name, unread) if pull.base.ref == branch)
    forks = _forks_of_all(session, course, unread)
    # One that has left the network, or may not be listed, is still named by its pull requests.
    for pull in pulls:
        if pull.head.repo is not None and pull.head.repo.id != course.id:
            forks.setdefault(pull.head.repo.id, pull.head.repo)
    unread += [
        f"{session.shown(fork.full_name)}: no name of a repository" for fork in forks.values() if not _is_named(fork)
    ]
    named = sorted(filter(_is_named, forks.values()), key=lambda fork: fork.id)
    pushed = tuple(islice(pushes(session, course, branch), MOST_COMMITS))
    return Network(course, branch, pushed, tuple(named), pulls, tuple(unread))


def default_branch(session: Session, fork: Fork) -> str | None:
    """Return the fork's default branch, of whatever name; a list of forks need not have it."""
    if fork.default_branch is not None:
        return fork.default_branch
    whole = session.read(f"/repos/{fork.full_name}", what=f"show {fork.full_name}", needs=METADATA)
    return one(Fork, whole).default_branch


def _is_named(fork: Fork) -> bool:
    return is_full_name(fork.full_name) and is_login(fork.owner.login)


def _forks_of_all(session: Session, course: Fork, unread: list[str]) -> dict[int, Fork]:
    """Return the course's forks, theirs, and so on, each once: level by level, as numbers may lead in a circle."""
    forks: dict[int, Fork] = {}
    level = [course]
    while level:
        following: list[Fork] = []
        for parent in level:
            for fork in _forks(session, parent, parent is course, unread):
                if fork.id == course.id or fork.id in forks:
                    continue
                if len(forks) == MOST_FORKS:
                    unread.append(f"there are more than {MOST_FORKS} forks; the others were not looked at")
                    return forks
                forks[fork.id] = fork
                if fork.forks_count and is_full_name(fork.full_name):
                    following.append(fork)
        level = following
    return forks


def _forks(session: Session, parent: Fork, required: bool, unread: list[str]) -> Iterator[Fork]:
    name = parent.full_name
    pages = session.pages(f"/repos/{name}/forks", {"sort": "oldest"}, what=f"list the forks of {name}", needs=METADATA)
    try:
        for page in pages:
            yield from many(Fork, page)
    except (NotThereError, RefusedError) as error:
        if required:
            raise
        unread.append(f"forks of {name}: {error}")


def _pulls(session: Session, name: str, unread: list[str]) -> Iterator[SweptPull]:
    pages = session.pages(
        f"/repos/{name}/pulls",
        {"state": "all", "sort": "created", "direction": "desc"},
        what="list the pull requests",
        needs="pull-requests: read",
    )
    try:
        for page in pages:
            yield from many(SweptPull, page)
    except EndlessError as error:  # whoever opens them by the thousand stops nobody else's grading
        unread.append(f"older pull requests: {error}")
