"""Sentences about a card that more than one report says: counts, places, and what a mark tells."""

from collections.abc import Sequence

from graders.engine.judge.outcome import Verdict
from graders.engine.score.record import Mark
from graders.engine.score.results import CheckResult, ExerciseResult


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


def mark_in_words(mark: Mark) -> str:
    """Return who gave the points, when and why, and whether that was for another answer."""
    said = f"by a person on {mark.date}{': ' if mark.note else ''}{mark.note}"
    if not mark.answer_changed:
        return said
    return f"{said}\nThe answer changed after that; the mark stands until a person looks again."


def tally(points: int, whole: int, checks: Sequence[CheckResult]) -> str:
    """Points out of the whole, and which of the whole wait for a person or for a run with hidden checks."""
    listed = sum(check.max_points for check in checks)
    hidden = whole - listed
    waiting = sum(check.max_points for check in checks if check.verdict is Verdict.WAITING)
    notes = []
    if hidden and listed:
        notes.append(f"{points} of {count(listed, 'visible point')}")
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        notes.append(f"{count(waiting, 'point')} {verb} for a person to grade")
    if hidden:
        start = f"{hidden} more" if listed else f"all {hidden}"
        verb = "is hidden and is" if hidden == 1 else "are hidden and are"
        notes.append(f"{start} {verb} counted when the course grades")
    return f"{points}/{whole}  ({'; '.join(notes)})" if notes else f"{points}/{whole}"
