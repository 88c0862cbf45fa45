"""What the pages are made of: a student of the class, and what one card says, as little of it as the class needs.

Cards are read one by one, in several processes, and are large: `facts_of` keeps of each what is counted over the class.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from graders.engine.judge.outcome import Verdict
from graders.engine.report.words import FAILING
from graders.engine.score.card import Card
from graders.engine.score.class_entry import ClassEntry
from graders.engine.score.results import CheckResult, ExerciseResult

SHEET = ".yaml"
"""What a sheet of written answers ends with, as against code."""
NOT_REACHED = frozenset({Verdict.TODO, Verdict.BLOCKED})
"""What says that somebody did not get as far as a check, and so nothing about the check."""


@dataclass(frozen=True, slots=True)
class Result:
    """What counts for a student in the end, of how much, and why, in a person's words."""

    points: int
    max_points: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody in the class: `student` is their name in the class folder, `shown` the one that people call them by.

    There is no entry for somebody who is on the roster only. `stem` names their page. `result` is the gradebook's.
    """

    student: str
    shown: str
    section: str
    stem: str
    entry: ClassEntry | None
    result: Result | None


class CheckInfo(NamedTuple):
    """A check as it is for everybody; `exercise` is the title of the one with this `slug`."""

    slug: str
    exercise: str
    id: str
    title: str
    objective: str
    visibility: str
    max_points: int


class Wrong(NamedTuple):
    """A check that a student failed: its place in the layout, what explains it, and what came."""

    place: int
    cause: str
    got: str


class Work(NamedTuple):
    """A file that was handed in for an exercise. It is `solved` where a check of it passed: then it is no bare stub."""

    slug: str
    sha256: str
    solved: bool


class FirstPass(NamedTuple):
    """Which attempt was the first to pass all of an exercise that could be decided, counted from 1; none has yet."""

    slug: str
    attempt: int | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the class needs of one card: `verdicts` and `points` go with `layout`; `sheets` are exercises in YAML.

    `bonus` are the exercises that are no more than that, `late` the points that lateness takes off.
    """

    total: int
    max_points: int
    bonus: tuple[str, ...]
    late: int
    layout: tuple[CheckInfo, ...]
    verdicts: tuple[Verdict, ...]
    points: tuple[int, ...]
    wrong: tuple[Wrong, ...]
    changed: tuple[int, ...]
    works: tuple[Work, ...]
    sheets: tuple[str, ...]
    objectives: tuple[tuple[str, str], ...]
    attempts: int
    first_passes: tuple[FirstPass, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A participant, and the facts of their card if they have one."""

    participant: Participant
    facts: Facts | None


def facts_of(card: Card, attempts: Iterable[Card]) -> Facts:
    """What the class needs of a card, and of the student's earlier ones in the order of time."""
    checks = [check for exercise in card.exercises for check in exercise.checks]
    tried = [{exercise.slug: passed(exercise) for exercise in earlier.exercises} for earlier in attempts]
    return Facts(
        total=card.total,
        max_points=card.max_points or card.bonus.max_points,
        bonus=tuple(exercise.slug for exercise in card.exercises if exercise.bonus),
        late=0 if card.late is None else card.late.points,
        layout=tuple(_layout(card.exercises)),
        verdicts=tuple(check.verdict for check in checks),
        points=tuple(check.points for check in checks),
        wrong=tuple(
            Wrong(place, cause(check), check.got) for place, check in enumerate(checks) if check.verdict in FAILING
        ),
        changed=tuple(place for place, check in enumerate(checks) if check.mark and check.mark.answer_changed),
        works=tuple(
            Work(exercise.slug, exercise.sha256, any(check.verdict is Verdict.PASS for check in exercise.checks))
            for exercise in card.exercises
            if exercise.sha256 is not None
        ),
        sheets=tuple(exercise.slug for exercise in card.exercises if (exercise.file or "").endswith(SHEET)),
        objectives=tuple((objective.name, objective.title) for objective in card.objectives),
        attempts=len(tried),
        first_passes=tuple(_first(exercise.slug, tried) for exercise in card.exercises) if tried else (),
    )


def agreed(lines: Iterable[Line]) -> list[Line]:
    """The lines with every check as the first card that has it says it, so that none is counted as two."""
    known: dict[tuple[str, str], CheckInfo] = {}
    layouts: dict[tuple[CheckInfo, ...], tuple[CheckInfo, ...]] = {}
    found = []
    for line in lines:
        if line.facts is not None and line.facts.layout not in layouts:
            layouts[line.facts.layout] = tuple(known.setdefault((one.slug, one.id), one) for one in line.facts.layout)
        facts = None if line.facts is None else replace(line.facts, layout=layouts[line.facts.layout])
        found.append(Line(line.participant, facts))
    return found


def begun(facts: Facts) -> set[str]:
    """The exercises in which anything was reached, or cannot be decided yet."""
    reached = zip(facts.layout, facts.verdicts, strict=True)
    return {info.slug for info, verdict in reached if verdict not in NOT_REACHED}


def without_bonus_left_out(facts: Facts) -> Facts:
    """The verdicts and points without the bonus exercises that were not begun, since nobody has to begin them.

    What goes by place in the layout as it was is left out.
    """
    left = set(facts.bonus) - begun(facts)
    if not left:
        return facts
    kept = [place for place, info in enumerate(facts.layout) if info.slug not in left]
    return replace(
        facts,
        layout=tuple(facts.layout[place] for place in kept),
        verdicts=tuple(facts.verdicts[place] for place in kept),
        points=tuple(facts.points[place] for place in kept),
        wrong=(),
        changed=(),
    )


def cause(check: CheckResult) -> str:
    """What explains a failure, in the words of the course: the hint.

    Whatever names the misconception behind it takes this place, once a card says it.
    """
    return check.hint


def passed(exercise: ExerciseResult) -> bool:
    """Whether all of an exercise that could be decided has all its points, and anything could."""
    decided = [check for check in exercise.checks if check.decides]
    return bool(decided) and all(check.has_all_points for check in decided)


def _first(slug: str, tried: Sequence[dict[str, bool]]) -> FirstPass:
    return FirstPass(slug, next((number for number, done in enumerate(tried, start=1) if done.get(slug)), None))


def _layout(exercises: Iterable[ExerciseResult]) -> Iterator[CheckInfo]:
    for exercise in exercises:
        for check in exercise.checks:
            # By place: this is done for each check of each student.
            yield CheckInfo(
                exercise.slug,
                exercise.title,
                check.id,
                check.title,
                check.objective,
                check.visibility,
                check.max_points,
            )
