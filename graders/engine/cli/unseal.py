"""The commands `grade unseal` and `grade unseal-card`: open what a release or a graded course has sealed."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption
from graders.engine.cli.files import read_at_most, write_output
from graders.engine.errors import CourseError, UsageError, shown_path

VARIABLE = "GRADING_KEY"
MOST_BYTES, MOST_KEY_BYTES = 64 * 1024 * 1024, 64 * 1024
"""Of what is sealed, and of the file of a key."""

KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--key", metavar="FILE", help=f"The identity that `grade keygen` wrote; without it, the variable {VARIABLE}."
    ),
]


def unseal(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that is not there yet, outside of the course.")
    ],
    key: KeyOption = None,
    course: CourseOption = None,
) -> None:
    """Write the course with its hidden checks into a new folder, for `grade --hidden --course DIR`.

    Exit code 0: written. 2: nothing was, since the key or the folder does not fit. 3: the hidden checks do not belong
    to the visible ones here.
    """
    from graders.engine.deliver.release.bundle import differing, require_released, unpack
    from graders.engine.deliver.release.placing import write_new
    from graders.engine.deliver.release.record import BUNDLE
    from graders.engine.deliver.release.tree import read_release
    from graders.engine.deliver.seal import unseal as open_sealed
    from graders.engine.load.course import find_course

    place = find_course(course)
    released = read_release(place.root)
    if released is None:
        raise UsageError(
            f"{shown_path(place.root)} is no released course; run this in the repository that students fork, or give "
            "--course DIR"
        )
    _require_new(folder, place.root)
    bundle = read_at_most(place.root / BUNDLE, MOST_BYTES)
    identity = identity_from(key)
    require_released(bundle, released)
    files = unpack(open_sealed(bundle, identity))
    others = differing(files, place.root, released.files)
    if others:
        names = "".join(f"\n  {path}" for path in others)
        raise CourseError(
            f"these are not what the hidden checks in {BUNDLE} were released with:{names}\n"
            "release again from upstream with --overwrite, or get the released files back"
        )
    write_new(folder, files)
    typer.echo(log_text(f"Opened into {shown_path(folder)}; grade with --hidden --course {shown_path(folder)}"))


def unseal_card(
    sealed: Annotated[Path, typer.Argument(metavar="SEALED", help="A card as `grade share --sealed` wrote it.")],
    json: Annotated[Path, typer.Option(metavar="FILE", dir_okay=False, help="Where the card goes.")],
    key: KeyOption = None,
) -> None:
    """Open a sealed score card.

    Exit code 0: written. 2: it can't be opened with this key, or FILE can't be written.
    """
    from pydantic import ValidationError

    from graders.engine.deliver.seal import unseal as open_sealed
    from graders.engine.score.card import card_from_json, card_to_json

    opened = open_sealed(read_at_most(sealed, MOST_BYTES), identity_from(key))
    try:
        card = card_from_json(opened.decode("utf-8"))
    except (UnicodeDecodeError, ValidationError) as error:
        raise UsageError(f"what {shown_path(sealed)} holds is no score card of this version") from error
    write_output(json, card_to_json(card).encode("utf-8"), "--json")
    typer.echo(log_text(f"wrote {shown_path(json)}"))


def identity_from(path: Path | None) -> str:
    """Return the key's text, which may not be one yet."""
    if path is not None:
        try:
            return read_at_most(path, MOST_KEY_BYTES).decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"--key {shown_path(path)} is no text; expected the file that `grade keygen` wrote"
            ) from error
    held = os.environ.get(VARIABLE, "")
    if not held.strip():
        raise UsageError(f"there is no key: expected --key FILE, or the identity in the variable {VARIABLE}")
    return held


def _require_new(folder: Path, tree: Path) -> None:
    """Raise UsageError for a folder that is there, or from which a commit would take private files along."""
    if os.path.lexists(folder):
        raise UsageError(f"{shown_path(folder)} is there already; expected the name of a new folder")
    if not os.path.isdir(folder.absolute().parent):
        raise UsageError(f"there is no folder {shown_path(folder.absolute().parent)}; make it first")
    if Path(os.path.realpath(tree)) in Path(os.path.realpath(folder)).parents:
        raise UsageError(
            f"{shown_path(folder)} lies in the course, where a commit could take it along; give one outside"
        )
