"""What is to be graded in a class, how, and what has to be graded again: decided before anybody's code runs."""

import datetime
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from graders.engine.batch.changes import Why
from graders.engine.batch.crew import Setup
from graders.engine.batch.settle import Circumstances, Marks, has_withdrawn_marks
from graders.engine.load.handed_in.records import HandedIn
from graders.engine.load.roster import Extension
from graders.engine.load.submission import Submission
from graders.engine.score.card import Card
from graders.engine.score.class_entry import ClassEntry, State
from graders.engine.score.class_folder import ClassSettings, Shard

NO_MARKS: Marks = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Plan:
    """A class as it is to be: its settings, its submissions, and what is known of each student beside.

    `load` reads a submission and raises SubmissionError where that can't be graded, and ServiceError where the machine
    or a server failed. `claim` returns the card that a student's own run made, where there is one. `missing` are
    students who handed in nothing; `regrade` are those to grade whatever there is.
    """

    setup: Setup
    settings: ClassSettings
    handed_in: tuple[HandedIn, ...]
    missing: tuple[str, ...]
    load: Callable[[HandedIn], Submission]
    claim: Callable[[str], Card | None]
    marks: Mapping[str, Marks]
    extensions: Mapping[str, Extension]
    regrade: frozenset[str]
    at: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))

    def circumstances(self, handed_in: HandedIn) -> Circumstances:
        """Return what is put on this student's card after it was graded."""
        return Circumstances(
            marks=self.marks.get(handed_in.student, NO_MARKS),
            policy=self.setup.rubric.late,
            handed_in_at=handed_in.handed_in_at,
            extension=self.extensions.get(handed_in.student),
        )


def in_shard(student: str, shard: Shard | None) -> bool:
    """Return whether a student belongs to that part of a class: by name alone, the same on every machine."""
    if shard is None:
        return True
    return int(hashlib.sha256(student.encode()).hexdigest()[:16], 16) % shard.of == shard.number - 1


def why_again(prior: ClassEntry | None, card: Card | None, plan: Plan, submission: Submission, key: str) -> Why | None:
    """Return why a submission with this key is to be graded; nothing where the card that is there still holds."""
    if prior is None:
        return Why.NEW
    if prior.student in plan.regrade:
        return Why.ASKED
    if prior.state is State.FAULT:
        return Why.TRIED_AGAIN
    if card is None:
        return Why.NEW
    if prior.key == key:
        return Why.MARK if has_withdrawn_marks(card, plan.marks.get(prior.student, NO_MARKS)) else None
    if card.grader.seed != plan.settings.seed:
        return Why.SEED
    same_files = prior.commit == (submission.commit or None) and _of_card(card) == _of_submission(submission)
    return Why.GRADER if same_files else Why.FILES


def _of_card(card: Card) -> list[set[str | None]]:
    return [
        {exercise.sha256, *(check.answer.sha256 for check in exercise.checks if check.answer)}
        for exercise in card.exercises
    ]


def _of_submission(submission: Submission) -> list[set[str | None]]:
    return [{file.sha256 or None, *(text.sha256 or None for text in file.written)} for file in submission.files]
