"""The event of a finished workflow run, as GitHub gives it to a job: what of it is used, and no more.

Names and branches in it were chosen by students.
"""

from typing import Annotated, Literal

from pydantic import Field, ValidationError

from graders.engine.deliver.github.api.answers import Id, Part, Repo
from graders.engine.deliver.github.names import FULL_NAME, SHA
from graders.engine.errors import UsageError, first_problem

MOST_BYTES = 4 * 1024 * 1024
"""Of the file; one from GitHub has a hundredth of that."""
Word = Annotated[str, Field(min_length=1, max_length=100)]
Sha = Annotated[str, Field(pattern=SHA)]
FullName = Annotated[str, Field(pattern=FULL_NAME)]
Branch = Annotated[str, Field(min_length=1, max_length=1000)]


class Base(Part):
    """The repository that the event belongs to: the course's."""

    id: Id
    full_name: FullName
    default_branch: Branch


class Run(Part):
    """The run that has finished. Its `pull_requests` are empty for forks, so nothing asks for them."""

    event: Word
    head_branch: Branch | None
    head_sha: Sha
    head_repository: Repo | None


class WorkflowRun(Part):
    """A `workflow_run` event."""

    action: Literal["completed"]
    workflow_run: Run
    repository: Base


def event_from_json(data: bytes) -> WorkflowRun:
    """Return the event that a file holds; raises UsageError for whatever is none."""
    try:
        return WorkflowRun.model_validate_json(data)
    except ValidationError as error:
        raise UsageError(
            f"EVENT is not the event of a finished workflow run ({first_problem(error)}); in a workflow on "
            "`workflow_run` of the type `completed`, give the file that GITHUB_EVENT_PATH names"
        ) from error
