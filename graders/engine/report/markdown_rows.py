"""What Markdown says of single checks: each row is whole in itself, and nothing in it ends what stands around it."""

from collections.abc import Iterator
from itertools import islice

from graders.engine.clean import log_text, markdown_block, markdown_text
from graders.engine.judge.outcome import Verdict
from graders.engine.report.fitting import Row
from graders.engine.report.words import VERDICTS, count, mark_in_words, place, worth
from graders.engine.score.card import Card
from graders.engine.score.results import CheckResult, ExerciseResult

LONGEST, SHORT = 2000, 160
"""Of one text, in full and in brief."""
OUTPUT_LINES = 5


def failing_row(exercise: ExerciseResult, check: CheckResult) -> Row:
    """Return what a failing check says: verdict, title and points, and below it what it expected, got and advises."""
    output = "\n".join(islice(check.output.rstrip().split("\n"), OUTPUT_LINES))
    full = [*_details(check, exercise, LONGEST), *([_item("your code printed", output)] if output.strip() else [])]
    return Row(
        "\n".join([_start(check, exercise, LONGEST), *full]),
        "\n".join([_start(check, exercise, SHORT), *_details(check, exercise, SHORT)]),
    )


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
    words = {"expected": check.expected, "got": check.got, "hint": check.hint, "at": place(check, exercise)}
    return [_item(label, cut(text, most)) for label, text in words.items() if text.strip()]


def _item(label: str, text: str) -> str:
    """An item of a list: a line, or a block where there are several lines, which are code more often than not."""
    if "\n" not in text.strip("\n"):
        return f"- {label}: {markdown_text(text)}"
    block = markdown_block(log_text(text)).replace("\n", "\n  ")
    return f"- {label}:\n\n  {block}"
