"""The table of students: this module makes a row of each, and says in a few words who needs a look."""

from collections.abc import Sequence
from dataclasses import dataclass

from graders.engine.judge.outcome import Verdict
from graders.engine.report.class_page.attention import Attention
from graders.engine.report.class_page.material import Facts, Line, Participant
from graders.engine.report.class_page.overview import score
from graders.engine.report.words import count


@dataclass(frozen=True, slots=True)
class Row:
    """A student in the table; `points` are those of each exercise of the class, none where it is not on the card."""

    who: Participant
    score: tuple[int, int] | None
    points: tuple[int | None, ...]
    attempts: int
    look_at: tuple[str, ...]


def rows(lines: Sequence[Line], slugs: Sequence[str], needed: Attention) -> list[Row]:
    """A row for each student, in the order of the lines."""
    notes = _notes(needed)
    return [
        Row(
            who=line.participant,
            score=score(line),
            points=_points(line.facts, slugs),
            attempts=line.facts.attempts if line.facts else 0,
            look_at=tuple(dict.fromkeys([*_of_card(line.facts), *notes.get(line.participant.student, ())])),
        )
        for line in lines
    ]


def _points(facts: Facts | None, slugs: Sequence[str]) -> tuple[int | None, ...]:
    sums: dict[str, int] = {}
    if facts is not None:
        for info, points in zip(facts.layout, facts.points, strict=True):
            sums[info.slug] = sums.get(info.slug, 0) + points
    return tuple(sums.get(slug) for slug in slugs)


def _of_card(facts: Facts | None) -> list[str]:
    if facts is None:
        return []
    waiting = ["text waits"] if Verdict.WAITING in facts.verdicts else []
    return [*waiting, f"late: {count(facts.late, 'point')} off"] if facts.late else waiting


def _notes(needed: Attention) -> dict[str, list[str]]:
    notes: dict[str, list[str]] = {}
    for copies in needed.copies:
        for who in copies.who:
            notes.setdefault(who.student, []).append("same file")
    for case in needed.cases:
        notes.setdefault(case.who.student, []).append(case.kind)
    for changed in needed.changed:
        for who in changed.who:
            notes.setdefault(who.student, []).append("answer changed after its mark")
    return notes
