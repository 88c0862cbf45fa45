"""A card for a person at a terminal: this module prints what passed, what did not, and what to do next."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from graders.engine.judge.outcome import Verdict
from graders.engine.report.console import print_hanging, safe_text
from graders.engine.report.next_step import next_step
from graders.engine.report.words import count, mark_in_words, place, tally, worth
from graders.engine.score.card import Card
from graders.engine.score.results import CheckResult, ExerciseResult, ObjectiveResult

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
    Verdict.MARKED: ("marked", "cyan"),
    Verdict.BROKEN: ("BROKEN", "bold magenta"),
}
WORD_WIDTH = max(len(word) for word, _ in WORDS.values())
SHOWN, PARTLY, NOT_YET, UNDECIDED = ("shown", "green"), ("partly", "yellow"), ("not yet", "dim"), ("open", "cyan")


def print_card(card: Card, console: Console) -> None:
    """Print each exercise with its checks, then objectives, totals and one sentence about the next step."""
    for exercise in card.exercises:
        _print_exercise(exercise, console)
    _print_objectives(card, console)
    _print_totals(card, console)
    _print_apology([check for exercise in card.exercises for check in exercise.checks], console)
    print_hanging(console, Text(), safe_text(next_step(card), console))
    if card.grader.hidden:
        print_hanging(console, Text(), Text(f"The same again: --hidden --seed {card.grader.seed}", "dim"))


def _print_exercise(exercise: ExerciseResult, console: Console) -> None:
    heading = safe_text(f"{exercise.slug}: {exercise.title}{' (bonus)' if exercise.bonus else ''}", console)
    heading.stylize("bold")
    print_hanging(console, Text(), heading)
    print_hanging(console, Text("  "), Text(tally(exercise.points, exercise.max_points, exercise.checks)))
    for note in exercise.notes:
        print_hanging(console, Text("  note: "), safe_text(note, console))
    for check in exercise.checks:
        _print_check(check, exercise, console)
    console.print()


def _print_check(check: CheckResult, exercise: ExerciseResult, console: Console) -> None:
    if check.verdict is Verdict.BLOCKED:
        # What it would find out is of no use yet; what it waits for is.
        body = safe_text(f"{check.id} ({worth(check)}), {check.got}", console)
        body.stylize("dim")
    else:
        body = safe_text(f"{check.id}: {check.title}", console) + Text(f" ({worth(check)})", "dim")
    print_hanging(console, Text("  ") + _column(*WORDS[check.verdict]), body)
    for label, text in _details(check, exercise).items():
        if text:
            start = Text.styled(f"    {label:<10}", "dim") if label else Text("    ")
            print_hanging(console, start, safe_text(text, console))
    if check.output and not check.has_all_points:
        _print_output(check.output, console)


def _details(check: CheckResult, exercise: ExerciseResult) -> dict[str, str]:
    """What to say of a check besides its title and points, by label."""
    mark = {"mark": mark_in_words(check.mark)} if check.mark else {}
    if check.has_all_points or check.verdict is Verdict.BLOCKED:
        return mark
    if check.verdict is Verdict.TODO and check.visibility != "person":
        return {"": check.got}
    found = {"expected": check.expected, "got": check.got, "hint": check.hint, "at": place(check, exercise)}
    return found | mark


def _column(word: str, style: str) -> Text:
    return Text.assemble((word, style), " " * (WORD_WIDTH + 2 - len(word)))


def _print_output(output: str, console: Console) -> None:
    print_hanging(console, Text("    "), Text("your code printed", "dim"))
    lines = safe_text(output.rstrip(), console).split()
    for line in lines[:OUTPUT_LINES]:
        print_hanging(console, Text("    | "), line)
    if len(lines) > OUTPUT_LINES:
        more = count(len(lines) - OUTPUT_LINES, "more line")
        print_hanging(console, Text("    | "), Text(f"({more})", "dim"))


def _print_objectives(card: Card, console: Console) -> None:
    """Print a line for each objective that a check is about: does the work give evidence for it?"""
    if not card.objectives:
        return
    those = "checks" if card.grader.hidden else "visible checks"
    print_hanging(console, Text(), Text(f"Objectives, by the {those} passed", "bold"))
    for objective in card.objectives:
        word, figures = _evidence(objective)
        title = safe_text(objective.title, console)
        print_hanging(console, Text("  ") + _column(*word), title + Text(figures, "dim"))
    console.print()


def _evidence(objective: ObjectiveResult) -> tuple[tuple[str, str], str]:
    """Return the word for an objective, with its colour, and the figures behind it."""
    undecided = f"{objective.undecided} open"
    if not objective.checks:
        return UNDECIDED, f" ({undecided})"
    figures = f"{objective.passed} of {objective.checks}"
    figures = f" ({figures}, {undecided})" if objective.undecided else f" ({figures})"
    if objective.passed == objective.checks:
        return SHOWN, figures
    return (PARTLY if objective.passed else NOT_YET), figures


def _print_totals(card: Card, console: Console) -> None:
    """Print one total, or, where there is a bonus, points, bonus and what they come to."""
    parts = {bonus: [exercise for exercise in card.exercises if exercise.bonus is bonus] for bonus in (False, True)}
    plain, extra = ([check for exercise in part for check in exercise.checks] for part in parts.values())
    rows = {"Total": tally(card.points, card.max_points, plain)}
    if card.bonus.max_points:
        bonus = tally(card.bonus.points, card.bonus.max_points, extra)
        rows = {"Points": rows["Total"], "Bonus": bonus, "Total": _whole(card)} if card.max_points else {"Bonus": bonus}
    width = max(map(len, rows))
    for label, text in rows.items():
        print_hanging(console, Text.styled(f"{label:<{width}}  ", "bold"), Text(text))


def _whole(card: Card) -> str:
    """What counts, with the bonus."""
    counted = card.total - card.points
    if counted == card.bonus.points:
        return f"{card.total}/{card.max_points}"
    verb = "counts" if counted == 1 else "count"
    kept = f"{counted} of {count(card.bonus.points, 'bonus point')} {verb}, up to the maximum"
    return f"{card.total}/{card.max_points}  ({kept})"


def _print_apology(checks: Sequence[CheckResult], console: Console) -> None:
    broken = sum(check.verdict is Verdict.BROKEN for check in checks)
    if broken:
        verb = "is" if broken == 1 else "are"
        sentence = (
            f"{count(broken, 'check')} {verb} broken. That is the grader's fault, not yours, "
            "and costs no points. Please show this report to the course staff."
        )
        print_hanging(console, Text(), Text(sentence, WORDS[Verdict.BROKEN][1]))
