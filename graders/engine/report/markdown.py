"""A card in GitHub's Markdown: this module says what was found in a comment or a summary, and keeps to its limit.

Nothing in it depends on the time, so that a comment about the same findings stays the same. Whatever others wrote is
text or a block of code; all other signs are written here.
"""

from collections import Counter
from collections.abc import Callable, Iterable

from graders.engine.clean import markdown_text
from graders.engine.judge.outcome import Verdict
from graders.engine.report.fitting import Fitted, Row, fit, size
from graders.engine.report.markdown_rows import SHORT, cut, failing_row, mark_rows, note_rows, todo_rows
from graders.engine.report.next_step import next_step
from graders.engine.report.words import apology, evidence, figures, worst_first
from graders.engine.score.card import Card
from graders.engine.score.results import ExerciseResult

LEAST = 2000
MOST_SUMMARY_BYTES = 1_000_000
"""GitHub drops the summary of a step that is larger than 1 MiB; the rest is for what the step says besides."""
PRACTICE = "**This is practice, not the grade.**"
AGAIN = "run `make grade`"
OPEN_CHECKS = 3
"""So many failing checks stand open, and the others behind a line that unfolds them."""
FOLD = "<details>\n<summary>The other failing checks</summary>\n\n"
UNFOLD = "\n\n</details>"
TABLE = "| Exercise | Points | Checks |\n|---|---|---|\n"
PARAGRAPH = "\n\n"
ENDS = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.ERROR: "raised an error",
    Verdict.TIMEOUT: "ran out of time",
    Verdict.CRASHED: "crashed",
    Verdict.TODO: "to do",
    Verdict.BLOCKED: "not run yet",
    Verdict.WAITING: "for a person to grade",
    Verdict.MARKED: "marked by a person",
    Verdict.BROKEN: "broken, by no fault of yours",
}
"""How checks have ended, in the words of the table."""


def card_markdown(card: Card, limit: int) -> str:
    """Return what the card says, in so many bytes of UTF-8 at most. Raises ValueError for less than 2,000.

    The first line says whether this is practice or the grade. Where there is too much to say, the checks that cost
    least are left out, and counted; texts are shortened, and the rest of the sections likewise.
    """
    if limit < LEAST:
        raise ValueError(f"a card takes {LEAST} bytes of Markdown at least; got a limit of {limit}")
    first = f"{_what_this_is(card)} {_figures(card)}"
    if size(first) > limit // 2:  # figures that no course has
        return f"{_what_this_is(card)} The score card is too long for this place; {AGAIN}.\n"
    room = limit - size(first) - len("\n")
    parts: dict[str, str] = {}

    def add(name: str, part: Callable[[int], str], share: int) -> None:
        nonlocal room
        parts[name] = part(min(room, limit // share) - size(PARAGRAPH))
        room -= size(PARAGRAPH + parts[name]) if parts[name] else 0

    # What matters most is given room first; the failing checks have all that is left.
    add("next", lambda left: _one(_next_step(card), left), 8)
    add("table", lambda left: _table(card, left), 4)
    add("apology", lambda left: _one(Row(apology(card), ""), left), 8)
    add("todo", lambda left: _list("**Still to do**", todo_rows(card), left), 8)
    add("marks", lambda left: _list("**Marked by a person**", mark_rows(card), left), 8)
    add("objectives", lambda left: _objectives(card, left), 8)
    add("notes", lambda left: _list("**About the files**", note_rows(card), left), 16)
    add("failing", lambda left: _failing(card, left), 1)
    order = ("table", "apology", "failing", "todo", "marks", "notes", "objectives", "next")
    return PARAGRAPH.join([first, *(parts[name] for name in order if parts[name])]) + "\n"


def _what_this_is(card: Card) -> str:
    if not card.grader.hidden and card.withheld is None:
        return PRACTICE
    return f"**Graded: commit `{card.grader.commit[:7]}`.**" if card.grader.commit else "**Graded.**"


def _figures(card: Card) -> str:
    """The points in sentences: of the exercises, of the bonus, and together; or those of the visible checks."""
    return " ".join(f"{label}: {' '.join(text.split())}." for label, text in figures(card).items())


def _next_step(card: Card) -> Row:
    step = next_step(card)
    return Row(markdown_text(step), markdown_text(cut(step, SHORT)))


def _one(row: Row, room: int) -> str:
    return next((form for form in (row.full, row.brief) if size(form) <= room), "")


def _table(card: Card, room: int) -> str:
    rows = []
    for exercise in card.exercises:
        name = f"{exercise.slug}: {exercise.title}"
        ends = Counter(check.verdict for check in exercise.checks)
        cells = [
            _points(card, exercise),
            ", ".join(f"{ends[verdict]} {words}" for verdict, words in ENDS.items() if ends[verdict]),
        ]
        full, brief = (f"| {markdown_text(cut(name, most))}" for most in (len(name), SHORT))
        end = f"{' (bonus)' if exercise.bonus else ''} | {' | '.join(cells)} |"
        rows.append(Row(full + end, brief + end))
    found = fit(rows, len(rows), room - size(TABLE), lambda left: f"| and {left} more | | {AGAIN} |", "\n")
    return _joined(TABLE, found, "\n")


def _points(card: Card, exercise: ExerciseResult) -> str:
    """An exercise's points in a cell: out of what is listed, where the rest is withheld, or of all there is."""
    listed = sum(check.max_points for check in exercise.checks)
    if card.withheld:
        return f"{exercise.points}/{listed}" if listed else "not told here"
    hidden = exercise.max_points - listed
    return f"{exercise.points}/{exercise.max_points}{f' ({hidden} hidden)' if hidden else ''}"


def _list(heading: str, rows: Iterable[Row], room: int) -> str:
    start = f"{heading}{PARAGRAPH}"
    listed = list(rows)
    found = fit(listed, len(listed), room - size(start), lambda left: f"- and {left} more: {AGAIN}", "\n")
    return _joined(start, found, "\n")


def _objectives(card: Card, room: int) -> str:
    start = f"**Objectives**, by the {'checks' if card.grader.hidden else 'visible checks'} passed: "
    rows = []
    for objective in card.objectives:
        word, figures = evidence(objective)
        full, brief = (markdown_text(cut(objective.title, most)) for most in (len(objective.title), SHORT))
        rows.append(Row(f"{full}: {word} ({figures})", f"{brief}: {word} ({figures})"))
    return _joined(start, fit(rows, len(rows), room - size(start), lambda left: f"and {left} more", "; "), "; ")


def _failing(card: Card, room: int) -> str:
    """The failing checks, the worst first: some openly, the others folded away."""
    start = f"**To mend, the worst first**{PARAGRAPH}"
    worst = worst_first(card)
    rows = (failing_row(exercise, check) for exercise, check in worst)
    found = fit(
        rows, len(worst), room - size(start + FOLD + UNFOLD), lambda left: f"and {left} more: {AGAIN}", PARAGRAPH
    )
    folded = PARAGRAPH.join(found.rows[OPEN_CHECKS:])
    shown = found.rows[:OPEN_CHECKS] + ((FOLD + folded + UNFOLD,) if folded else ())
    return _joined(start, Fitted(shown, found.more), PARAGRAPH)


def _joined(start: str, found: Fitted, between: str) -> str:
    return start + between.join([*found.rows, *filter(None, [found.more])]) if found else ""
