"""Tests of the terminal report: one golden file for each situation a student can be in."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.text import Text

from graders.engine.judge.outcome import Verdict
from graders.engine.report.console import make_console, safe_text
from graders.engine.report.terminal import print_card
from graders.engine.score.card import Card
from tests.report.situations import BUILT, LONG, ROWS, SITUATIONS, blocked, check, every_verdict, one

Golden = Callable[[str, str, str], None]
GOLDEN = Path(__file__).parents[1] / "golden" / "terminal"
STEERING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]")
# Whatever steers rich from outside, so that a test sees only what it sets itself.
RICH = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS", "LINES")


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in RICH:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


def rendered(card: Card) -> str:
    file = io.StringIO()
    print_card(card, make_console(file))
    return file.getvalue()


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation(name: str, golden: Golden) -> None:
    golden("terminal", name, rendered(SITUATIONS[name]))


@pytest.mark.parametrize("columns", [24, 40, 80, 200])
def test_width(columns: int, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = rendered(one(check(BUILT), LONG, blocked(ROWS, LONG.title, 3), hidden=9))
    assert max(map(len, text.splitlines())) <= min(columns, 100)
    golden("terminal", f"columns_{columns}", text)


def test_colour(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = rendered(every_verdict())
    assert "\x1b[1;31mFAIL\x1b[0m" in text
    golden("terminal", "colour", text.replace("\x1b", "<ESC>"))


def test_no_colour(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    text = rendered(every_verdict())
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", text)
    golden("terminal", "no_colour", text.replace("\x1b", "<ESC>"))


def test_colour_is_never_the_only_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rendered(every_verdict())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert re.sub(r"\x1b\[[0-9;]*m", "", rendered(every_verdict())) == plain
    words = re.findall(r"^  (\S+|not run) +this_check_ends_with_(\w+)", plain, flags=re.MULTILINE)
    assert len(dict(words)) == len(Verdict)


@pytest.mark.parametrize("name", SITUATIONS)
def test_no_line_has_control_characters_or_blanks_at_its_end(name: str) -> None:
    text = rendered(SITUATIONS[name])
    assert not STEERING.search(text)
    assert not [line for line in text.split("\n") if line != line.rstrip()]


def test_a_todo_is_not_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31m" not in rendered(SITUATIONS["untouched"])


def test_text_that_the_terminal_cannot_encode_is_escaped() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    shown = safe_text("π \ud800", make_console(file))
    assert shown == Text(r"\u03c0 \ud800")


def test_every_golden_file_belongs_to_a_test() -> None:
    others = {"columns_24", "columns_40", "columns_80", "columns_200", "colour", "no_colour"}
    assert {path.stem for path in GOLDEN.iterdir()} == set(SITUATIONS) | others
