"""What a small GitHub has and what it answers: repositories, pull requests, comments and statuses.

A test fills it and looks at it afterwards; `api_server` serves it.
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.github.openapi import example

BOT = "github-actions[bot]"
LONGEST_COMMENT = 65_536
LONGEST_DESCRIPTION = 140


# Status, headers and data.
Answer = tuple[int, dict[str, str], Any]


@dataclass
class Push:
    """What happened to a branch, and when the server saw it; without anybody in `by`, the owner did it."""

    branch: str
    before: str
    after: str
    time: str
    kind: str = "push"
    by: str = ""


@dataclass
class Artifact:
    """What a run has kept."""

    id: int
    sha: str
    content: bytes
    name: str = "practice-card"
    expired: bool = False


@dataclass
class Repository:
    """A repository; a fork is one more. `pushes` are in the order of time, `runs` are commits with the time of a run.

    With a status in `refuses`, nothing of it is to be had; `hidden` ones are in no list of forks.
    """

    id: int
    full_name: str
    default_branch: str = "main"
    parent: "Repository | None" = None
    made: str = "2026-10-01T12:00:00Z"
    pushes: list[Push] = field(default_factory=list)
    runs: list[tuple[str, str]] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    refuses: int = 0
    hidden: bool = False

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]


@dataclass
class Pull:
    """A pull request to a repository. The fork is None when it has been deleted."""

    number: int
    to: Repository
    fork: Repository | None
    branch: str
    sha: str
    base: str = "main"
    state: str = "open"
    locked: bool = False
    title: str = "My solution"
    author: str = ""
    base_sha: str = "0" * 40
    updated: str = "2026-11-29T12:00:00Z"


@dataclass
class Comment:
    id: int
    pull: Pull
    author: str
    body: str


@dataclass
class Status:
    id: int
    sha: str
    state: str
    description: str | None
    target_url: str | None
    context: str


@dataclass
class Token:
    """Whose a token is, and what it may write."""

    login: str = BOT
    writes: tuple[str, ...] = ("pull-requests", "statuses")


@dataclass
class Fault:
    """What happens in the place of an answer, to the first request that it fits.

    `act` says whether what was asked for takes place first. `how`: "answer" gives this one, "cut" the half of the real
    one, "reset" breaks the connection, "silent" says nothing until the server ends, "endless" never stops to send,
    and those of `api_server.DROPS` send one thing drop by drop, which takes five seconds.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""
    body: bytes | None = None
    act: bool = False
    how: str = "answer"
    method: str = ""
    path: str = ""

    def fits(self, method: str, path: str) -> bool:
        return self.method in ("", method) and re.search(self.path, path) is not None


