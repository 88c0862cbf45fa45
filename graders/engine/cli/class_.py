"""The command `grade class`: all submissions of a class are graded into a folder, and none twice without a reason."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.class_out import writing_class
from graders.engine.cli.common import GRADERS_FAULT, CourseOption, MarksOption
from graders.engine.cli.isolation import IsolationOption
from graders.engine.errors import ServiceError, UsageError, shown_path

if TYPE_CHECKING:
    from graders.engine.batch.crew import Crew
    from graders.engine.batch.keeper import Tally
    from graders.engine.batch.plan import Plan
    from graders.engine.batch.progress import Progress


def class_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A folder of submissions; what Canvas, Moodle or Gradescope lets you download; a CSV of commits; or "
            "the submissions.json of `grade sweep`.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", file_okay=False, help="Where cards go, and stay.")],
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Judge so many at a time; or one per core.")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Judge on the workers of this Dask cluster instead, as tls://HOST:8786."),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="Who is in the class: CSV; extensions count for lateness."),
    ] = None,
    marks: MarksOption = None,
    visible_only: Annotated[
        bool, typer.Option("--visible-only", help="Leave out the hidden checks, which run otherwise.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed of the random inputs; without it, one is drawn and kept in DIR."),
    ] = None,
    regrade: Annotated[bool, typer.Option("--regrade", help="Grade everybody, whatever is in DIR.")] = False,
    regrade_only: Annotated[
        list[str] | None,
        typer.Option("--regrade-only", metavar="STUDENT", help="Grade this student whatever is in DIR; repeatable."),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Grade the I-th of N parts of the class only; `grade merge` joins them."),
    ] = None,
    exercise: Annotated[
        list[str] | None,
        typer.Option("--exercise", "-e", metavar="SLUG", help="Grade this exercise only; may be repeated."),
    ] = None,
    isolation: IsolationOption = None,
    course: CourseOption = None,
) -> None:
    """Grade a class into DIR: a card for each student, or the reason why there is none.

    Run it again to go on where it was interrupted, or to grade what is new: submissions whose files, grader and seed
    are those of their card are not graded again. Marks, extensions and the late policy are put on cards that are there
    already. Whoever is no more in SOURCE keeps card and line in DIR, and is named.

    Exit code 0: everybody has a card, or a reason why there was nothing to grade. 2: what was typed does not fit, or
    another process writes DIR. 3: the grader or its machine failed for somebody. 4: student code can't be shut in here
    as it must be, so none was run. 130: interrupted; DIR is whole, and the same command goes on.
    """
    from graders.engine.cli.class_crew import read_dask, start_crew
    from graders.engine.cli.class_plan import Asked, make_plan
    from graders.engine.deliver.github.fetching.ending import orderly_end

    asked = Asked(
        source, out, roster, marks, not visible_only, seed, regrade, tuple(regrade_only or ()), shard,
        tuple(exercise or ()), isolation, course,
    )  # fmt: skip
    cluster = read_dask(dask, jobs)
    _require_apart(source, out)
    with writing_class(out), orderly_end():
        plan, remarks = make_plan(asked)
        for line in remarks:
            typer.echo(log_text(line), err=True)
        tally = _graded(plan, out, start_crew(plan.setup, jobs, cluster))
        _tell(plan, tally, out)
    if tally.faults:
        raise typer.Exit(GRADERS_FAULT)


def _graded(plan: "Plan", out: Path, crew: "Crew") -> "Tally":
    from graders.engine.batch.class_run import run_class
    from graders.engine.batch.folder import clear_drafts, write_settings
    from graders.engine.batch.keeper import Keeper

    try:
        clear_drafts(out)
        write_settings(out, plan.settings.model_copy(update={"finished": False}))
        keeper = Keeper(out, plan)
        run_class(plan, crew, keeper, _progress())
        write_settings(out, plan.settings)
    except ServiceError as error:
        # No "nothing was done", as the command line says it elsewhere: what was graded is kept.
        typer.echo(log_text(f"Not all was graded: {error}"), err=True)
        raise typer.Exit(GRADERS_FAULT) from error
    except SystemExit:
        typer.echo("Interrupted. What was graded is kept; the same command goes on", err=True)
        raise
    finally:
        crew.close()
    return keeper.tally


def _tell(plan: "Plan", tally: "Tally", out: Path) -> None:
    from graders.engine.cli.class_summary import summary

    for line in summary(plan, tally, out):
        typer.echo(log_text(line))


def _progress() -> "Progress":
    from graders.engine.batch.progress import Bar, Lines
    from graders.engine.report.console import make_console

    return Bar(make_console()) if sys.stdout.isatty() else Lines(sys.stderr)


def _require_apart(source: Path, out: Path) -> None:
    """Raise UsageError for a DIR that would be taken for a submission."""
    if source.is_dir() and Path(os.path.realpath(out)).is_relative_to(os.path.realpath(source)):
        raise UsageError(
            f"--out {shown_path(out)} lies in {shown_path(source)}, where it would be taken for a submission the next "
            "time; give a folder outside"
        )
