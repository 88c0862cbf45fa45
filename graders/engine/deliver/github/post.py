"""Says on a pull request what was found: looks at it once more, then writes the comment and sets the status.

The order is that of a reader: whoever comes by the status finds the comment. A locked conversation keeps the comment
away and not the status.
"""

from collections.abc import Callable
from dataclasses import dataclass

from graders.engine.clean import one_line
from graders.engine.deliver.github.answers import Pull, one
from graders.engine.deliver.github.comment import keep_comment
from graders.engine.deliver.github.failure import GitHubError, LockedError
from graders.engine.deliver.github.session import Session
from graders.engine.deliver.github.status import Said, keep_status


@dataclass(frozen=True, slots=True)
class Target:
    """The pull request, and the commit in it that something is said about."""

    repository: str
    pull: int
    sha: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """The pull request is open, and at that commit; whose fork it comes from."""

    owner: str


@dataclass(frozen=True, slots=True)
class Gone:
    """Why nothing is to be posted any more."""

    reason: str


@dataclass(frozen=True, slots=True)
class Posted:
    """A line about each of the two places, and whether both have what they should."""

    lines: tuple[str, ...]
    complete: bool


def look_again(session: Session, target: Target) -> Wanted | Gone:
    """Return whether the pull request still waits for this: much may have happened while it was graded."""
    answer = session.read(
        f"/repos/{target.repository}/pulls/{target.pull}", what="read the pull request", needs="pull-requests: read"
    )
    pull = one(Pull, answer)
    if pull.state != "open":
        return Gone(f"pull request {target.pull} is closed by now")
    if pull.head.sha != target.sha:
        now = one_line(pull.head.sha[:12])
        return Gone(f"pull request {target.pull} has moved on to {now} by now, which gets a score of its own")
    if pull.head.repo is None:
        return Gone(f"the repository that pull request {target.pull} came from has been deleted")
    return Wanted(pull.head.repo.owner.login)


def post(session: Session, target: Target, author: str, renew: Callable[[str], str], said: Said) -> Posted:
    """Write what is to be written, where it is not there yet: both are tried, whatever becomes of the first."""
    lines: list[str] = []
    complete = True
    try:
        done, where = keep_comment(session, target.repository, target.pull, author, renew)
        lines.append(f"The comment was {done}: {one_line(where)}")
    except LockedError as error:
        lines.append(f"No comment, only the status. {error}")
    except GitHubError as error:
        complete = False
        lines.append(str(error))
    try:
        changed = keep_status(session, target.repository, target.sha, said)
        lines.append(f"The status was {'set' if changed else 'left as it was'}: {said.state}, {said.description}")
    except GitHubError as error:
        complete = False
        lines.append(str(error))
    return Posted(tuple(lines), complete)
