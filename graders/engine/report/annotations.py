"""A card as commands of a workflow: this module marks the worst places in the student's files, and tells the points.

GitHub shows ten errors, ten warnings and ten notices of a step, and drops what comes after them.
"""

import json

from graders.engine.clean import command_message, command_property
from graders.engine.judge.outcome import Verdict
from graders.engine.report.words import VERDICTS, apology, details, what_counts, worst_first, worth
from graders.engine.score.card import Card
from graders.engine.score.results import CheckResult, ExerciseResult

MOST_PLACES = 10
# Two of the ten notices tell the points.
MOST_TODOS = 8


def annotations(card: Card) -> list[str]:
    """Return lines that a workflow prints as they are: at most ten places, and the points in two notices."""
    lines = [_at(exercise, check, "error") for exercise, check in worst_first(card)[:MOST_PLACES]]
    room = min(MOST_PLACES - len(lines), MOST_TODOS)
    lines += [_at(exercise, check, "notice") for exercise, check in _todos(card)[:room]]
    if sorry := apology(card):
        lines.append(_command("warning", {"title": "A check is broken"}, sorry))
    points, whole = what_counts(card)
    report = json.dumps({"totalPoints": points, "maxPoints": whole}, separators=(",", ":"))
    return [
        *lines,
        _command("notice", {"title": "Autograding complete"}, f"Points {points}/{whole}"),
        _command("notice", {"title": "Autograding report"}, report),
    ]


def _todos(card: Card) -> list[tuple[ExerciseResult, CheckResult]]:
    return [
        (exercise, check) for exercise in card.exercises for check in exercise.checks if check.verdict is Verdict.TODO
    ]


def _at(exercise: ExerciseResult, check: CheckResult, level: str) -> str:
    """Return the command for one check. A line of a notebook's cell is no line of its file, so the message names it."""
    file = check.answer.file if check.answer else exercise.file
    properties = {"title": f"{VERDICTS[check.verdict]}: {check.title}"} | ({"file": file} if file else {})
    start = ""
    if check.where and (check.where.cell or not file):
        cell = f"cell {check.where.cell}, " if check.where.cell else ""
        start = f"{cell}line {check.where.line}: "
    elif check.where:
        properties["line"] = str(check.where.line)
    # The command itself tells its place.
    told = [f"{label}: {text}" for label, text in details(check, exercise).items() if label != "at"]
    return _command(level, properties, "\n".join([f"{start}{exercise.slug}, {check.id} ({worth(check)})", *told]))


def _command(level: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{name}={command_property(text)}" for name, text in properties.items())
    return f"::{level} {listed}::{command_message(message)}"
