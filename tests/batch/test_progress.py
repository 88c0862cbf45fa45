"""Tests of what is shown while a class is graded: an estimate that counts only what was graded now."""

import io

from rich.console import Console

from graders.engine.batch.progress import LINE_SECONDS, Bar, Lines, Pace
from tests.command_line import Stream


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_estimate_counts_only_what_was_graded_now() -> None:
    clock = Hands()
    pace = Pace(clock)
    pace.students = 100
    for _ in range(50):
        pace.step(graded=False)
    assert pace.left() == ""
    clock.now = 20.0
    for _ in range(10):
        pace.step(graded=True)
    assert pace.left() == "about 80 s left"
    clock.now = 100.0
    assert pace.left() == "about 7 min left"
    for _ in range(40):
        pace.step(graded=True)
    assert pace.left() == ""


def test_a_log_gets_a_line_now_and_then_and_each_failure() -> None:
    clock, stream = Hands(), Stream()
    with Lines(stream, clock) as lines:
        lines.expect(3)
        clock.now = LINE_SECONDS
        lines.advance_by_grading()
        lines.advance()
        lines.put_off("killed\n::error::by \x1b[31mnobody")
        clock.now = 2 * LINE_SECONDS
        lines.advance_by_grading()
    assert stream.text().splitlines() == [
        "A class of 3",
        "1 of 3 done, about 60 s left",
        "One failed and is tried again at the end: killed",
        ": :error::by \\x1b[31mnobody",
        "3 of 3 done",
    ]


def test_a_terminal_gets_a_bar() -> None:
    printed = io.StringIO()
    with Bar(Console(file=printed, force_terminal=True, width=80)) as bar:
        bar.expect(2)
        bar.advance()
        bar.put_off("[bold]killed")
        bar.advance_by_grading()
    assert "2/2" in printed.getvalue()
    assert "One failed and is tried again at the end: [bold]killed" in printed.getvalue()
