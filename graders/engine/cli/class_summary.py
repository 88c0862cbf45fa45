"""What `grade class` says at its end: how it went, who has no card and why, what changed, and what comes next."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graders.engine.clean import one_line
from graders.engine.errors import first_of, shown_path

if TYPE_CHECKING:
    from graders.engine.batch.keeper import Tally
    from graders.engine.batch.plan import Plan

MOST_LINES = 10
LONGEST_REASON = 300


def summary(plan: "Plan", tally: "Tally", out: Path) -> Iterator[str]:
    """Yield the lines; texts of students are still to be made harmless for where they are printed."""
    from graders.engine.batch.changes import counted
    from graders.engine.batch.class_run import HANDED_IN_NOTHING

    whole = tally.graded + tally.kept + len(tally.nothing) + len(tally.faults)
    part = "" if plan.settings.shard is None else f" in shard {plan.settings.shard.number}/{plan.settings.shard.of}"
    yield (
        f"{tally.graded + tally.kept} of {whole} students{part} have a card: {tally.graded} graded now, "
        f"{tally.kept} kept as they are"
    )
    if tally.changes:
        yield f"Changes: {counted(tally.changes)}"
    yield from _changes(tally)
    silent = sorted(one_line(student) for student, words in tally.nothing if words == HANDED_IN_NOTHING)
    if silent:
        yield f"Nothing handed in: {len(silent)} of the roster: {', '.join(first_of(silent, MOST_LINES))}"
    yield from _reasons("Nothing to grade", [each for each in tally.nothing if each[1] != HANDED_IN_NOTHING])
    yield from _reasons("The grader or its machine failed, also at a second try; run the command again", tally.faults)
    if tally.broken:
        yield "Checks that failed by their own fault, and earn their points until they are mended:"
        yield from first_of([f"  {check}: {count} cards" for check, count in tally.broken.most_common()], MOST_LINES)
    yield from _absent(plan, out)
    yield f"Next: grade report {shown_path(out)} --html report/"


def _changes(tally: "Tally") -> Iterator[str]:
    from graders.engine.batch.changes import told, worth_telling

    rows = [told(change) for change in worth_telling(tally.changes)]
    if not rows:
        return
    width = min(40, max(len(one_line(row[0])) for row in rows))
    lines = [f"  {one_line(name):{width}}  {before:>4} -> {after:<4}  {why}" for name, before, after, why in rows]
    yield f"Cards that were there before: {len(rows)}"
    yield from first_of(lines, MOST_LINES)


def _reasons(title: str, reasons: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not reasons:
        return
    yield f"{title}: {len(reasons)}"
    lines = [f"  {one_line(student)}: {_short(words)}" for student, words in sorted(reasons)]
    yield from first_of(lines, MOST_LINES)


def _short(words: str) -> str:
    """The reason on one line; how a submission should look, which it ends with, is the same for all."""
    line = one_line(" ".join(words.partition("\nExpected ")[0].split()))
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"


def _absent(plan: "Plan", out: Path) -> Iterator[str]:
    """Yield who is in the folder and not in the source: nobody's card is deleted for that."""
    from graders.engine.batch.folder import others_in

    present = {handed_in.student for handed_in in plan.handed_in} | set(plan.missing)
    absent = [one_line(student) for student in others_in(out, present)]
    if absent:
        names = ", ".join(first_of(absent, MOST_LINES))
        yield f"No more among what was handed in, and left as they are in {shown_path(out)}: {names}"
