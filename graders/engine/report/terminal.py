"""A card for a person at a terminal: this module prints what passed, what did not, and what to do next."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from graders.engine.judge.outcome import Verdict
from graders.engine.report.console import print_hanging, safe_text
from graders.engine.score.card import Card, CheckResult, ExerciseResult

OUTPUT_LINES = 5

# The words carry the meaning; the colours repeat it.
WORDS = {
    Verdict.PASS: ("PASS", "green"),
    Verdict.FAIL: ("FAIL", "bold red"),
    Verdict.ERROR: ("ERROR", "bold red"),
    Verdict.TODO: ("TODO", "yellow"),
    Verdict.TIMEOUT: ("TIMEOUT", "bold red"),
    Verdict.CRASHED: ("CRASHED", "bold red"),
    Verdict.BLOCKED: ("not run", "dim"),
    Verdict.WAITING: ("waiting", "cyan"),
    Verdict.BROKEN: ("BROKEN", "bold magenta"),
}
WORD_WIDTH = max(len(word) for word, _ in WORDS.values())
# These ask nothing of the student.
SETTLED = frozenset({Verdict.PASS, Verdict.BROKEN, Verdict.WAITING})


def print_card(card: Card, console: Console) -> None:
    """Print each exercise with its checks, then the total and one sentence about the next step."""
    for exercise in card.exercises:
        _print_exercise(exercise, console)
    listed = [check for exercise in card.exercises for check in exercise.checks]
    print_hanging(console, Text.styled("Total  ", "bold"), Text(_tally(card.points, card.max_points, listed)))
    _print_apology(listed, console)
    print_hanging(console, Text(), safe_text(_next_step(card), console))
    if card.grader.hidden:
        print_hanging(console, Text(), Text(f"The same again: --hidden --seed {card.grader.seed}", "dim"))


def _print_exercise(exercise: ExerciseResult, console: Console) -> None:
    heading = safe_text(f"{exercise.slug}: {exercise.title}", console)
    heading.stylize("bold")
    print_hanging(console, Text(), heading)
    tally = _tally(exercise.points, exercise.max_points, exercise.checks)
    print_hanging(console, Text("  "), Text(tally))
    for check in exercise.checks:
        _print_check(check, exercise.file, console)
    console.print()


def _print_check(check: CheckResult, file: str | None, console: Console) -> None:
    word, style = WORDS[check.verdict]
    if check.verdict is Verdict.BLOCKED:
        # What it would find out is of no use yet; what it waits for is.
        body = safe_text(f"{check.id} ({_worth(check)}), {check.got}", console)
        body.stylize("dim")
    else:
        body = safe_text(f"{check.id}: {check.title}", console) + Text(f" ({_worth(check)})", "dim")
    print_hanging(console, Text("  ") + Text(word, style) + Text(" " * (WORD_WIDTH + 2 - len(word))), body)
    if check.verdict is Verdict.TODO:
        print_hanging(console, Text("    "), safe_text(check.got, console))
    elif check.verdict not in {Verdict.PASS, Verdict.BLOCKED}:
        _print_details(check, file, console)
    if check.output and check.verdict is not Verdict.PASS:
        _print_output(check.output, console)


def _worth(check: CheckResult) -> str:
    worth = f"{check.points}/{check.max_points}"
    if check.verdict is Verdict.WAITING:
        worth = f"up to {_count(check.max_points, 'point')} when a person has graded it"
    return f"{worth}, hidden" if check.visibility == "hidden" else worth


def _print_details(check: CheckResult, file: str | None, console: Console) -> None:
    place = _place(check, file)
    rows = {"expected": check.expected, "got": check.got, "hint": check.hint, "at": place}
    for label, text in rows.items():
        if text:
            print_hanging(console, Text.styled(f"    {label:<10}", "dim"), safe_text(text, console))


def _place(check: CheckResult, file: str | None) -> str:
    if check.where is None:
        return ""
    return f"{file}:{check.where.line}" if file else f"line {check.where.line}"


def _print_output(output: str, console: Console) -> None:
    print_hanging(console, Text("    "), Text("your code printed", "dim"))
    lines = safe_text(output.rstrip(), console).split()
    for line in lines[:OUTPUT_LINES]:
        print_hanging(console, Text("    | "), line)
    if len(lines) > OUTPUT_LINES:
        more = _count(len(lines) - OUTPUT_LINES, "more line")
        print_hanging(console, Text("    | "), Text(f"({more})", "dim"))


def _tally(points: int, whole: int, checks: Sequence[CheckResult]) -> str:
    """Points out of the whole, and which of the whole wait for a person or for a run with hidden checks."""
    listed = sum(check.max_points for check in checks)
    hidden = whole - listed
    waiting = sum(check.max_points for check in checks if check.verdict is Verdict.WAITING)
    notes = []
    if hidden and listed:
        notes.append(f"{points} of {_count(listed, 'visible point')}")
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        notes.append(f"{_count(waiting, 'point')} {verb} for a person to grade")
    if hidden:
        start = f"{hidden} more" if listed else f"all {hidden}"
        verb = "is hidden and is" if hidden == 1 else "are hidden and are"
        notes.append(f"{start} {verb} counted when the course grades")
    return f"{points}/{whole}  ({'; '.join(notes)})" if notes else f"{points}/{whole}"


def _print_apology(checks: Sequence[CheckResult], console: Console) -> None:
    broken = sum(check.verdict is Verdict.BROKEN for check in checks)
    if broken:
        verb = "is" if broken == 1 else "are"
        sentence = (
            f"{_count(broken, 'check')} {verb} broken. That is the grader's fault, not yours, "
            "and costs no points. Please show this report to the course staff."
        )
        print_hanging(console, Text(), Text(sentence, WORDS[Verdict.BROKEN][1]))


def _next_step(card: Card) -> str:
    for exercise in card.exercises:
        open_checks = [check for check in exercise.checks if check.verdict not in SETTLED]
        if open_checks:
            # A blocked check waits for another one, so it comes first only where nothing else is open.
            open_checks.sort(key=lambda check: check.verdict is Verdict.BLOCKED)
            return _advice(open_checks[0], exercise)
    passed = all(check.verdict is Verdict.PASS for exercise in card.exercises for check in exercise.checks)
    hidden = card.max_points - sum(check.max_points for e in card.exercises for check in e.checks)
    if card.grader.mode == "strict":
        return f"Complete: {'every check passes.' if passed else 'no check asks for more of you.'}"
    start = "All visible checks pass." if passed else "No visible check asks for more of you."
    return f"{start} The hidden ones follow when the course grades." if hidden else start


def _advice(check: CheckResult, exercise: ExerciseResult) -> str:
    place = exercise.file or exercise.slug
    if check.where:
        place += f", line {check.where.line}"
    if check.verdict is Verdict.TODO:
        return f"Next: in {place}, do the TODO that the check {check.id} waits for."
    if check.verdict is Verdict.BLOCKED:
        return f"Next: in {place}, see to the check {check.id}, which has not run yet ({check.got})."
    return f"Next: in {place}, make the check {check.id} pass."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
