"""The commands `grade gradebook ...`, gathered."""

import typer

from graders.engine.cli.gradebook.changing import add, course, init, marks, roster
from graders.engine.cli.gradebook.looking import check, log, show

gradebook = typer.Typer(
    name="gradebook",
    help="Keep the scores of a class in one file: roster, attempts, people's marks, late policy, and a log of changes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
for command in (init, course, roster, add, marks, show, check, log):
    gradebook.command()(command)
