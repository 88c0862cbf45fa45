"""Sentences about a card that more than one report says: counts, places, verdicts, shares, and what a mark tells."""

from collections.abc import Sequence

from graders.engine.judge.outcome import Verdict
from graders.engine.score.card import Card, Withheld, before_late
from graders.engine.score.late import late_in_words
from graders.engine.score.record import Mark
from graders.engine.score.results import CheckResult, ExerciseResult, ObjectiveResult

VERDICTS = {
    Verdict.PASS: "PASS",
    Verdict.FAIL: "FAIL",
    Verdict.ERROR: "ERROR",
    Verdict.TODO: "TODO",
    Verdict.TIMEOUT: "TIMEOUT",
    Verdict.CRASHED: "CRASHED",
    Verdict.BLOCKED: "not run",
    Verdict.WAITING: "waiting",
    Verdict.MARKED: "marked",
    Verdict.BROKEN: "BROKEN",
}
SHOWN, PARTLY, NOT_YET, UNDECIDED = "shown", "partly", "not yet", "open"
BANDS = {
    "most": "most of their points (two thirds or more)",
    "some": "some of their points (one third or more, less than two)",
    "few": "few of their points (less than one third)",
}
# What the student's code did wrong, as against what it does not do yet, what waits, and what others did.
FAILING = frozenset({Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED})


def count(number: int, noun: str) -> str:
    """Return "1 point", "2 points"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def worth(check: CheckResult) -> str:
    """Return the points of a check, and who counts them."""
    if check.verdict is Verdict.WAITING:
        points = f"up to {count(check.max_points, 'point')} when a person has graded it"
    else:
        points = f"{check.points}/{check.max_points}"
    return f"{points}, hidden" if check.visibility == "hidden" else points


def place(check: CheckResult, exercise: ExerciseResult) -> str:
    """Return where in the student's work something is, or an empty text."""
    if check.where is None:
        return ""
    if check.where.cell is None:
        return f"{exercise.file}:{check.where.line}" if exercise.file else f"line {check.where.line}"
    cell = f"cell {check.where.cell}, line {check.where.line}"
    return f"{cell} of {exercise.file}" if exercise.file else cell


def details(check: CheckResult, exercise: ExerciseResult) -> dict[str, str]:
    """Return what there is to say of what a check found, by label."""
    words = {"expected": check.expected, "got": check.got, "hint": check.hint, "at": place(check, exercise)}
    return {label: text for label, text in words.items() if text}


def mark_in_words(mark: Mark) -> str:
    """Return who gave the points, when and why, and whether that was for another answer."""
    said = f"by a person on {mark.date}{': ' if mark.note else ''}{mark.note}"
    if not mark.answer_changed:
        return said
    return f"{said}\nThe answer changed after that; the mark stands until a person looks again."


def figures(card: Card) -> dict[str, str]:
    """Return the points of a card by label: those of its exercises, of the bonus, and what is true of both."""
    parts = {bonus: [exercise for exercise in card.exercises if exercise.bonus is bonus] for bonus in (False, True)}
    told = {}
    if card.max_points:
        told["Visible checks" if card.withheld else "Points"] = tally(card, parts[False])
    if card.bonus.max_points:
        told["Bonus"] = tally(card, parts[True])
    if card.late:
        told["Late"] = _with_notes(f"{count(card.late.points, 'point')} off", [late_in_words(card.late)])
    if card.withheld:
        told["Hidden checks"] = withheld_in_words(card.withheld)
    elif len(told) > 1:
        told["Total"] = whole_in_words(card)
    return told


def tally(card: Card, exercises: Sequence[ExerciseResult]) -> str:
    """Return the points of these exercises of a card, and what of the whole is counted later or elsewhere."""
    points = sum(exercise.points for exercise in exercises)
    whole = sum(exercise.max_points for exercise in exercises)
    checks = [check for exercise in exercises for check in exercise.checks]
    return _of_all(points, whole, checks) if card.withheld is None else _of_the_visible(points, whole, checks)


