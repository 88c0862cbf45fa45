"""What needs a person: texts that wait, answers that a machine may have misread, and what looks odd or went wrong."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from graders.engine.judge.outcome import Verdict
from graders.engine.report.class_page.material import CheckInfo, Line, Participant, Wrong
from graders.engine.score.class_entry import Kind, State

SENTENCE = 3
"""From so many words on, a written answer is a statement, which a machine can misread, and no letter or number."""

KINDS = {
    Kind.WORKFLOW_EDITED: "workflow edited",
    Kind.ACTIONS_OFF: "no feedback seen",
    Kind.CLAIM_DIFFERS: "another score claimed",
    Kind.LATE_WORK: "work after the deadline",
    Kind.OTHER: "on the way",
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A check that concerns several students: a text to read, a mark whose answer has changed, a broken check."""

    info: CheckInfo
    who: tuple[Participant, ...]


@dataclass(frozen=True, slots=True)
class Disputed:
    """A written answer that the machine did not accept, and who gave it."""

    info: CheckInfo
    answer: str
    who: tuple[Participant, ...]


@dataclass(frozen=True, slots=True)
class Copies:
    """Students who handed in the same files, to the byte, for these exercises."""

    slugs: tuple[str, ...]
    who: tuple[Participant, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """Something about one student's submission, and what kind of thing in a few words."""

    who: Participant
    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Attention:
    """All of it. `faults` are the grader's, `nothing` are students of whom nothing could be graded."""

    texts: tuple[Waiting, ...]
    changed: tuple[Waiting, ...]
    disputed: tuple[Disputed, ...]
    copies: tuple[Copies, ...]
    cases: tuple[Case, ...]
    broken: tuple[Waiting, ...]
    faults: tuple[Case, ...]
    nothing: tuple[Case, ...]


def attention(lines: Sequence[Line]) -> Attention:
    """What needs a person in this class."""
    entries = [(line.participant, line.participant.entry) for line in lines]
    return Attention(
        texts=_with_verdict(lines, Verdict.WAITING),
        changed=_gathered(
            (line.facts.layout[place], line.participant) for line in lines if line.facts for place in line.facts.changed
        ),
        disputed=_disputed(lines),
        copies=_copies(lines),
        cases=tuple(
            Case(who, KINDS[finding.kind], finding.words)
            for who, entry in entries
            if entry
            for finding in entry.findings
        ),
        broken=_with_verdict(lines, Verdict.BROKEN),
        faults=tuple(Case(who, "", entry.said) for who, entry in entries if entry and entry.state is State.FAULT),
        nothing=tuple(Case(who, "", entry.said) for who, entry in entries if entry and entry.state is State.NOTHING),
    )


def _with_verdict(lines: Sequence[Line], wanted: Verdict) -> tuple[Waiting, ...]:
    return _gathered(
        (info, line.participant)
        for line in lines
        if line.facts and wanted in line.facts.verdicts
        for info, verdict in zip(line.facts.layout, line.facts.verdicts, strict=True)
        if verdict is wanted
    )


def _gathered(pairs: Iterable[tuple[CheckInfo, Participant]]) -> tuple[Waiting, ...]:
    found: dict[CheckInfo, list[Participant]] = {}
    for info, who in pairs:
        found.setdefault(info, []).append(who)
    return tuple(Waiting(info, tuple(who)) for info, who in found.items())


def _disputed(lines: Sequence[Line]) -> tuple[Disputed, ...]:
    """Wrong answers in sentences, the ones that many give first: one mark, or one wording more, may help them all."""
    sheets = {slug for line in lines if line.facts for slug in line.facts.sheets}
    found: dict[tuple[CheckInfo, str], list[Participant]] = {}
    for line in lines:
        for info, wrong in _written(line, sheets):
            found.setdefault((info, wrong.got), []).append(line.participant)
    ranked = sorted(found.items(), key=lambda item: -len(item[1]))
    return tuple(Disputed(info, answer, tuple(who)) for (info, answer), who in ranked)


def _written(line: Line, sheets: Set[str]) -> list[tuple[CheckInfo, Wrong]]:
    """The statements among a student's wrong answers; whoever works in a notebook has them there, and no sheet."""
    if line.facts is None:
        return []
    wrongs = [(line.facts.layout[wrong.place], wrong) for wrong in line.facts.wrong]
    return [
        (info, wrong)
        for info, wrong in wrongs
        if info.slug in sheets
        and info.visibility == "hidden"  # the visible checks of a sheet are about its form
        and line.facts.verdicts[wrong.place] is Verdict.FAIL
        and len(wrong.got.split()) >= SENTENCE
    ]


def _copies(lines: Sequence[Line]) -> tuple[Copies, ...]:
    """Groups with the same file; a file in which nothing passes may be the stub as it was handed out."""
    same: dict[tuple[str, str], list[Participant]] = {}
    for line in lines:
        for work in line.facts.works if line.facts else ():
            if work.solved:
                same.setdefault((work.slug, work.sha256), []).append(line.participant)
    groups: dict[tuple[str, ...], tuple[list[str], list[Participant]]] = {}
    for (slug, _), who in same.items():
        if len(who) > 1:
            groups.setdefault(tuple(one.student for one in who), ([], who))[0].append(slug)
    return tuple(Copies(tuple(slugs), tuple(who)) for slugs, who in groups.values())
