"""The command `grade keygen`: a key for what students must not read, in a file of its own."""

import contextlib
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

    Exit code 0: made. 2: FILE can't be written, or is there already.
    """
    from graders.engine.deliver.seal import new_key

    key = new_key()
    text = f"# public key: {key.recipient}\n{key.identity}\n"
    try:
        # Never over a key that may be the only one to open what has been sealed, and never through a link.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise UsageError(
            f"{shown_path(file)} is there already; expected a new name, as no key is written over"
        ) from error
    except OSError as error:
        raise UsageError(f"{shown_path(file)} cannot be written ({error.strerror})") from error
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
    except OSError as error:
        with contextlib.suppress(OSError):
            file.unlink()
        raise UsageError(f"{shown_path(file)} cannot be written ({error.strerror})") from error
    typer.echo(key.recipient)
    typer.echo(
        log_text(f"{shown_path(file)} is the secret: keep a copy in a safe place, and out of every repository."),
        err=True,
    )
