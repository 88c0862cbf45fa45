"""What a refusal of GitHub means: this module turns a status into words with something to do."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from graders.engine.deliver.github.api.failure import (
    BrokenAnswerError,
    GitHubError,
    LockedError,
    NotThereError,
    RefusedError,
)
from graders.engine.deliver.github.api.transport import Answer

KINDS: Mapping[int, type[GitHubError]] = MappingProxyType(
    {403: RefusedError, 404: NotThereError, 409: RefusedError, 410: NotThereError, 451: RefusedError}
)
LOCKED = re.compile(r"\blocked\b", re.IGNORECASE)
"""In GitHub's message about a conversation; a repository is "blocked"."""


def is_limit(answer: Answer) -> bool:
    """Return whether GitHub refuses this only for now: a rate limit, which it may also say with 403."""
    if answer.status == 429:
        return True
    if answer.status != 403:
        return False
    return (
        "retry-after" in answer.headers
        or answer.headers.get("x-ratelimit-remaining") == "0"
        or "rate limit" in message(answer).lower()
    )


def refusal(answer: Answer, what: str, needs: str, said: str) -> GitHubError:
    """Return the exception for a request to do `what`, which `needs` a permission; `said` is shown of its message."""
    quoted = f' ("{said}")' if said else ""
    if answer.status in (403, 422) and LOCKED.search(said):
        return LockedError(f"GitHub did not {what}: the conversation is locked{quoted}; unlock it and run this again")
    return KINDS.get(answer.status, GitHubError)(f"GitHub did not {what}: {_remedy(answer.status, needs)}{quoted}")


def message(answer: Answer) -> str:
    """Return what the server says about its refusal, or an empty text: it may be long, and is not to be shown so."""
    try:
        data = answer.data()
    except BrokenAnswerError:
        return ""
    said = data.get("message") if isinstance(data, dict) else None
    return said if isinstance(said, str) else ""


def _remedy(status: int, needs: str) -> str:
    match status:
        case 401:
            return "it does not know the token in GITHUB_TOKEN, or that has expired; give the job's own, or a new one"
        case 403:
            return f"the token may not do that; it needs the permission `{needs}` on the repository of the course"
        case 404:
            return (
                "it knows no such thing, or the token may not see it; look at GITHUB_REPOSITORY, at the number of the "
                f"pull request, and whether the token has the permission `{needs}`"
            )
        case 409:
            return "it has nothing there, as in a repository without any commit"
        case 410:
            return "it is gone, or switched off in the settings of the repository"
        case 422:
            return "it takes what was sent for wrong; if the commit or the pull request still exists, tell the staff"
        case 451:
            return "it has blocked that for legal reasons"
        case _:
            return f"it answered with the status {status}; tell the course staff if that happens again"
