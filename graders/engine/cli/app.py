"""The command `grade`: hands the arguments to the command they are for, and turns the end into an exit code.

The engine's parts are imported inside the commands, since torch takes more than a second: the worker host starts first
and imports it while this process does, and `--help` needs none of it.
"""

import gc
import os
import sys
import traceback
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from graders import __version__
from graders.engine.clean import log_text
from graders.engine.cli.class_ import class_
from graders.engine.cli.export import export
from graders.engine.cli.export_autograder import export_autograder
from graders.engine.cli.fetch import fetch
from graders.engine.cli.grade import grade
from graders.engine.cli.gradebook.app import gradebook
from graders.engine.cli.keygen import keygen
from graders.engine.cli.lint import lint
from graders.engine.cli.mark import mark
from graders.engine.cli.merge import merge
from graders.engine.cli.new import new
from graders.engine.cli.notebook import notebook
from graders.engine.cli.post import post
from graders.engine.cli.probe import probe
from graders.engine.cli.release import release
from graders.engine.cli.report import report
from graders.engine.cli.resolve import resolve
from graders.engine.cli.run_autograder import run_autograder
from graders.engine.cli.seal_folder import seal_folder, unseal_folder
from graders.engine.cli.share import share
from graders.engine.cli.sweep import sweep
from graders.engine.cli.unseal import unseal, unseal_card
from graders.engine.errors import (
    GRADERS_FAULT,
    NO_SANDBOX,
    NOTHING_GRADED,
    CourseError,
    SandboxError,
    ServiceError,
    SubmissionError,
    UsageError,
)

NEW_OBJECTS = 200_000
"""How many of them may come before Python looks for garbage. By its own measure it would do so hundreds of times while
torch is imported, in more and more objects, and find none: a sixth of a short run, or more."""


# Commands by whom they are for, as `--help` lists them.
COMMANDS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "For everybody": {"grade": grade, "export": export, "probe": probe},
    "For whoever runs a course": {
        "class": class_, "merge": merge, "mark": mark, "gradebook": gradebook, "report": report, "sweep": sweep,
        "keygen": keygen, "release": release, "unseal-card": unseal_card, "unseal-folder": unseal_folder,
        "export-autograder": export_autograder,
    },
    "For whoever writes exercises": {"lint": lint, "new": new, "notebook": notebook},
    "For workflows and other machines": {
        "resolve": resolve, "fetch": fetch, "unseal": unseal, "seal-folder": seal_folder, "share": share, "post": post,
        "run-autograder": run_autograder,
    },
}  # fmt: skip


class GradeByDefault(TyperGroup):
    """Lets `grade exercises/` stand for `grade grade exercises/`, and lists the commands by whom they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one list for each kind of user."""
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(80)) for name in commands])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command `grade` in front of arguments that begin with no command."""
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "--version")):
            args = ["grade", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=GradeByDefault,
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False,
) -> None:
    """Grade exercises on positional embeddings, and keep their graders honest."""


for commands in COMMANDS.values():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)


def main() -> None:
    """Run the command line; whatever ends it ends in one readable message and an exit code."""
    _open_standard_streams()
    gc.set_threshold(NEW_OBJECTS)
    if sys.flags.optimize:
        _end("Nothing was done: Python leaves out assert statements, and checks are made of them. Unset PYTHONOPTIMIZE "
             "and leave out -O.", NOTHING_GRADED)  # fmt: skip
    try:
        app()
    except UsageError as error:
        _end(f"Nothing was done: {error}", NOTHING_GRADED)
    except SubmissionError as error:
        _end(f"Nothing was graded: {error}", NOTHING_GRADED)
    except ServiceError as error:
        _end(f"Nothing was done: {error}", GRADERS_FAULT)
    except SandboxError as error:
        _end(f"Not graded: sandbox. No student code ran, and no card was written.\n{error}", NO_SANDBOX)
    except CourseError as error:
        _end(f"The course needs mending:\n{error}", GRADERS_FAULT)
    except Exception as error:
        # Not foreseen, and so ours: never an exit code that says something about the submission.
        if "--trace" in sys.argv:
            traceback.print_exc()
        _end(f"The grader failed, by its own fault ({type(error).__name__}: {error}). Please tell the course staff; "
             "--trace shows where.", GRADERS_FAULT)  # fmt: skip


def _end(message: str, code: int) -> NoReturn:
    try:
        typer.echo(log_text(message), err=True)
    except OSError:
        # Nobody can be told, and Python would try once more at its end; the exit code still says it.
        os._exit(code)
    sys.exit(code)


def _open_standard_streams() -> None:
    """See that the numbers 0 to 2 are taken: what is opened in their place would be overwritten in a worker."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
