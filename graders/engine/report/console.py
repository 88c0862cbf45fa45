"""Printing on a terminal of any width: hanging indents, and text that cannot steer the terminal or a workflow."""

import os
import sys
from typing import TextIO

from rich.console import Console
from rich.text import Text

from graders.engine.clean import command_place, terminal_text

WIDEST = 100


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
    """``text`` with nothing in it that could steer a terminal, and what it cannot encode as an escape."""
    return Text(terminal_text(text).encode(console.encoding, "backslashreplace").decode(console.encoding))


def _without_command(line: Text) -> Text:
    place = command_place(line.plain)
    if place is None:
        return line
    before, after = line.divide([place])
    return Text.assemble(before, " ", after)