@dataclass
class Request:
    """A request as it came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class GitHub:
    """All that there is, in lists that a test may fill and change at any time."""

    def __init__(self) -> None:
        self.repositories: list[Repository] = []
        self.renamed: dict[str, str] = {}
        """New names by old ones; requests for an old one are sent to the repository's number."""
        self.pulls: list[Pull] = []
        self.comments: list[Comment] = []
        self.statuses: list[Status] = []
        self.tokens: dict[str, Token] = {}
        """Without any, every token is the bot's and may write."""
        self.most_per_page = 100
        self.faults: list[Fault] = []
        self.requests: list[Request] = []
        self.violations: list[str] = []
        self.before: Callable[[Request], None] = lambda request: None
        """Called with each request before it is answered, so that a test can let something happen meanwhile."""
        self.url = ""
        self.storage = ""
        """Where another server has the artifacts."""
        self.closing = threading.Event()
        self._ids = iter(range(1001, 10**9))
        self._lock = threading.RLock()

    def repository(self, full_name: str, default_branch: str = "main") -> Repository:
        """Return the repository of that name, made if there is none."""
        for repository in self.repositories:
            if repository.full_name.lower() == full_name.lower():
                return repository
        self.repositories.append(Repository(next(self._ids), full_name, default_branch))
        return self.repositories[-1]

    def open_pull(self, to: str, fork: str, sha: str, branch: str = "main", base: str = "main") -> Pull:
        """Return a new pull request from a fork; numbers go up by one."""
        pull = Pull(len(self.pulls) + 1, self.repository(to), self.repository(fork), branch, sha, base)
        self.pulls.append(pull)
        return pull

    def comment(self, pull: Pull, author: str, body: str) -> Comment:
        """Return a new comment."""
        self.comments.append(Comment(next(self._ids), pull, author, body))
        return self.comments[-1]

    def event(self, pull: Pull) -> dict[str, Any]:
        """Return the event of a run for that pull request as it is now: what is used of it, and some of the rest."""
        return {
            "action": "completed",
            "workflow_run": {
                "id": next(self._ids),
                "name": "feedback",
                "event": "pull_request",
                "status": "completed",
                "conclusion": "success",
                "head_branch": pull.branch,
                "head_sha": pull.sha,
                "display_title": pull.title,
                "pull_requests": [],  # as for every fork
                "head_repository": None if pull.fork is None else self._repository_record(pull.fork),
                "repository": self._repository_record(pull.to),
            },
            "repository": self._repository_record(pull.to),
            "sender": {"login": pull.to.owner},
        }

    def answer(self, request: Request, token: str) -> Answer:
        """Return status, headers and data of the answer to a request."""
        with self._lock:
            who = self.tokens.get(token) if self.tokens else Token()
            if who is None or not token:
                return _error(401, "Bad credentials")
            return self._route(request, who)

    def _route(self, request: Request, who: Token) -> Answer:
        named = re.fullmatch(r"/repos/([^/]+/[^/]+)((?:/.*)?)", request.path)
        if named is None:
            return _error(404, "Not Found")
        name, rest = named.groups()
        if name in self.renamed:
            number = self.repository(self.renamed[name]).id
            query = urlencode(request.query)
            place = f"{self.url}/repositories/{number}{rest}{'?' if query else ''}{query}"
            # As GitHub does: a read has moved for good, a write is to be sent once more as it is.
            return _error(301 if request.method == "GET" else 307, "Moved Permanently", {"location": place})
        known = [repository for repository in self.repositories if repository.full_name == name]
        if known and known[0].refuses:
            return _error(known[0].refuses, "Repository access blocked")
        for method, pattern, act in ROUTES:
            place = re.fullmatch(pattern, rest)
            if known and method == request.method and place is not None:
                return act(self, known[0], who, request, *place.groups())
        return _error(404, "Not Found")

    def _list_pulls(self, repository: Repository, who: Token, request: Request) -> Answer:
        state, base = request.query.get("state", "open"), request.query.get("base")
        head = request.query.get("head")
        pulls = [
            self._pull_record(pull, "pull-request-simple")
            for pull in reversed(self.pulls)
            if pull.to is repository
            and state in ("all", pull.state)
            and base in (None, pull.base)
            and head in (None, f"{pull.fork.owner if pull.fork else ''}:{pull.branch}")
        ]
        return self._page(request, pulls)

    def _get_pull(self, repository: Repository, who: Token, request: Request, number: str) -> Answer:
        pull = self._pull(repository, number)
        return _error(404, "Not Found") if pull is None else (200, {}, self._pull_record(pull, "pull-request"))

    def _list_comments(self, repository: Repository, who: Token, request: Request, number: str) -> Answer:
        pull = self._pull(repository, number)
        if pull is None:
            return _error(404, "Not Found")
        return self._page(request, [self._comment_record(c) for c in self.comments if c.pull is pull])

    def _write_comment(self, repository: Repository, who: Token, request: Request, number: str) -> Answer:
        pull = self._pull(repository, number)
        if pull is None:
            return _error(404, "Not Found")
        if (refused := self._refusal(who, "pull-requests")) or (refused := self._too_long(request.body["body"])):
            return refused
        if pull.locked:
            return _error(403, "Unable to create comment because issue is locked.")
        return 201, {}, self._comment_record(self.comment(pull, who.login, request.body["body"]))

    def _edit_comment(self, repository: Repository, who: Token, request: Request, number: str) -> Answer:
        comment = next((c for c in self.comments if c.id == int(number) and c.pull.to is repository), None)
        if comment is None:
            return _error(404, "Not Found")
        if (refused := self._refusal(who, "pull-requests")) or (refused := self._too_long(request.body["body"])):
            return refused
        if comment.author != who.login:
            return _error(403, "Must have admin rights to Repository.")
        comment.body = request.body["body"]
        return 200, {}, self._comment_record(comment)

    def _list_statuses(self, repository: Repository, who: Token, request: Request, sha: str) -> Answer:
        return self._page(request, [self._status_record(s) for s in reversed(self.statuses) if s.sha == sha])

    def _set_status(self, repository: Repository, who: Token, request: Request, sha: str) -> Answer:
        if refused := self._refusal(who, "statuses"):
            return refused
        if not any(pull.sha == sha and pull.to is repository for pull in self.pulls):
            return _error(422, f"No commit found for SHA: {sha}")
        body = request.body
        if len(body.get("description") or "") > LONGEST_DESCRIPTION:
            return _error(422, "Validation Failed")
        self.statuses.append(
            Status(
                next(self._ids),
                sha,
                body["state"],
                body.get("description"),
                body.get("target_url"),
                body.get("context", "default"),
            )
        )
        return 201, {}, self._status_record(self.statuses[-1])

    def _pull(self, repository: Repository, number: str) -> Pull | None:
        return next((pull for pull in self.pulls if pull.to is repository and pull.number == int(number)), None)

    def _refusal(self, who: Token, permission: str) -> Answer | None:
        return None if permission in who.writes else _error(403, "Resource not accessible by integration")

    def _too_long(self, body: str) -> Answer | None:
        return _error(422, "Validation Failed") if len(body) > LONGEST_COMMENT or not body.strip() else None

    def _page(self, request: Request, records: list[Any]) -> Answer:
        size = self._page_size(request)
        page = int(request.query.get("page", "1"))
        if page * size >= len(records):
            return 200, {}, records[(page - 1) * size :]
        return 200, self._leading_to(request, page=str(page + 1)), records[(page - 1) * size : page * size]

    def _counted_page(self, request: Request, key: str, records: list[Any]) -> Answer:
        status, headers, page = self._page(request, records)
        return status, headers, {"total_count": len(records), key: page}

    def _page_size(self, request: Request) -> int:
        return min(int(request.query.get("per_page", "30")), self.most_per_page)

    def _leading_to(self, request: Request, **place: str) -> dict[str, str]:
        """Return the header that says where a list goes on."""
        return {"link": f'<{self.url}{request.path}?{urlencode({**request.query, **place})}>; rel="next"'}

    def _show(self, repository: Repository, who: Token, request: Request) -> Answer:
        return 200, {}, self._repository_record(repository, "full-repository")

    def _list_forks(self, repository: Repository, who: Token, request: Request) -> Answer:
        forks = [fork for fork in self.repositories if fork.parent is repository and not fork.hidden]
        return self._page(request, [self._repository_record(fork, "minimal-repository") for fork in forks])

    def _list_activity(self, repository: Repository, who: Token, request: Request) -> Answer:
        """A page is found by where the last one ended, not by its number."""
        ref = request.query.get("ref", "")
        found = [push for push in reversed(repository.pushes) if ref in ("", f"refs/heads/{push.branch}")]
        size = self._page_size(request)
        start = int(request.query.get("after", "cursor-0").removeprefix("cursor-"))
        records = [
            self._push_record(number, push, push.by or repository.owner)
            for number, push in enumerate(found[start : start + size], 1)
        ]
        if start + size >= len(found):
            return 200, {}, records
        return 200, self._leading_to(request, after=f"cursor-{start + size}"), records

    def _list_runs(self, repository: Repository, who: Token, request: Request) -> Answer:
        sha = request.query.get("head_sha")
        times = [time for commit, time in repository.runs if sha in (None, commit)]
        records = [example("workflow-run") | {"created_at": time} for time in times]
        return self._counted_page(request, "workflow_runs", records)

    def _list_artifacts(self, repository: Repository, who: Token, request: Request) -> Answer:
        named = [kept for kept in reversed(repository.artifacts) if kept.name == request.query.get("name", kept.name)]
        return self._counted_page(request, "artifacts", [self._artifact_record(kept) for kept in named])

    def _place_of_artifact(self, repository: Repository, who: Token, request: Request, number: str) -> Answer:
        if not any(kept.id == int(number) for kept in repository.artifacts):
            return _error(404, "Not Found")
        return 302, {"location": f"{self.storage}/{number}?signature=of-this-file"}, None

    def _push_record(self, number: int, push: Push, by: str) -> dict[str, Any]:
        return example("activity") | {
            "id": number,
            "before": push.before,
            "after": push.after,
            "ref": f"refs/heads/{push.branch}",
            "timestamp": push.time,
            "activity_type": push.kind,
            "actor": _account(by),
        }

    def _artifact_record(self, kept: Artifact) -> dict[str, Any]:
        return example("artifact") | {
            "id": kept.id,
            "name": kept.name,
            "size_in_bytes": len(kept.content),
            "expired": kept.expired,
            "created_at": "2026-11-29T12:00:00Z",
            "workflow_run": {"id": 1, "head_sha": kept.sha},
        }

    def _repository_record(self, repository: Repository, kind: str = "repository") -> dict[str, Any]:
        return example(kind) | {
            "id": repository.id,
            "name": repository.full_name.partition("/")[2],
            "full_name": repository.full_name,
            "default_branch": repository.default_branch,
            "created_at": repository.made,
            "forks_count": sum(other.parent is repository for other in self.repositories),
            "owner": _account(repository.owner),
        }

    def _pull_record(self, pull: Pull, kind: str) -> dict[str, Any]:
        record = example(kind)
        head = {"ref": pull.branch, "sha": pull.sha, "repo": pull.fork and self._repository_record(pull.fork)}
        base = {"ref": pull.base, "sha": pull.base_sha, "repo": self._repository_record(pull.to)}
        return record | {
            "number": pull.number,
            "state": pull.state,
            "locked": pull.locked,
            "title": pull.title,
            "user": _account(pull.author or (pull.fork.owner if pull.fork else "ghost")),
            "updated_at": pull.updated,
            "head": record["head"] | head,
            "base": record["base"] | base,
        }

    def _comment_record(self, comment: Comment) -> dict[str, Any]:
        return example("issue-comment") | {
            "id": comment.id,
            "body": comment.body,
            "user": _account(comment.author),
            "html_url": f"https://github.com/{comment.pull.to.full_name}/pull/{comment.pull.number}#{comment.id}",
        }

    def _status_record(self, status: Status) -> dict[str, Any]:
        return example("status") | {
            "id": status.id,
            "state": status.state,
            "description": status.description,
            "target_url": status.target_url,
            "context": status.context,
        }


ROUTES: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    ("GET", r"", GitHub._show),
    ("GET", r"/forks", GitHub._list_forks),
    ("GET", r"/activity", GitHub._list_activity),
    ("GET", r"/actions/runs", GitHub._list_runs),
    ("GET", r"/actions/artifacts", GitHub._list_artifacts),
    ("GET", r"/actions/artifacts/(\d+)/zip", GitHub._place_of_artifact),
    ("GET", r"/pulls", GitHub._list_pulls),
    ("GET", r"/pulls/(\d+)", GitHub._get_pull),
    ("GET", r"/issues/(\d+)/comments", GitHub._list_comments),
    ("POST", r"/issues/(\d+)/comments", GitHub._write_comment),
    ("PATCH", r"/issues/comments/(\d+)", GitHub._edit_comment),
    ("GET", r"/commits/(\w+)/statuses", GitHub._list_statuses),
    ("POST", r"/statuses/(\w+)", GitHub._set_status),
)


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    return status, dict(headers or {}), {"message": message, "documentation_url": "https://docs.github.com/rest"}


def _account(login: str) -> dict[str, Any]:
    return example("simple-user") | {"login": login}
