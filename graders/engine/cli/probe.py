"""The command `probe`: which layers of the sandbox this machine has, and what code could do behind each alone."""

import platform
from contextlib import closing
from typing import TYPE_CHECKING

import typer

from graders.engine.cli.common import ALL_PASSED, NO_SANDBOX
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.layers import LAYERS, Report

if TYPE_CHECKING:
    from rich.console import Console

MEMORY_MIB = 1024
WIDTH = max(map(len, LAYERS)) + 2


def probe() -> None:
    """Show which layers of the sandbox this machine has.

    Workers restrict themselves, by one layer at a time and by all, and try what they must not do. What each layer
    leaves open by itself is shown beside it.

    Exit code 0: every layer holds, and hidden checks can run. 4: one is missing.
    """
    from graders.engine.report.console import make_console
    from graders.engine.run.supply import start_supply, try_out

    with closing(start_supply(Isolation(Mode.PRACTICE))) as supply:
        whole = try_out(supply, MEMORY_MIB)
        alone = {}
        for layer in LAYERS:
            supply.isolation = Isolation(Mode.PRACTICE, (layer,))
            alone[layer] = try_out(supply, MEMORY_MIB)
    console = make_console()
    _print_line("machine", f"{platform.system()} {platform.release()}, {platform.machine()}", console)
    _print_line("runs as", whole.user, console)
    console.print()
    for layer in LAYERS:
        _print_layer(layer, whole, alone[layer], console)
    _print_line("together", f"a worker could {_what(whole)}", console)
    console.print()
    _print_line("readable", ", ".join(whole.readable) or "whatever the user can read", console)
    strict = "refused, exit code 4" if whole.missing else "possible"
    console.print()
    _print_line("strict", f"(hidden checks, other people's code) {strict}", console)
    _print_line("practice", "(your own code, visible checks) possible", console)
    raise typer.Exit(NO_SANDBOX if whole.missing else ALL_PASSED)


def _print_layer(layer: str, whole: Report, alone: Report, console: "Console") -> None:
    if layer in whole.missing:
        _print_line(layer, f"MISSING: {whole.missing[layer]}", console)
        return
    version = f", ABI {whole.landlock_abi}" if layer == "landlock" else ""
    _print_line(layer, f"holds{version}; alone, a worker could {_what(alone)}", console)


def _what(report: Report) -> str:
    """What was not refused, in words."""
    return ", ".join(report.possible) or "do nothing of what is tried"


def _print_line(start: str, text: str, console: "Console") -> None:
    from rich.text import Text

    from graders.engine.report.console import print_hanging, safe_text

    print_hanging(console, Text(f"{start:<{WIDTH}}"), safe_text(text, console))
