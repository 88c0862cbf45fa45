"""What a sweep reads in GitHub's answers, in records as `api/answers.py` has them."""

from typing import Annotated

from pydantic import Field

from graders.engine.deliver.github.api.answers import Account, Id, Part, Repo
from graders.engine.load.moments import Moment

Time = Annotated[Moment, Field(strict=False)]  # as a text
Count = Annotated[int, Field(ge=0)]


class Fork(Repo):
    """A repository of the course's network, or the course's own."""

    default_branch: str | None = None
    created_at: Time | None = None
    forks_count: Count = 0


class Activity(Part):
    """What happened to a branch, as the server saw it. The digest of nothing is all zeros."""

    before: str
    after: str
    ref: str
    timestamp: Time
    activity_type: str
    actor: Account | None = None


class Head(Part):
    """Where a pull request comes from. The repository is gone when the fork was deleted."""

    ref: str
    sha: str
    repo: Fork | None


class Base(Part):
    """Where a pull request goes to, and the commit there that it starts from."""

    ref: str
    sha: str


class SweptPull(Part):
    """A pull request; `updated_at` is no earlier than the last push to it."""

    number: Id
    state: str
    user: Account | None
    updated_at: Time
    head: Head
    base: Base


class Run(Part):
    """A run of a workflow, made by the server when a push came."""

    created_at: Time


class Runs(Part):
    """The runs that were asked for, or the first of them, and how many there are."""

    total_count: Count
    workflow_runs: list[Run]


class OfRun(Part):
    """Of the run that an artifact is from."""

    head_sha: str | None = None


class Artifact(Part):
    """What a run has kept. Its content is whatever the fork's owner wants it to be."""

    id: Id
    name: str
    size_in_bytes: Count
    expired: bool
    workflow_run: OfRun | None = None


class Artifacts(Part):
    """The artifacts that were asked for, newest first."""

    artifacts: list[Artifact]
