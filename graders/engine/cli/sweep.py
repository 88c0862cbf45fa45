"""The command `grade sweep`: a class out of a course's repository on GitHub, for `grade class DIR/submissions.json`."""

import datetime
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course
from graders.engine.cli.files import append, write_output
from graders.engine.errors import UsageError, shown_path

if TYPE_CHECKING:
    from graders.engine.load.rubric import Rubric

LIST = "submissions.json"
PER_SHARD, MOST_SHARDS = 40, 200
"""Students for one job of a workflow, and how many jobs at most; GitHub takes 256."""


def sweep(
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="The course's repository on GitHub.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", file_okay=False, help="Where all that is found goes.")],
    deadline: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="What GitHub had received by then counts, as 2026-11-30T23:59+01:00; without it, the end of the grace "
            "after `late: deadline` in grading.yaml.",
        ),
    ] = None,
    roster: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="The roster, a CSV with login and, for some, an extension."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Where shards for a workflow are appended: $GITHUB_OUTPUT."),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Find out what each student had handed in by a deadline, by GitHub's own record of pushes, and fetch it.

    Forks, forks of forks and pull requests are looked at, with GITHUB_TOKEN. Of each fork, the commit counts that the
    default branch, or one with an open pull request, was pushed last; dates in commits say nothing. DIR gets
    submissions.json for `grade class`, repositories/ with the files that can be handed in, and claims/ with the cards
    of forks' own runs. An interrupted sweep goes on where it ended, in the same DIR.

    Exit code 0: done. 2: the arguments do not fit. 3: GitHub could not be read, or asks for a pause of some length.
    130: interrupted.
    """
    from graders.engine.deliver.github import clock
    from graders.engine.deliver.github.fetching.ending import orderly_end
    from graders.engine.deliver.github.fetching.settings import Remote
    from graders.engine.deliver.github.names import require_full_name
    from graders.engine.deliver.github.surroundings import API, SERVER, address, open_session, token
    from graders.engine.deliver.github.sweep.conduct import PATIENCE, Place
    from graders.engine.deliver.github.sweep.conduct import sweep as conduct
    from graders.engine.deliver.github.sweep.progress import finish
    from graders.engine.deliver.github.sweep.roll import roll
    from graders.engine.deliver.github.sweep.told import told
    from graders.engine.load.assignment import Wanted, assignments
    from graders.engine.load.handed_in.listing import sweep_to_json
    from graders.engine.load.roster import read_roster

    require_full_name(repository, "OWNER/REPO")
    of_course, rubric = open_course(course)
    known = roll(read_roster(roster) if roster is not None else None)
    session = open_session(os.environ, PATIENCE)
    place = Place(
        course=Remote(address(os.environ, "GITHUB_SERVER_URL", SERVER), repository, token(os.environ)),
        api=address(os.environ, "GITHUB_API_URL", API),
        folder=out,
        deadline=_deadline(deadline, rubric),
        wanted=Wanted(assignments(of_course, rubric, list(rubric.exercises)), rubric.notebook),
        known=known,
    )
    _make(out)
    with orderly_end():
        found = conduct(session, place, clock.SYSTEM_CLOCK, lambda line: typer.echo(log_text(line), err=True))
        write_output(out / LIST, sweep_to_json(found.listed).encode("utf-8"), "--out")
    if found.complete:
        finish(out)
    if output is not None:
        append(output, _shards(len(found.listed.items)), "--output")
    for line in told(found):
        typer.echo(log_text(line))


def _deadline(given: str | None, rubric: "Rubric") -> datetime.datetime:
    from graders.engine.load.moments import moment

    if given is not None and given.strip():
        try:
            return moment(given)
        except ValueError as error:
            raise UsageError(f"--deadline: {error}") from error
    if rubric.late is None:
        raise UsageError("there is no deadline: expected --deadline TIME, or the block `late` in grading.yaml")
    until = rubric.late.deadline + datetime.timedelta(minutes=rubric.late.grace_minutes)
    return until.astimezone(datetime.UTC)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {shown_path(folder)} cannot be made: {error.strerror}") from error


def _shards(students: int) -> str:
    """Return the outputs of a step: how many shards there are, and their numbers as JSON."""
    of = min(MOST_SHARDS, max(1, -(-students // PER_SHARD)))
    return f"of={of}\nshards={json.dumps(list(range(1, of + 1)))}\nstudents={students}\n"
