"""A card for a person at a terminal: this module prints what passed, what did not, and what to do next."""

from rich.console import Console
from rich.text import Text

from graders.engine.judge.outcome import Verdict
from graders.engine.report.console import print_hanging, safe_text
from graders.engine.report.next_step import next_step
from graders.engine.report.words import (
    NOT_YET,
    PARTLY,
    SHOWN,
    UNDECIDED,
    VERDICTS,
    apology,
    count,
    details,
    evidence,
    figures,
    mark_in_words,
    tally,
    worth,
)
from graders.engine.score.card import Card
from graders.engine.score.results import CheckResult, ExerciseResult

OUTPUT_LINES = 5

# The words carry the meaning; the colours repeat it.
COLOURS = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold red",
    Verdict.TODO: "yellow",
    Verdict.TIMEOUT: "bold red",
    Verdict.CRASHED: "bold red",
    Verdict.BLOCKED: "dim",
    Verdict.WAITING: "cyan",
    Verdict.MARKED: "cyan",
    Verdict.BROKEN: "bold magenta",
}
WORD_WIDTH = max(map(len, VERDICTS.values()))
COLOURS_OF_EVIDENCE = {SHOWN: "green", PARTLY: "yellow", NOT_YET: "dim", UNDECIDED: "cyan"}


def print_card(card: Card, console: Console) -> None:
    """Print each exercise with its checks, then objectives, totals and one sentence about the next step."""
    for exercise in card.exercises:
        _print_exercise(exercise, card, console)
    _print_objectives(card, console)
    _print_totals(card, console)
    if sorry := apology(card):
        print_hanging(console, Text(), Text(sorry, COLOURS[Verdict.BROKEN]))
    print_hanging(console, Text(), safe_text(next_step(card), console))
    if card.grader.hidden:
        print_hanging(console, Text(), Text(f"The same again: --hidden --seed {card.grader.seed}", "dim"))


def _print_exercise(exercise: ExerciseResult, card: Card, console: Console) -> None:
    heading = safe_text(f"{exercise.slug}: {exercise.title}{' (bonus)' if exercise.bonus else ''}", console)
    heading.stylize("bold")
    print_hanging(console, Text(), heading)
    print_hanging(console, Text("  "), Text(tally(card, [exercise])))
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
    print_hanging(console, Text("  ") + _column(VERDICTS[check.verdict], COLOURS[check.verdict]), body)
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
    return details(check, exercise) | mark


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
        word, figures = evidence(objective)
        title = safe_text(objective.title, console)
        print_hanging(
            console, Text("  ") + _column(word, COLOURS_OF_EVIDENCE[word]), title + Text(f" ({figures})", "dim")
        )
    console.print()


def _print_totals(card: Card, console: Console) -> None:
    """Print one total, or, where there is a bonus, points, bonus and what they come to."""
    rows = figures(card)
    if list(rows) == ["Points"]:
        rows = {"Total": rows["Points"]}
    width = max(map(len, rows))
    for label, text in rows.items():
        print_hanging(console, Text.styled(f"{label:<{width}}  ", "bold"), Text(text))
