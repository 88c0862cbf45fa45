"""What GitHub tells a workflow of what has happened: the parts of its events that a workflow may look at."""

from typing import Any

from tests.github.state import GitHub, Pull, Repository
from tests.rehearsal.act import Event


def pushed(pull: Pull, message: str) -> Event:
    """Return the event in the fork of a push to the branch."""
    head = _head(pull)
    payload = {
        "ref": f"refs/heads/{pull.branch}",
        "after": pull.sha,
        "head_commit": {"id": pull.sha, "message": message},
        "repository": _told(head, fork=True),
        "sender": {"login": head.owner},
    }
    return Event("push", head.full_name, head.owner, payload)


def proposed(pull: Pull) -> Event:
    """Return the event in the course of a pull request that has been opened."""
    head = _head(pull)
    payload = {
        "action": "opened",
        "number": pull.number,
        "pull_request": {
            "number": pull.number,
            "title": pull.title,
            "user": {"login": head.owner},
            "head": {"ref": pull.branch, "sha": pull.sha, "repo": _told(head, fork=True)},
            "base": {"ref": pull.base, "repo": _told(pull.to, fork=False)},
        },
        "repository": _told(pull.to, fork=False),
        "sender": {"login": head.owner},
    }
    return Event("pull_request", pull.to.full_name, head.owner, payload)


def practised(github: GitHub, pull: Pull, message: str) -> Event:
    """Return the event in the course of a run of `feedback` for the pull request, which has come to its end."""
    payload = github.event(pull)
    payload["workflow_run"]["head_commit"] = {"id": pull.sha, "message": message}
    return Event("workflow_run", pull.to.full_name, _head(pull).owner, payload)


def _head(pull: Pull) -> Repository:
    assert pull.fork is not None
    return pull.fork


def _told(repository: Repository, fork: bool) -> dict[str, Any]:
    return {
        "id": repository.id,
        "full_name": repository.full_name,
        "owner": {"login": repository.owner},
        "fork": fork,
        "default_branch": repository.default_branch,
    }
