"""A card as GitHub Classroom's reporter reads it: this module writes the text of a runner's results.

The reporter takes Base64 of JSON from the environment, prints names and messages of tests as they are where the
workflow's machine reads along, adds up the scores, and fails its job where the status is "fail".
"""

import base64
import json
from typing import Any

from graders.engine.clean import log_text, one_line
from graders.engine.judge.outcome import Verdict
from graders.engine.report.words import VERDICTS, details, mark_in_words, what_counts, worth
from graders.engine.score.card import Card
from graders.engine.score.late import late_in_words
from graders.engine.score.results import CheckResult, ExerciseResult

SURPLUS = "bonus points that do not count here"
LATE = "handed in late"


def classroom(card: Card) -> str:
    """Return the results in Base64, on one line. Their scores add up to what counts, and all numbers are integers."""
    return base64.b64encode(json.dumps(_results(card)).encode()).decode("ascii") + "\n"


def _results(card: Card) -> dict[str, Any]:
    points, whole = what_counts(card)
    tests = [_test(exercise, check) for exercise in card.exercises for check in exercise.checks]
    off = card.late.points if card.late else 0
    surplus = sum(test["score"] for test in tests) - points - off
    if surplus:
        tests.append(_row(SURPLUS, "pass", -surplus))
    if card.late and off:
        tests.append(_row(LATE, "pass", -off, message=late_in_words(card.late)))
    # What waits for a person is not passed, and yet nothing that the student could mend.
    failed = any(
        not check.has_all_points and check.verdict not in (Verdict.WAITING, Verdict.BROKEN)
        for exercise in card.exercises
        for check in exercise.checks
    )
    return {"version": 1, "status": "fail" if failed else "pass", "max_score": whole, "tests": tests}


def _test(exercise: ExerciseResult, check: CheckResult) -> dict[str, Any]:
    in_file = check.where is not None and check.where.cell is None and bool(exercise.file)
    return _row(
        f"{exercise.slug}, {check.id}: {check.title} ({worth(check)})",
        "pass" if check.points == check.max_points else "fail",
        check.points,
        message=_message(exercise, check),
        filename=one_line(exercise.file or ""),
        line_no=check.where.line if check.where and in_file else 0,
        duration=round(check.seconds * 1000),
    )


def _row(
    name: str, status: str, score: int, *, message: str = "", filename: str = "", line_no: int = 0, duration: int = 0
) -> dict[str, Any]:
    return {
        "name": log_text(one_line(name)),
        "status": status,
        "score": score,
        "message": log_text(message),
        "test_code": "",
        "filename": filename,
        "line_no": line_no,
        "duration": duration,
    }


def _message(exercise: ExerciseResult, check: CheckResult) -> str:
    words = {} if check.has_all_points else details(check, exercise)
    if check.mark:
        words["mark"] = mark_in_words(check.mark)
    return "\n".join([VERDICTS[check.verdict], *(f"{label}: {text}" for label, text in words.items())])
