"""A card as Gradescope reads it: this module writes `results.json`, of documented fields only.

Students see hidden checks, and with them the total, once the scores are published; where the rubric's policy is to tell
points, at once. Whatever the autograder printed is hidden: it names them all.
"""

import json
from typing import Any

from graders.engine.clean import log_text, one_line
from graders.engine.judge.outcome import Verdict
from graders.engine.report.next_step import next_step
from graders.engine.report.words import VERDICTS, apology, details, mark_in_words, withheld_in_words
from graders.engine.score.card import Card
from graders.engine.score.late import late_in_words
from graders.engine.score.results import CheckResult, ExerciseResult
from graders.engine.score.sharing import Policy, share

TEXT = "text"
"""The one format that Gradescope shows as it stands: the others can be made to show something else."""


def gradescope(card: Card, policy: Policy) -> str:
    """Return the text of `results.json`, for a rubric that tells what hidden checks found by this policy."""
    tests = [
        _test(exercise, check, (place, number), policy)
        for place, exercise in enumerate(card.exercises, start=1)
        for number, check in enumerate(exercise.checks, start=1)
    ]
    facts = card.model_dump(
        mode="json",
        include={"version", "points", "max_points", "bonus", "bonus_beyond_maximum", "late", "total", "withheld"},
    )
    return _as_text(card.total, _about(card, policy), {"extra_data": facts, "tests": tests})


def gradescope_refusal(reason: str) -> str:
    """Return the text of `results.json` for a submission in which nothing could be graded: no points, and why."""
    return _as_text(0, log_text(reason), {"tests": []})


def _as_text(score: int, output: str, more: dict[str, Any]) -> str:
    results = {
        "score": score,
        "output": output,
        "output_format": TEXT,
        "test_output_format": TEXT,
        "test_name_format": TEXT,
        "visibility": "visible",
        "stdout_visibility": "hidden",
        **more,
    }
    return json.dumps(results, indent=2) + "\n"


def _about(card: Card, policy: Policy) -> str:
    """What the student reads above the tests: nothing that a hidden check found, unless the policy is to tell it."""
    shared = share(card, policy) if card.grader.hidden else card
    lines = [*(note for exercise in card.exercises for note in exercise.notes), apology(shared)]
    if shared.withheld:
        lines.append(f"Hidden checks: {withheld_in_words(shared.withheld)}.")
    if card.late:  # the percentage alone: so many points of so many would tell what hidden checks found
        lines.append(f"Late: {late_in_words(card.late)}.")
    return log_text("\n".join(line for line in [*lines, next_step(shared)] if line))


def _test(exercise: ExerciseResult, check: CheckResult, number: tuple[int, int], policy: Policy) -> dict[str, Any]:
    hidden = check.visibility == "hidden" and policy != "points"
    # Neither passed nor failed yet: what waits for a person has no status.
    decided = {} if check.verdict is Verdict.WAITING else {"status": _status(check)}
    return {
        "name": log_text(one_line(f"{exercise.slug}: {check.title}{_remark(check)}")),
        # Sorted as texts.
        "number": f"{number[0]:02}.{number[1]:03}",
        "score": check.points,
        "max_score": check.max_points,
        **decided,
        "output": log_text(_output(exercise, check)),
        "visibility": "after_published" if hidden else "visible",
        "extra_data": {"exercise": exercise.slug, "check": check.id, "verdict": check.verdict.value},
    }


def _status(check: CheckResult) -> str:
    return "passed" if check.points == check.max_points else "failed"


def _remark(check: CheckResult) -> str:
    match check.verdict:
        case Verdict.WAITING:
            return " (a person grades this)"
        case Verdict.BROKEN:
            return " (this check is broken, and costs no points)"
        case _:
            return ""


def _output(exercise: ExerciseResult, check: CheckResult) -> str:
    words = {} if check.has_all_points else details(check, exercise)
    if check.output and not check.has_all_points:
        words["your code printed"] = f"\n{check.output}"
    if check.mark:
        words["mark"] = mark_in_words(check.mark)
    return "\n".join([VERDICTS[check.verdict], *(f"{label}: {text}" for label, text in words.items())])
