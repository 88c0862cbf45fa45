"""Tests of the kill matrix: marks, numbered columns, problems, and narrow terminals."""

import io
from collections.abc import Callable

import pytest

from graders.engine.judge.outcome import Verdict
from graders.engine.report.console import make_console
from graders.engine.report.matrix import MARKS, MEANINGS, Row, print_matrix

Golden = Callable[[str, str, str], None]
CHECKS = ("constructor", "position_rows", "longest_sequence", "unused_rows")
MARKED = {mark: verdict for verdict, mark in reversed(MARKS.items())}


def row(name: str, marks: str, problem: str = "") -> Row:
    """A row whose verdicts are given by their marks; ``?`` leaves one out."""
    verdicts = {check: MARKED[m] for check, m in zip(CHECKS, marks, strict=True) if m != "?"}
    return Row(name, verdicts, problem)


ROWS = (
    row("reference", "...."),
    row("right/with_arange", "...."),
    row("stub", "T---"),
    row("positions_from_one", ".FF."),
    row("shared_table", "...F", "it should fail position_rows, which passes"),
    row("odd", "WB?.", "[red]a check[/red] is\x1b[31m broken"),
)


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


def rendered(checks: tuple[str, ...], rows: tuple[Row, ...]) -> str:
    file = io.StringIO()
    print_matrix("ex02_token_pos", checks, rows, make_console(file))
    return file.getvalue()


def test_matrix(golden: Golden) -> None:
    golden("matrix", "all_marks", rendered(CHECKS, ROWS))


def test_many_checks_in_a_narrow_terminal(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    checks = tuple(f"check_number_{number}_has_a_rather_long_name" for number in range(1, 16))
    late = dict.fromkeys(checks, Verdict.PASS) | {checks[9]: Verdict.FAIL, checks[14]: Verdict.TIMEOUT}
    rows = (
        Row("reference", dict.fromkeys(checks, Verdict.PASS)),
        Row("the_name_of_this_answer_is_longer_than_the_half", late, "it should fail no check"),
    )
    text = rendered(checks, rows)
    assert max(map(len, text.splitlines())) <= 40
    golden("matrix", "narrow", text)


def test_without_rows(golden: Golden) -> None:
    golden("matrix", "no_rows", rendered(CHECKS, ()))


def test_a_verdict_on_an_unknown_check_is_refused() -> None:
    stranger = Row("odd", {"rows_swapped": Verdict.FAIL})
    with pytest.raises(ValueError, match="odd has verdicts on unknown checks: rows_swapped"):
        rendered(CHECKS, (stranger,))


def test_every_verdict_has_a_mark_with_a_meaning() -> None:
    assert set(MARKS) == set(Verdict)
    assert set(MARKS.values()) < set(MEANINGS)
