"""The kill matrix: this module prints, for one exercise, which check catches which answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from graders.engine.judge.outcome import Verdict
from graders.engine.report.console import WIDEST, print_hanging, safe_text

NO_VERDICT = "?"
MARKS = {
    Verdict.PASS: ".",
    Verdict.FAIL: "F",
    Verdict.ERROR: "F",
    Verdict.TIMEOUT: "F",
    Verdict.CRASHED: "F",
    Verdict.TODO: "T",
    Verdict.BLOCKED: "-",
    Verdict.WAITING: "W",
    Verdict.MARKED: "M",
    Verdict.BROKEN: "B",
}
MEANINGS = {
    ".": "passes",
    "F": "fails, raises, hangs or crashes",
    "T": "not written yet",
    "-": "not run, since a check that it needs did not pass",
    "W": "waits for a person",
    "M": "was marked by a person",
    "B": "the check itself is broken",
    NO_VERDICT: "no verdict came",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One answer, the verdict of each check on it, and what is wrong with that, if anything."""

    name: str
    verdicts: Mapping[str, Verdict]
    problem: str = ""


def print_matrix(slug: str, checks: Sequence[str], rows: Sequence[Row], console: Console) -> None:
    """Print a line for each answer and a numbered column for each check, then what numbers and marks mean.

    Columns that do not fit side by side come in several blocks; a row's problem stands in the first.
    Raises ``ValueError`` for a verdict on a check that is not among ``checks``.
    """
    for row in rows:
        strangers = [check for check in row.verdicts if check not in checks]
        if strangers:
            raise ValueError(f"{slug}: {row.name} has verdicts on unknown checks: {', '.join(strangers)}")
    print_hanging(console, Text(), Text(f"{slug}: which check catches which answer", "bold"))
    console.print()
    width = min(console.width, WIDEST)
    cell = len(str(len(checks))) + 1
    # Two places for the mark of a problem; a long name may take half of the line and goes on below.
    names = min(max((len(row.name) for row in rows), default=0), width // 2)
    columns = max((width - names - 2) // cell, 1)
    for start in range(0, len(checks), columns):
        _print_block(range(start, min(start + columns, len(checks))), checks, rows, names, cell, console)
        console.print()
    _print_legend(checks, rows, cell, console)


def _print_block(
    columns: range, checks: Sequence[str], rows: Sequence[Row], names: int, cell: int, console: Console
) -> None:
    numbers = "".join(f"{column + 1:>{cell}}" for column in columns)
    console.print(Text(" " * (names + 2) + numbers, "dim"), soft_wrap=True)
    for row in rows:
        name, *rest = safe_text(row.name, console).wrap(console, max(names, 1), overflow="fold") or [Text()]
        line = Text.styled("! ", "bold red") if row.problem else Text("  ")
        line += name + Text(" " * (names - name.cell_len))
        for column in columns:
            mark = _mark(row, checks[column])
            line += Text(f"{mark:>{cell}}", "dim" if mark in ".-" else "bold")
        console.print(line, soft_wrap=True)
        for part in rest:
            console.print(Text("  ") + part, soft_wrap=True)
        if row.problem and columns.start == 0:
            print_hanging(console, Text("    "), safe_text(row.problem, console))


def _mark(row: Row, check: str) -> str:
    verdict = row.verdicts.get(check)
    return NO_VERDICT if verdict is None else MARKS[verdict]


def _print_legend(checks: Sequence[str], rows: Sequence[Row], cell: int, console: Console) -> None:
    for number, check in enumerate(checks, start=1):
        print_hanging(console, Text.styled(f" {number:>{cell}}  ", "dim"), safe_text(check, console))
    console.print()
    used = {_mark(row, check) for row in rows for check in checks}
    for mark, meaning in MEANINGS.items():
        if mark in used:
            print_hanging(console, Text.styled(f" {mark:>{cell}}  ", "bold"), Text(meaning))
    if any(row.problem for row in rows):
        print_hanging(console, Text.styled(f" {'!':>{cell}}  ", "bold red"), Text("not as expected"))
