"""The last sentence of a report: this module says what a student does next, one thing at a time."""

from graders.engine.judge.outcome import Verdict
from graders.engine.score.card import Card
from graders.engine.score.results import CheckResult, ExerciseResult

# These ask nothing of the student.
SETTLED = frozenset({Verdict.PASS, Verdict.BROKEN, Verdict.WAITING, Verdict.MARKED})


def next_step(card: Card) -> str:
    """Return the advice about the first thing that is open, or what there is to say if nothing is."""
    for exercise in card.exercises:
        open_checks = [check for check in exercise.checks if check.verdict not in SETTLED]
        if open_checks:
            # A blocked check waits for another one, so it comes first only where nothing else is open.
            open_checks.sort(key=lambda check: check.verdict is Verdict.BLOCKED)
            return _advice(open_checks[0], exercise)
    checks = [check for exercise in card.exercises for check in exercise.checks]
    passed = all(check.has_all_points for check in checks)
    if card.grader.hidden:
        return f"Complete: {'every check passes.' if passed else 'no check asks for more of you.'}"
    start = "All visible checks pass." if passed else "No visible check asks for more of you."
    if card.withheld:
        return f"{start} The hidden ones have been run, and count as well."
    hidden = card.max_points + card.bonus.max_points - sum(check.max_points for check in checks)
    return f"{start} The hidden ones follow when the course grades." if hidden else start


def _advice(check: CheckResult, exercise: ExerciseResult) -> str:
    if check.answer and check.verdict is Verdict.TODO:
        return f"Next: write the text in {check.answer.file} that a person grades ({check.id})."
    if check.answer:
        return f"Next: see to {check.answer.file}, so that a person can grade the text ({check.id})."
    place = exercise.file or exercise.slug
    if check.where:
        place += f", cell {check.where.cell}" if check.where.cell else ""
        place += f", line {check.where.line}"
    if check.verdict is Verdict.TODO and "not answered" in check.got:  # a sheet, whose questions the check lists
        return f"Next: in {place}, give the answers that the check {check.id} waits for."
    if check.verdict is Verdict.TODO:
        return f"Next: in {place}, do the TODO that the check {check.id} waits for."
    if check.verdict is Verdict.BLOCKED:
        return f"Next: in {place}, see to the check {check.id}, which has not run yet ({check.got})."
    return f"Next: in {place}, make the check {check.id} pass."
