"""The event of a finished workflow run, read from the file that GitHub gives a job: what of it is used, and no more.

Names and branches in it were chosen by students.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from graders.engine.clean import one_line
from graders.engine.deliver.github.answers import Id, Part, Repo
from graders.engine.deliver.github.names import FULL_NAME, SHA
from graders.engine.errors import UsageError, shown_path

MOST_BYTES = 4 * 1024 * 1024
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

    id: Id
    event: Word
    conclusion: Word | None
    head_branch: Branch | None
    head_sha: Sha
    head_repository: Repo | None


class WorkflowRun(Part):
    """A `workflow_run` event."""

    action: Literal["completed"]
    workflow_run: Run
    repository: Base


def read_event(path: Path) -> WorkflowRun:
    """Return the event in that file; raises UsageError for whatever is none."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise _no_event(path, "it is larger than any")
    try:
        return WorkflowRun.model_validate_json(data)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, found["loc"]))
        raise _no_event(path, one_line(f"{place}: {found['msg']}" if place else found["msg"])[:300]) from error


def _no_event(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"{shown_path(path)} is not the event of a finished workflow run ({reason}); in a workflow on `workflow_run` "
        "of the type `completed`, give the file that GITHUB_EVENT_PATH names"
    )
