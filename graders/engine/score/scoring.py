"""From outcomes to a card: this module counts points against the rubric, not against what ran."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.rubric import ExerciseRubric, PersonItem, Rubric
from graders.engine.load.submission import CellSpan, ExerciseFile, Written
from graders.engine.score.card import Card, Grader, make_card
from graders.engine.score.marks import Entry, mark_exercise
from graders.engine.score.record import LONGEST_WORDS
from graders.engine.score.results import EARNING, Answer, CheckResult, ExerciseResult, Where

Visibility = Literal["visible", "hidden"]

NO_MARKS: Mapping[tuple[str, str], Entry] = MappingProxyType({})


def score(
    rubric: Rubric,
    files: Iterable[ExerciseFile],
    outcomes: Iterable[Outcome],
    grader: Grader,
    student: str | None = None,
    marks: Mapping[tuple[str, str], Entry] = NO_MARKS,
) -> Card:
    """The card of the exercises in ``files``, in their order; it covers hidden checks where ``grader`` does.

    ``marks`` are the student's, by exercise and check; each stands in the place of what was found by machine.
    A check of the rubric without an outcome is ours to explain: it is broken, and earns its points.
    Where the file could not be read, it is an error of the submission, and earns none.
    Raises ``ValueError`` for what only a fault of ours can bring: an exercise or check that the rubric
    does not know, a check with two outcomes, no outcome at all for files that could be read.
    """
    files, outcomes = tuple(files), tuple(outcomes)
    unknown = [file.slug for file in files if file.slug not in rubric.exercises]
    if unknown:
        raise ValueError(f"the submission has exercises that the rubric does not know: {', '.join(unknown)}")
    strangers = sorted({outcome.slug for outcome in outcomes} - {file.slug for file in files})
    if strangers:
        raise ValueError(f"outcomes came for exercises that were not selected: {', '.join(strangers)}")
    if not outcomes and not all(file.problem for file in files):
        raise ValueError("no check ran, so there is nothing to score")
    exercises = [
        _exercise(rubric.exercises[file.slug], file, [o for o in outcomes if o.slug == file.slug], grader)
        for file in files
    ]
    return make_card(
        [mark_exercise(exercise, marks) for exercise in exercises],
        rubric.objectives.items(),
        grader,
        student,
        bonus_beyond_maximum=rubric.bonus_beyond_maximum,
    )


def _exercise(rubric: ExerciseRubric, file: ExerciseFile, outcomes: list[Outcome], grader: Grader) -> ExerciseResult:
    checks = _group(rubric.visible, "visible", file, outcomes)
    if grader.hidden:
        checks += _group(rubric.hidden, "hidden", file, outcomes)
    strangers = sorted({outcome.check for outcome in outcomes} - {check.id for check in checks})
    if strangers:
        raise ValueError(
            f"{rubric.slug}: outcomes came for checks that this run does not know: {', '.join(strangers)}; "
            "every check has a key in the rubric, and only a hidden run has hidden ones"
        )
    checks += _texts(rubric, file)
    # What loading the file for hidden checks ran into would tell of them, on a card that others read.
    visible = [outcome for outcome in outcomes if outcome.visibility == "visible"]
    notes = [*file.notes, *(note for outcome in visible for note in outcome.notes)]
    return ExerciseResult(
        slug=rubric.slug,
        title=rubric.title,
        bonus=rubric.bonus,
        points=sum(check.points for check in checks),
        max_points=rubric.points,
        file=file.label or None,
        sha256=file.sha256 or None,
        notes=tuple(dict.fromkeys(_cut(note) for note in notes)),
        checks=tuple(checks),
    )


def _group(
    points: Mapping[str, int], visibility: Visibility, file: ExerciseFile, outcomes: list[Outcome]
) -> list[CheckResult]:
    """The checks that ``points`` names: those with an outcome in the order they ran, then those without."""
    found: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.check not in points:
            continue
        if outcome.check in found:
            raise ValueError(f"{file.slug}: two outcomes came for the check {outcome.check}")
        if outcome.visibility != visibility:
            raise ValueError(
                f"{file.slug}: the check {outcome.check} ran as {outcome.visibility}, the rubric has it as {visibility}"
            )
        found[outcome.check] = outcome
    missing = {check: _missing(file, check, visibility) for check in points if check not in found}
    return [_check(outcome, points[name], visibility, file.cells) for name, outcome in (found | missing).items()]


def _missing(file: ExerciseFile, check: str, visibility: Visibility) -> Outcome:
    """What stands for a check that did not run."""
    title = check.replace("_", " ")
    if file.problem:
        # Not broken: a submission without the file must not earn the points of its checks.
        verdict, expected, got = Verdict.ERROR, "a file to grade", file.problem
    else:
        verdict, expected, got = Verdict.BROKEN, "", "the grader did not run this check"
    return Outcome(file.slug, check, title, "", visibility, verdict, expected=expected, got=got)


def _check(outcome: Outcome, points: int, visibility: Visibility, cells: tuple[CellSpan, ...]) -> CheckResult:
    return CheckResult(
        id=outcome.check,
        title=outcome.title,
        objective=outcome.objective,
        visibility=visibility,
        verdict=outcome.verdict,
        points=points if outcome.verdict in EARNING else 0,
        max_points=points,
        expected=outcome.expected,
        got=outcome.got,
        hint=outcome.hint,
        where=None if outcome.line is None else _place(outcome.line, cells),
        seconds=outcome.seconds,
        output=outcome.output,
        answer=None,
        mark=None,
    )


def _place(line: int, cells: tuple[CellSpan, ...]) -> Where:
    """The place of a line of what was graded, which may have been joined from the cells of a notebook."""
    before = [cell for cell in cells if cell.first_line <= line]
    if not before:
        return Where(line=line, cell=None)
    cell = max(before, key=lambda cell: cell.first_line)
    return Where(line=line - cell.first_line + 1, cell=cell.number)


def _texts(rubric: ExerciseRubric, file: ExerciseFile) -> list[CheckResult]:
    """What a person grades, in the rubric's order, before anyone has."""
    found = {text.item: text for text in file.written}
    strangers = sorted(set(found) - set(rubric.person))
    if strangers:
        raise ValueError(f"{file.slug}: texts came that the rubric does not know: {', '.join(strangers)}")
    return [_text(name, item, found.get(name, Written(name, item.file))) for name, item in rubric.person.items()]


def _text(name: str, item: PersonItem, text: Written) -> CheckResult:
    if text.problem:
        verdict, got = Verdict.ERROR, text.problem
    elif text.untouched or not text.sha256:
        verdict, got = Verdict.TODO, f"the text in {text.label} is not written yet"
    else:
        verdict, got = Verdict.WAITING, ""
    return CheckResult(
        id=name,
        title=_cut(item.title),
        objective=item.objective,
        visibility="person",
        verdict=verdict,
        points=0,
        max_points=item.points,
        expected=_cut("\n".join(item.criteria)),
        got=_cut(got),
        hint="",
        where=None,
        seconds=0.0,
        output="",
        answer=Answer(file=_cut(text.label), sha256=text.sha256 or None),
        mark=None,
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else text[: LONGEST_WORDS - 1] + "…"
