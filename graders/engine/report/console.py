"""Printing on a terminal of any width: hanging indents, and text that cannot steer the terminal or a workflow."""

import os
import sys
import unicodedata
from typing import TextIO

from rich.console import Console
from rich.text import Text

WIDEST = 100
# Unicode's control, format (among them right-to-left overrides), surrogate, line and paragraph characters.
STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def make_console(file: TextIO | None = None) -> Console:
    """A console that takes text as it is: no markup, no emoji names, no colouring of numbers by guess."""
    return _Patient(file=file or sys.stdout, markup=False, emoji=False, highlight=False)


class _Patient(Console):
    """A console that goes on when nobody reads any more: the exit code is about the work, not about the terminal."""

    def on_broken_pipe(self) -> None:
        """Print to nowhere from now on, and end nothing."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_hanging(console: Console, start: Text, body: Text) -> None:
    """Print ``body`` after ``start``; each further line begins under the first letter of ``body``."""
    # At least a few letters a line, even where the start alone fills the terminal.
    room = max(min(console.width, WIDEST) - start.cell_len, 8)
    for line in body.wrap(console, room, overflow="fold") or [Text()]:
        whole = start + line
        whole.rstrip()
        console.print(_without_command(whole), soft_wrap=True)
        start = Text(" " * start.cell_len)


def safe_text(text: str, console: Console) -> Text:
    """``text`` with every character that could steer a terminal, or that it cannot encode, as an escape."""
    # "##[" anywhere in a line is a command to the machines that run workflows, as "::" at its start is.
    letters = text.replace("\r\n", "\n").replace("\t", "    ").replace("##[", "## [")
    shown = "".join(_escaped(letter) if _steers(letter) else letter for letter in letters)
    return Text(shown.encode(console.encoding, "backslashreplace").decode(console.encoding))


def _without_command(line: Text) -> Text:
    """The line, with a blank inside a "::" that would start it: workflows obey lines that start so."""
    if not line.plain.lstrip().startswith("::"):
        return line
    before, after = line.divide([line.plain.index("::") + 1])
    return Text.assemble(before, " ", after)


def _steers(letter: str) -> bool:
    return letter != "\n" and unicodedata.category(letter) in STEERING


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
