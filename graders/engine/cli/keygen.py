"""The command `grade keygen`: a key for what students must not read, in a file of its own."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.errors import UsageError, shown_path


def keygen(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the secret half goes: a file that is not there.")],
) -> None:
    """Make a key. The secret half goes into FILE, and the public half, for `grade release`, to standard output.

    Exit code 0: made. 2: FILE can't be written, is there already, or would lie in a git repository.
    """
    from graders.engine.cli.files import reason, write_secret
    from graders.engine.deliver.seal import new_key

    _require_outside(file)
    key = new_key()
    try:
        # Never over a key that may be the only one to open what has been sealed, and never through a link.
        write_secret(file, f"# public key: {key.recipient}\n{key.identity}\n".encode())
    except FileExistsError as error:
        raise UsageError(
            f"{shown_path(file)} is there already; expected a new name, as no key is written over"
        ) from error
    except OSError as error:
        raise UsageError(f"{shown_path(file)} cannot be written: {reason(error)}") from error
    typer.echo(key.recipient)
    typer.echo(
        log_text(f"{shown_path(file)} is the secret: keep a copy in a safe place, and out of every repository."),
        err=True,
    )


def _require_outside(file: Path) -> None:
    """Raise UsageError for a file that a commit could take along."""
    folder = file.absolute().parent
    for around in (folder, *folder.parents, *Path(os.path.realpath(folder)).parents):
        if os.path.lexists(around / ".git"):
            raise UsageError(
                f"{shown_path(file)} would lie in the git repository {shown_path(around)}, where a commit could take "
                "it along; expected a file outside of every repository"
            )
