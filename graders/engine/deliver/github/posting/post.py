"""Says on a pull request what was found: looks at it once more, then writes the comment and sets the status.

The order is that of a reader: whoever comes by the status finds the comment. A locked conversation keeps the comment
away and not the status, and so does one with so many comments that ours may be among those that nobody reads.
"""

from dataclasses import dataclass

from graders.engine.deliver.github.api.answers import Pull, one
from graders.engine.deliver.github.api.failure import EndlessError, GitHubError, LockedError
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.posting.comment import keep_comment
from graders.engine.deliver.github.posting.said import Words
from graders.engine.deliver.github.posting.status import keep_status

SECONDS_FOR_STATUS = 40.0
"""Of the conversation, kept for the status, however long the comment takes."""


@dataclass(frozen=True, slots=True)
class Target:
    """The pull request, and the commit in it that something is said about."""

    repository: str
    pull: int
    sha: str


@dataclass(frozen=True, slots=True)
class Gone:
    """Why nothing is to be posted any more."""

    reason: str


@dataclass(frozen=True, slots=True)
class Posted:
    """A line about each of the two places, and whether both have what they should."""

    lines: tuple[str, ...]
    complete: bool


def look_again(session: Session, target: Target) -> str | Gone:
    """Return whose fork the pull request comes from, if it still waits: much may have happened while it was graded."""
    answer = session.read(
        f"/repos/{target.repository}/pulls/{target.pull}", what="read the pull request", needs="pull-requests: read"
    )
    pull = one(Pull, answer)
    if pull.state != "open":
        return Gone(f"pull request {target.pull} is closed by now")
    if pull.head.sha != target.sha:
        now = session.shown(pull.head.sha)[:12]
        return Gone(f"pull request {target.pull} has moved on to {now} by now, which gets a score of its own")
    if pull.head.repo is None:
        return Gone(f"the repository that pull request {target.pull} came from has been deleted")
    return session.shown(pull.head.repo.owner.login)


def post(session: Session, target: Target, author: str, words: Words) -> Posted:
    """Write what is to be written, where it is not there yet: both are tried, whatever becomes of the first."""
    lines: list[str] = []
    complete = True
    try:
        with session.pace.keeping(SECONDS_FOR_STATUS):
            written, where = keep_comment(session, target.repository, target.pull, author, words.renew)
        lines.append(f"The comment was {written}: {session.shown(where)}")
    except (LockedError, EndlessError) as error:
        lines.append(f"No comment, only the status. {error}")
    except GitHubError as error:
        complete = False
        lines.append(str(error))
    try:
        changed = keep_status(session, target.repository, target.sha, words.status)
        done = "set" if changed else "left as it was"
        lines.append(f"The status was {done}: {words.status.state}, {words.status.description}")
    except GitHubError as error:
        complete = False
        lines.append(str(error))
    return Posted(tuple(lines), complete)
