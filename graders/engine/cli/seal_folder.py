"""The commands `grade seal-folder` and `grade unseal-folder`: a class, or a part of it, where everybody may see it."""

from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption
from graders.engine.cli.unseal import KeyOption, identity_from
from graders.engine.errors import UsageError, shown_path

MOST_BYTES = 2 * 1024**3


def seal_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="What is to be sealed.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", dir_okay=False, help="Where the sealed folder goes.")],
    recipient: Annotated[
        str | None,
        typer.Option(
            metavar="AGE", help="Who can open it, as `grade keygen` prints; without it, whom the course names."
        ),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Pack a folder into one file that only the key opens: a class holds whole cards, and a sweep names students.

    Exit code 0: written. 2: nothing was, since there is nobody to seal it to, or the folder can't be read.
    """
    from graders.engine.cli.files import write_output
    from graders.engine.deliver.packed_folder import pack_folder
    from graders.engine.deliver.release.tree import read_release
    from graders.engine.deliver.seal import seal
    from graders.engine.load.course import find_course

    if not recipient:
        place = find_course(course)
        release = read_release(place.root)
        if release is None or release.recipient is None:
            raise UsageError(
                f"{shown_path(place.root)} names nobody to seal to; give --recipient AGE, as `grade keygen` prints it"
            )
        recipient = release.recipient
    write_output(out, seal(pack_folder(folder), recipient), "--out")
    typer.echo(log_text(f"Sealed {shown_path(folder)} into {shown_path(out)}"))


def unseal_folder(
    sealed: Annotated[Path, typer.Argument(metavar="SEALED", help="A folder as `grade seal-folder` wrote it.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")],
    key: KeyOption = None,
) -> None:
    """Open a sealed folder: it becomes one again, with the same files.

    Exit code 0: written. 2: it can't be opened with this key, or DIR is there already.
    """
    from graders.engine.cli.files import read_at_most
    from graders.engine.deliver.packed_folder import unpack_folder
    from graders.engine.deliver.seal import unseal

    number = unpack_folder(unseal(read_at_most(sealed, MOST_BYTES), identity_from(key)), folder)
    typer.echo(log_text(f"Opened into {shown_path(folder)}: files: {number}"))
