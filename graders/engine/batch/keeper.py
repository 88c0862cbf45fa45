"""Keeps what came of each student in a class folder: the change, the card, then the line; and counts it all."""

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from graders.engine.batch.changes import Change, Why
from graders.engine.batch.folder import add_change, write_card, write_entry
from graders.engine.batch.plan import Plan
from graders.engine.batch.settle import settle
from graders.engine.clean import clean
from graders.engine.errors import CourseError
from graders.engine.judge.outcome import Verdict
from graders.engine.load.handed_in.records import Commit, HandedIn
from graders.engine.score.card import Card, card_to_json
from graders.engine.score.claims import claim_differs
from graders.engine.score.class_entry import ClassEntry, Finding, Kind, State
from graders.engine.score.class_folder import entry_path, read_card, read_entry
from graders.engine.score.record import LONGEST_WORDS

MOST_FINDINGS = 100


@dataclass(slots=True)
class Tally:
    """What a run did: how many cards it made and kept, who has none and why, what changed, and which checks broke."""

    graded: int = 0
    kept: int = 0
    nothing: list[tuple[str, str]] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    broken: Counter[str] = field(default_factory=Counter)
    """Checks that failed by their own fault, and on how many cards."""


@dataclass(frozen=True, slots=True)
class Prior:
    """What there is of a student from an earlier run: a line and, where one was graded, its card."""

    entry: ClassEntry | None
    card: Card | None
    torn: bool
    """Whether there is a line that does not hold together."""


class Keeper:
    """Writes one run's results into a folder, each as it comes."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._folder = folder
        self._plan = plan
        self.tally = Tally()

    def prior(self, student: str) -> Prior:
        """Return what an earlier run kept of a student."""
        path = entry_path(self._folder, student)
        entry = read_entry(self._folder, path) if path.exists() else None
        if entry is None or entry.card_sha256 is None:
            return Prior(entry, None, torn=entry is None and path.exists())
        try:
            return Prior(entry, read_card(self._folder, student, entry.card_sha256), torn=False)
        except CourseError:
            return Prior(None, None, torn=True)  # a card of an earlier version, say: it is made anew

    def keep(self, handed_in: HandedIn, prior: Prior) -> None:
        """Let the card stand that is there, with the marks and the lateness of today."""
        assert prior.entry is not None
        assert prior.card is not None
        card = settle(prior.card, self._plan.circumstances(handed_in))
        digest = prior.entry.card_sha256
        if card != prior.card:
            self._changed(handed_in.student, Why.LATE if card.late != prior.card.late else Why.MARK, prior, card)
            digest = write_card(self._folder, handed_in.student, card_to_json(card))
        entry = self._entry(self._compared(handed_in, card), State.GRADED, prior.entry.said, prior.entry.key, digest)
        if entry != prior.entry:
            write_entry(self._folder, entry)
        self.tally.kept += 1
        self._count_broken(card)

    def graded(self, handed_in: HandedIn, said: str, key: str, why: Why, prior: Prior, found: Card) -> None:
        """Keep a card that was made now."""
        card = settle(found, self._plan.circumstances(handed_in))
        self._changed(handed_in.student, why, prior, card)
        digest = write_card(self._folder, handed_in.student, card_to_json(card))
        write_entry(self._folder, self._entry(self._compared(handed_in, card), State.GRADED, said, key, digest))
        self.tally.graded += 1
        self._count_broken(card)

    def nothing(self, handed_in: HandedIn, said: str, prior: Prior) -> None:
        """Keep the reason why nothing could be graded."""
        if prior.card is not None:
            self._changed(handed_in.student, Why.GONE, prior, None)
        entry = self._entry(handed_in, State.NOTHING, said, None, None)
        if entry != prior.entry:
            write_entry(self._folder, entry)
        self.tally.nothing.append((handed_in.student, entry.said))

    def fault(self, handed_in: HandedIn, said: str, key: str | None, prior: Prior) -> None:
        """Keep the reason why the machine could not do it; a card of the same key stays, whatever was asked for."""
        if prior.entry is None or prior.card is None or prior.entry.key != key:
            write_entry(self._folder, self._entry(handed_in, State.FAULT, said, key, None))
        self.tally.faults.append((handed_in.student, clean(said, LONGEST_WORDS)))

    def _count_broken(self, card: Card) -> None:
        self.tally.broken.update(
            f"{exercise.slug} {check.id}"
            for exercise in card.exercises
            for check in exercise.checks
            if check.verdict is Verdict.BROKEN
        )

    def _changed(self, student: str, why: Why, prior: Prior, card: Card | None) -> None:
        before = None if prior.card is None else prior.card.total
        after = None if card is None else card.total
        why = Why.UNSETTLED if why is Why.NEW and prior.torn else why
        change = Change(version=1, at=self._plan.at, student=student, why=why, before=before, after=after)
        self.tally.changes.append(change)
        add_change(self._folder, change)

    def _compared(self, handed_in: HandedIn, card: Card) -> HandedIn:
        """Return the same with a finding, if the student's own run of that commit came to other points."""
        claimed = self._plan.claim(handed_in.student)
        if claimed is None or claimed.grader.commit is None or claimed.grader.commit != card.grader.commit:
            return handed_in
        words = claim_differs(claimed, card)
        found = () if words is None else ((Kind.CLAIM_DIFFERS.value, words),)
        return replace(handed_in, findings=(*handed_in.findings, *found))

    def _entry(self, handed_in: HandedIn, state: State, said: str, key: str | None, card: str | None) -> ClassEntry:
        findings = tuple(
            Finding(kind=Kind(kind), words=clean(words, LONGEST_WORDS)) for kind, words in handed_in.findings
        )
        return ClassEntry(
            version=1,
            student=handed_in.student,
            source=clean(handed_in.label, LONGEST_WORDS),
            handed_in_at=handed_in.handed_in_at,
            commit=handed_in.origin.sha if isinstance(handed_in.origin, Commit) else None,
            key=key,
            state=state,
            said=clean(said, LONGEST_WORDS),
            card_sha256=card,
            findings=findings[:MOST_FINDINGS],
        )
