"""What Markdown says of single checks: each row is whole in itself, and nothing in it ends what stands around it."""

from collections.abc import Iterator

from graders.engine.clean import log_text, markdown_block, markdown_text
from graders.engine.judge.outcome import Verdict
from graders.engine.report.fitting import Row
from graders.engine.report.words import VERDICTS, count, details, mark_in_words, worth
from graders.engine.score.card import Card
from graders.engine.score.results import CheckResult, ExerciseResult

LONGEST, SHORT = 2000, 160
"""Of one text, in full and in brief."""
OUTPUT_LINES = 5


def failing_row(exercise: ExerciseResult, check: CheckResult) -> Row:
    """Return what a failing check says: verdict, title and points, and below it what it expected, got and advises."""
    forms = (
        [_start(check, exercise, most), *_details(check, exercise, most), *_output(check, lines)]
        for most, lines in ((LONGEST, OUTPUT_LINES), (SHORT, 0))
    )
    full, brief = ("\n".join(form) for form in forms)
    return Row(full, brief)


def todo_rows(card: Card) -> Iterator[Row]:
    """Yield a line for each exercise in which something is still to be written."""
    for exercise in card.exercises:
        todos = [check for check in exercise.checks if check.verdict is Verdict.TODO]
        # Several checks can wait for the same blank.
        said = "; ".join(dict.fromkeys(line for check in todos for line in check.got.split("\n") if line))
        blocked = sum(check.verdict is Verdict.BLOCKED for check in exercise.checks)
        verb = "waits" if blocked == 1 else "wait"
        waiting = f" ({count(blocked, 'more check')} {verb} for something else)" if blocked else ""
        if todos:
            yield _line(f"{exercise.file or exercise.slug}: ", said or "something is to be written", waiting)


def mark_rows(card: Card) -> Iterator[Row]:
    """Yield a line for each check that a person has marked."""
    for exercise in card.exercises:
        for check in exercise.checks:
            if check.mark:
                yield _line(f"{exercise.slug}, {check.title} ({worth(check)}): ", mark_in_words(check.mark))


def note_rows(card: Card) -> Iterator[Row]:
    """Yield a line for each remark on what was handed in."""
    for exercise in card.exercises:
        for note in exercise.notes:
            yield _line(f"{exercise.slug}: ", note)


def cut(text: str, most: int) -> str:
    """Return the text, or as much of it as may be shown."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _line(start: str, text: str, end: str = "") -> Row:
    full, brief = (f"- {markdown_text(cut(start, most) + cut(text, most) + end)}" for most in (LONGEST, SHORT))
    return Row(full, brief)


def _start(check: CheckResult, exercise: ExerciseResult, most: int) -> str:
    title = markdown_text(f"{cut(exercise.slug, most)}: {cut(check.title, most)} ({worth(check)})")
    return f"**{VERDICTS[check.verdict]}** {title}\n"


def _details(check: CheckResult, exercise: ExerciseResult, most: int) -> list[str]:
    return [_item(label, cut(text, most)) for label, text in details(check, exercise).items() if text.strip()]


def _output(check: CheckResult, most: int) -> list[str]:
    """What the student's code printed: so many lines of it, and how many more there are."""
    if not check.output.strip():
        return []
    lines = check.output.rstrip().split("\n")
    label, shown = "your code printed", "\n".join(lines[:most])
    more = f"({count(len(lines) - most, 'more line')})" if len(lines) > most else ""
    if not shown.strip():
        return [f"- {label}: {more}"]
    return [_item(label, shown) + (f"\n\n  {more}" if more else "")]


def _item(label: str, text: str) -> str:
    """An item of a list: a line, or a block where there are several lines, which are code more often than not."""
    if "\n" not in text.strip("\n"):
        return f"- {label}: {markdown_text(text)}"
    block = markdown_block(log_text(text)).replace("\n", "\n  ")
    return f"- {label}:\n\n  {block}"