def _of_all(points: int, whole: int, checks: Sequence[CheckResult]) -> str:
    """Points out of the whole, and which of the whole wait for a person or for a run with hidden checks."""
    listed = sum(check.max_points for check in checks)
    hidden = whole - listed
    notes = []
    if hidden and listed:
        notes.append(f"{points} of {count(listed, 'visible point')}")
    notes += _waiting(checks)
    if hidden:
        start = f"{hidden} more" if listed else f"all {hidden}"
        verb = "is hidden and is" if hidden == 1 else "are hidden and are"
        notes.append(f"{start} {verb} counted when the course grades")
    return _with_notes(f"{points}/{whole}", notes)


def _of_the_visible(points: int, whole: int, checks: Sequence[CheckResult]) -> str:
    """Points out of what the listed checks are worth, and how much of the whole has been counted elsewhere."""
    listed = sum(check.max_points for check in checks)
    notes = _waiting(checks)
    if whole > listed:
        notes.append(f"hidden checks, worth {count(whole - listed, 'more point')}, are not shown here")
    return _with_notes(f"{points}/{listed}" if listed else "no visible check", notes)


def _waiting(checks: Sequence[CheckResult]) -> list[str]:
    waiting = sum(check.max_points for check in checks if check.verdict is Verdict.WAITING)
    verb = "waits" if waiting == 1 else "wait"
    return [f"{count(waiting, 'point')} {verb} for a person to grade"] if waiting else []


def _with_notes(figures: str, notes: Sequence[str]) -> str:
    return f"{figures}  ({'; '.join(notes)})" if notes else figures


def withheld_in_words(withheld: Withheld) -> str:
    """Return what is told of hidden checks that have been run."""
    if withheld.band is None:
        return f"run, worth {count(withheld.max_points, 'point')}, and not shown here"
    return BANDS[withheld.band]


def whole_in_words(card: Card) -> str:
    """Return what counts out of the maximum, bonus points included, and after what is taken off for being late."""
    if not card.max_points:
        return f"{card.total}/{card.bonus.max_points}"
    counted = before_late(card) - card.points
    if counted == card.bonus.points:
        return f"{card.total}/{card.max_points}"
    verb = "counts" if counted == 1 else "count"
    kept = f"{counted} of {count(card.bonus.points, 'bonus point')} {verb}, up to the maximum"
    return f"{card.total}/{card.max_points}  ({kept})"


def what_counts(card: Card) -> tuple[int, int]:
    """Return points and maximum for those who read two numbers only; of what is withheld, neither has anything.

    Where there are other exercises, the bonus makes up for what is lost in them, and has no part in the maximum.
    """
    if card.withheld is None:
        return card.total, card.max_points or card.bonus.max_points
    counted = [exercise for exercise in card.exercises if not (exercise.bonus and card.max_points)]
    checks = [check for exercise in counted for check in exercise.checks]
    return sum(check.points for check in checks), sum(check.max_points for check in checks)


def apology(card: Card) -> str:
    """Return what there is to say about checks that are broken, or an empty text."""
    broken = sum(check.verdict is Verdict.BROKEN for exercise in card.exercises for check in exercise.checks)
    if not broken:
        return ""
    verb = "is" if broken == 1 else "are"
    return (
        f"{count(broken, 'check')} {verb} broken. That is the grader's fault, not yours, "
        "and costs no points. Please show this report to the course staff."
    )


def evidence(objective: ObjectiveResult) -> tuple[str, str]:
    """Return whether the work gives evidence for an objective, in a word, and the figures behind it."""
    undecided = f"{objective.undecided} open"
    if not objective.checks:
        return UNDECIDED, undecided
    figures = f"{objective.passed} of {objective.checks}"
    figures = f"{figures}, {undecided}" if objective.undecided else figures
    if objective.passed == objective.checks:
        return SHOWN, figures
    return (PARTLY if objective.passed else NOT_YET), figures


def worst_first(card: Card) -> list[tuple[ExerciseResult, CheckResult]]:
    """Return the failing checks: those that cost most come first, and in the card's order where they cost the same."""
    failing = [
        (exercise, check) for exercise in card.exercises for check in exercise.checks if check.verdict in FAILING
    ]
    return sorted(failing, key=lambda pair: -pair[1].max_points)
