"""One student of a class: what came of their submission, and what a score alone does not say about it."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from graders.engine.load.moments import Moment
from graders.engine.score.card import Commit
from graders.engine.score.record import Digest, Record, Student, Words


class State(StrEnum):
    """How it went."""

    GRADED = "graded"
    """There is a card."""
    NOTHING = "nothing"
    """Nothing could be graded: no submission, or none that can be read. `said` has the reason."""
    FAULT = "fault"
    """The grader or its machine failed, also when it tried again."""


class Kind(StrEnum):
    """What a person of the staff may want to look at."""

    WORKFLOW_EDITED = "workflow_edited"
    """A file in .github/workflows/ is not the course's."""
    ACTIONS_OFF = "actions_off"
    """The fork has never run a workflow: the student has seen no feedback there."""
    CLAIM_DIFFERS = "claim_differs"
    """The student's own run reports another score of the visible checks than grading anew."""
    LATE_WORK = "late_work"
    """There is work after the deadline, which was not graded."""
    OTHER = "other"
    """Whatever else happened on the way: a fork that was renamed or is gone, two submissions of one student."""


class Finding(Record):
    """Something about a submission for a person to look at."""

    kind: Kind
    words: Words


class ClassEntry(Record):
    """A student's line in a class folder; `card_sha256` is the digest of the card's file, where there is one.

    `handed_in_at` is a time that the student does not set: a server's. `key` is the digest of all that decides what a
    card says, so that equal keys need no second grading; there is none where nothing could be read.
    """

    version: Literal[1]
    student: Student
    source: Words
    handed_in_at: Moment | None
    commit: Commit | None
    key: Digest | None
    state: State
    said: Words
    card_sha256: Digest | None
    findings: Annotated[tuple[Finding, ...], Field(max_length=100)]
