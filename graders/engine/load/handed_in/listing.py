"""What a sweep of a course's repository found, `submissions.json`: each student's commit, and what was seen on the way.

It is written by `grade sweep` and read by `grade class`, maybe on another machine: nothing in it is taken on trust.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from graders.engine.errors import UsageError, first_problem
from graders.engine.load.person import LONGEST_PERSON, Person

MAX_BYTES = 64_000_000
"""Of a file with a list in it."""
MAX_ITEMS = 100_000
MAX_FINDINGS = 100
SHA = r"^([0-9a-f]{40}|[0-9a-f]{64})$"

KindOfFinding = Literal["workflow_edited", "actions_off", "claim_differs", "late_work", "other"]
"""The values of `score/class_entry.py`'s Kind, which this part of the engine may not import."""
Words = Annotated[str, Field(max_length=2000)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class SweptFinding(_Record):
    """Something about a fork or its pull request for a person to look at."""

    kind: KindOfFinding
    words: Words


class SweepItem(_Record):
    """One student's repository, and the commit of it that counts. Without one, `said` has the reason."""

    student: Annotated[Person, Field(max_length=LONGEST_PERSON)]
    repository: Annotated[str, Field(max_length=LONGEST_PERSON)]
    """OWNER/NAME on the server; empty if nobody knows it any more."""
    url: Annotated[str, Field(max_length=2000)]
    sha: Annotated[str, Field(pattern=SHA)] | None
    pushed_at: AwareDatetime | None
    """When the server received that commit."""
    said: Words = ""
    findings: Annotated[tuple[SweptFinding, ...], Field(max_length=MAX_FINDINGS)] = ()

    @model_validator(mode="after")
    def _can_be_fetched(self) -> "SweepItem":
        if self.sha is not None and not self.url:
            raise ValueError("a commit, and no url to fetch it from")
        return self

    def and_findings(self, *more: SweptFinding) -> "SweepItem":
        """Return the item with further findings, of very many the first."""
        return self.model_copy(update={"findings": (*self.findings, *more)[:MAX_FINDINGS]})


class SweepList(_Record):
    """All students of a course repository, each once."""

    version: Literal[1]
    course: Annotated[str, Field(max_length=LONGEST_PERSON)]
    """OWNER/NAME of the course's repository."""
    deadline: AwareDatetime
    made_at: AwareDatetime
    items: Annotated[tuple[SweepItem, ...], Field(max_length=MAX_ITEMS)]

    @model_validator(mode="after")
    def _each_once(self) -> "SweepList":
        seen: set[str] = set()
        for item in self.items:
            if item.student in seen:
                raise ValueError(f"{item.student} stands in it twice")
            seen.add(item.student)
        return self


def sweep_to_json(sweep: SweepList) -> str:
    """Return the list as the text of its file."""
    return sweep.model_dump_json(indent=2) + "\n"


def sweep_from_json(text: bytes, label: str) -> SweepList:
    """Return the list in a file's text; raises UsageError, with that label, for any other text."""
    try:
        return SweepList.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(
            f"{label} is no list that `grade sweep` writes ({first_problem(error)}); make it anew with `grade sweep`"
        ) from error
