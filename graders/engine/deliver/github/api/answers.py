"""What we read in GitHub's answers: frozen records of the few fields that are used, each with its type.

Everything else in an answer is passed over; a field of another type than described is an error, never a guess. What a
text may be is no matter of a record: one odd name in a list must not hide the others in it.
"""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from graders.engine.deliver.github.api.failure import GitHubError
from graders.engine.errors import first_problem

Id = Annotated[int, Field(ge=1, le=2**63 - 1)]


class Part(BaseModel):
    """The part of something larger that is used here."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Account(Part):
    """Whoever owns a repository or wrote a comment."""

    login: str


class Repo(Part):
    """A repository, by its number and its name; the number stays when the name changes."""

    id: Id
    full_name: str
    owner: Account


class Side(Part):
    """One side of a pull request. The repository is gone when the fork was deleted."""

    ref: str
    sha: str
    repo: Repo | None


class Pull(Part):
    """A pull request."""

    number: Id
    state: str
    head: Side
    base: Side


class Comment(Part):
    """A comment in the conversation of a pull request."""

    id: Id
    body: str | None = None
    user: Account | None
    html_url: str


class Status(Part):
    """What somebody said of a commit, in one context."""

    state: str
    context: str
    description: str | None
    target_url: str | None


P = TypeVar("P", bound=Part)


def one(kind: type[P], data: object) -> P:
    """Return an answer as a record; raises GitHubError for one that is none."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise _strange(kind, error) from error


def many(kind: type[P], data: object) -> list[P]:
    """Return a page of a list as records; raises GitHubError likewise."""
    try:
        return TypeAdapter(list[kind]).validate_python(data)  # type: ignore[valid-type]
    except ValidationError as error:
        raise _strange(kind, error) from error


def _strange(kind: type[Part], error: ValidationError) -> GitHubError:
    return GitHubError(
        f"GitHub's answer is not as it is described ({kind.__name__}: {first_problem(error)}); "
        "tell the course staff, as the grader may have to follow a change of GitHub's API"
    )
