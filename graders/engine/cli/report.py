"""The command `grade report`: pages of a whole class to read in a browser, without a network."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.errors import UsageError, shown_path

LIBRARIES = ("jinja2", "vl_convert")


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A class folder, which `grade class` or `grade merge` wrote.")
    ],
    html: Annotated[
        Path, typer.Option(metavar="OUT", help="The folder to write: index.html, and in students/ a page for each.")
    ],
    gradebook: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The gradebook, for attempts, and for the scores that count.")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The roster, for names, sections, and who handed in nothing.")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Make one page for the class to see: nobody is named or quoted.")
    ] = False,
) -> None:
    """Make pages of a graded class: where it stands, where it is stuck, what needs a person, and everybody's work.

    They open in any browser, without a network. They are for the staff: names, hidden checks and answers are on them.

    Exit code 0: written. 2: what was typed does not fit. 3: the class folder or the gradebook needs mending.
    """
    _require_libraries()
    from graders.engine.cli.class_material import read_material
    from graders.engine.cli.report_files import write_for_class, write_for_staff

    material = read_material(folder, roster, gradebook)
    page = write_for_class(material, html) if anonymous else write_for_staff(material, html)
    typer.echo(log_text(f"Written: {shown_path(page)}. Open it in a browser."))


def _require_libraries() -> None:
    """Raise UsageError where pages cannot be made: students, who need none, install less."""
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the pages need {' and '.join(missing)}; "
            'run `pip install -c constraints.txt -e ".[staff]"` in this environment'
        )
