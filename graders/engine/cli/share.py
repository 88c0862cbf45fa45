"""The command `grade share`: a whole card becomes one that others may read, and one that only the key opens."""

import os
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course
from graders.engine.errors import UsageError, shown_path


def share(
    card: Annotated[Path, typer.Argument(metavar="CARD", help="A score card that `grade --json` wrote.")],
    json: Annotated[
        Path, typer.Option(metavar="FILE", dir_okay=False, help="Where the card goes that others may read.")
    ],
    sealed: Annotated[
        Path | None,
        typer.Option("--sealed", metavar="FILE", dir_okay=False, help="Where the whole card goes, sealed to the key."),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Leave out of a card what grading.yaml keeps from the public, and seal the whole one for the staff.

    Exit code 0: written. 2: nothing was, since CARD is no card, or there is nobody to seal it to.
    """
    from graders.engine.cli.card_file import read_card
    from graders.engine.cli.files import write_output
    from graders.engine.deliver.release.tree import read_release
    from graders.engine.deliver.seal import padded, seal
    from graders.engine.score.card import card_to_json
    from graders.engine.score.sharing import share as share_card

    _require_apart(card, json, sealed)
    place, rubric = open_course(course)
    whole = read_card(card)
    shared = share_card(whole, rubric.post.hidden)
    # First, since a card that only others may read is of no use to the staff.
    if sealed is not None:
        release = read_release(place.root)
        if release is None or release.recipient is None:
            raise UsageError(
                f"--sealed: {shown_path(place.root)} names nobody to seal to; run this in the course that `grade "
                "release DIR --recipient AGE` wrote, or give --course DIR"
            )
        # Its length, which everybody can read, would tell how much student code has printed in hidden checks.
        write_output(sealed, seal(padded(card_to_json(whole).encode("utf-8")), release.recipient), "--sealed")
    write_output(json, card_to_json(shared).encode("utf-8"), "--json")
    left_out = shared.withheld
    typer.echo(log_text(f"Wrote {shown_path(json)}; {left_out.checks if left_out else 0} checks are left out of it."))


def _require_apart(card: Path, json: Path, sealed: Path | None) -> None:
    """Raise UsageError where one file would be written over another: the whole card is needed until both are there."""
    places = {"CARD": card, "--json": json, **({"--sealed": sealed} if sealed is not None else {})}
    taken: dict[str, str] = {}
    for name, path in places.items():
        real = os.path.realpath(path)
        if real in taken:
            raise UsageError(f"{name} {shown_path(path)} is the same file as {taken[real]}; expected one of its own")
        taken[real] = name
