"""The command `grade merge`: the parts of a class, graded on several machines, become one class folder."""

from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.class_out import writing_class
from graders.engine.errors import first_of, shown_path

MOST_NAMED = 10


def merge(
    parts: Annotated[
        list[Path], typer.Argument(metavar="PART...", help="Class folders that `grade class --shard` wrote.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", file_okay=False, help="The class folder to write.")],
) -> None:
    """Join the parts of a class into DIR, as one machine would have graded it.

    The parts need the same course, seed and options; the message says which differ. Shards that are missing are named.

    Exit code 0: joined, all shards of it. 1: joined, and shards are missing. 2: what was given does not fit together.
    3: a card in one of the parts is damaged.
    """
    from graders.engine.batch.folder import clear_drafts
    from graders.engine.batch.merging import merge_parts

    with writing_class(out):
        clear_drafts(out)
        merged = merge_parts(parts, out)
    typer.echo(log_text(f"Joined in {shown_path(out)}: {len(parts)} parts, {merged.students} students"))
    if merged.missing:
        named = ", ".join(first_of([str(number) for number in merged.missing], MOST_NAMED))
        typer.echo(log_text(f"Missing: shard {named}. Merge again with all of them when they are there"), err=True)
        raise typer.Exit(1)
