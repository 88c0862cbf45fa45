"""Which pull request a finished run was for: the open one with the same commit, from the same repository.

Only the API is asked. What an artifact or a workflow of the fork says about it could be anything.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from graders.engine.deliver.github.api.answers import Pull, many
from graders.engine.deliver.github.api.failure import GitHubError
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.event import WorkflowRun
from graders.engine.deliver.github.names import is_full_name, is_login, is_sha
from graders.engine.errors import UsageError


@dataclass(frozen=True, slots=True)
class Found:
    """The pull request: its number, the commit, the student's account, and the number of the repository it is from."""

    pull: int
    sha: str
    student: str
    head: int


@dataclass(frozen=True, slots=True)
class NotFound:
    """Why there is none to grade."""

    reason: str


def resolve(event: WorkflowRun, session: Session, repository: str) -> Found | NotFound:
    """Return the pull request that the run was for, or why there is none.

    How the run ended does not matter: it ran what the student's commit told it to.
    """
    run, course = event.workflow_run, event.repository
    if course.full_name.lower() != repository.lower():
        raise UsageError(f"the event is one of {course.full_name}, but GITHUB_REPOSITORY is {repository}; give its own")
    if run.event != "pull_request":
        return NotFound(f"the run was started by the event {session.shown(run.event)}, not by a pull request")
    if run.head_repository is None:
        return NotFound("the repository that the run was for has been deleted")
    if run.head_repository.id == course.id:
        return NotFound("the run was for a branch of the course itself, not for a fork")
    of_branch: list[Pull] = []
    if run.head_branch is not None:
        head = f"{run.head_repository.owner.login}:{run.head_branch}"
        of_branch = list(_pulls(session, repository, {"state": "all", "head": head}))
    for pull in chain(of_branch, _pulls(session, repository, {"state": "open", "base": course.default_branch})):
        if _is_wanted(pull, event):
            return _found(pull, session)
    return NotFound(_reason(of_branch, event, session))


def output_lines(result: Found | NotFound) -> str:
    """Return the lines for the file of a step's outputs, each `name=value`; `Found` holds nothing with a line's end."""
    if isinstance(result, NotFound):
        return "found=false\n"
    values = {
        "found": "true",
        "pull": str(result.pull),
        "sha": result.sha,
        "student": result.student,
        "head": str(result.head),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _pulls(session: Session, repository: str, query: dict[str, str]) -> Iterator[Pull]:
    pages = session.pages(
        f"/repos/{repository}/pulls", query, what="list the pull requests", needs="pull-requests: read"
    )
    for page in pages:
        yield from many(Pull, page)


def _is_wanted(pull: Pull, event: WorkflowRun) -> bool:
    """Return whether that is the open pull request of exactly this commit, of this fork, for the course's branch."""
    return pull.state == "open" and pull.head.sha == event.workflow_run.head_sha and _is_of_fork(pull, event)


def _is_of_fork(pull: Pull, event: WorkflowRun) -> bool:
    fork, course = event.workflow_run.head_repository, event.repository
    to, of = pull.base.repo, pull.head.repo
    return (
        fork is not None
        and (of is not None and of.id == fork.id)
        and (to is not None and to.id == course.id)
        and pull.base.ref == course.default_branch
    )


def _found(pull: Pull, session: Session) -> Found:
    repo = pull.head.repo
    if repo is None or not (is_login(repo.owner.login) and is_full_name(repo.full_name) and is_sha(pull.head.sha)):
        name = "" if repo is None else session.shown(repo.full_name)
        raise GitHubError(f'pull request {pull.number} comes from "{name}", which is no name of a repository on GitHub')
    return Found(pull.number, pull.head.sha, repo.owner.login, repo.id)


def _reason(of_branch: list[Pull], event: WorkflowRun, session: Session) -> str:
    sha = event.workflow_run.head_sha
    ours = [pull for pull in of_branch if _is_of_fork(pull, event)]
    still_open = [pull for pull in ours if pull.state == "open"]
    if still_open:
        now = session.shown(still_open[0].head.sha)[:12]
        return f"pull request {still_open[0].number} has moved on from {sha[:12]} to {now}, which has a run of its own"
    if ours:
        return f"pull request {ours[0].number} is closed; reopen it to have {sha[:12]} graded"
    return f"no open pull request to {session.shown(event.repository.default_branch)} has {sha[:12]} as its last commit"
