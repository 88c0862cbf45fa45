"""The command `grade`: one submission through the whole line, from files to a card."""

import os
import platform
import secrets
from contextlib import closing
from importlib.metadata import version
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders import __version__
from graders.engine.clean import log_text
from graders.engine.cli.common import (
    ALL_PASSED,
    GRADERS_FAULT,
    NOT_ALL_PASSED,
    PRACTICE_SEED,
    CourseOption,
    MarksOption,
    StudentOption,
    load,
    load_commit,
    select,
)
from graders.engine.cli.isolation import IsolationOption, choose_isolation, in_card, is_own, remarks, require_sandbox
from graders.engine.errors import UsageError, shown_path
from graders.engine.load.course import find_course

if TYPE_CHECKING:
    from graders.engine.load.course import Course
    from graders.engine.score.card import Card
    from graders.engine.score.marks import MarksBook


def grade(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder with exercises/ or the exercise files, or one file.")
    ] = Path("exercises"),
    commit: Annotated[
        str | None,
        typer.Option("--commit", metavar="REV", help="Grade this commit of the git repository PATH, not its files."),
    ] = None,
    exercise: Annotated[
        list[str] | None,
        typer.Option("--exercise", "-e", metavar="SLUG", help="Grade this exercise only; may be repeated."),
    ] = None,
    hidden: Annotated[bool, typer.Option("--hidden", help="Run the hidden checks too.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random inputs.", min=0)] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Write the score card to this file.")
    ] = None,
    student: StudentOption = None,
    marks: MarksOption = None,
    isolation: IsolationOption = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show where in your file an exception came from.")] = False,
    course: CourseOption = None,
) -> None:
    """Grade a submission and explain every check.

    Exit code 0: every check passed, or waits for a person. 1: something did not. 2: nothing could be graded. 3: the
    grader's own fault. 4: student code can't be shut in here as it must be, so none was run.
    """
    if json is not None:
        _require_place_for_card(json)
    from graders.engine.run.supply import start_supply

    place = find_course(course)
    own = commit is None and is_own(path, place)
    with closing(start_supply(choose_isolation(isolation, own, hidden))) as supply:
        from graders.engine.cli.students import student_of
        from graders.engine.load.rubric import load_rubric
        from graders.engine.score.marks import marks_of

        # What is wrong with the course or the path is said before torch is imported, which takes two seconds.
        rubric = load_rubric(place.rubric)
        if hidden and rubric.is_public:
            raise UsageError(
                f"--hidden: {shown_path(place.rubric)} counts hidden checks, and they are not here; open them with "
                "`grade unseal DIR`, and grade with --hidden --course DIR"
            )
        slugs = select(rubric, exercise)
        submission = (
            load(path, place, rubric, slugs) if commit is None else load_commit(path, commit, place, rubric, slugs)
        )
        name = student_of(path, student)
        given = marks_of(_marks(place, marks, path), name, rubric)

        from rich.text import Text

        from graders.engine.judge.session import Options, judge
        from graders.engine.report.console import make_console, print_hanging, safe_text
        from graders.engine.report.terminal import print_card
        from graders.engine.score.card import Grader, card_to_json
        from graders.engine.score.scoring import score

        if seed is None:
            seed = secrets.randbelow(1 << 31) if hidden else PRACTICE_SEED
        report = require_sandbox(supply, rubric.limits.memory_mib, place, path)
        (outcomes,) = judge(place, rubric, [submission], supply, Options(seed, hidden, trace))
        grader = Grader(
            version=__version__,
            seed=seed,
            commit=submission.commit or None,
            torch=version("torch"),
            python=platform.python_version(),
            hidden=hidden,
            mode=supply.isolation.mode.value,
            sandbox=in_card(report),
        )
        card = score(rubric, submission.files, outcomes, grader, name, given)
        # Before anything is printed: a reader that has gone, such as `head`, must not cost the card.
        written = json is None or _write_card(json, card_to_json(card))
        console = make_console()
        print_card(card, console)
        for note in (*submission.notes, *remarks(report)):
            print_hanging(console, Text("note: "), safe_text(note, console))
    raise typer.Exit(_exit_code(card) if written else GRADERS_FAULT)


def _require_place_for_card(path: Path) -> None:
    """Raise UsageError where a card can't be written, or would take the place of something else."""
    if not path.absolute().parent.is_dir():
        raise UsageError(f"--json {shown_path(path)}: there is no folder {shown_path(path.parent)}; make it first")
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise UsageError(f"--json {shown_path(path)}: nothing can be written to {shown_path(path.parent)}")
    if not os.path.isfile(path):  # a name that no file can have is none here, and told when it is written
        return
    try:
        held = path.read_bytes()
        data = loads(held) if held.strip() else {"grader": None, "exercises": None}
    except (OSError, ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or not {"grader", "exercises"} <= set(data):
        raise UsageError(f"--json {shown_path(path)}: that file is no score card, and would be lost; give another name")


def _marks(course: "Course", explicit: Path | None, submission: Path) -> "MarksBook":
    """Return the marks that people gave; none if there is no book beside the rubric."""
    from graders.engine.cli.marks_file import find_book, read_book

    path = find_book(course, explicit, submission)
    if explicit is not None and not path.exists():
        raise UsageError(f"--marks {shown_path(path)}: there is no such book of marks; `grade mark` begins one")
    return read_book(path)


def _write_card(path: Path, text: str) -> bool:
    """Write the card, and return whether that went well. What a link leads to is written, and the link stays."""
    from graders.engine.cli.files import write_whole

    real = Path(os.path.realpath(path))
    try:
        if os.path.exists(real) and not os.path.isfile(real):  # a pipe or a device takes the text as it comes
            real.write_text(text, encoding="utf-8", newline="\n")
        else:
            write_whole(real, text)
    except OSError as error:
        typer.echo(log_text(f"The score card could not be written to {shown_path(path)}: {error.strerror}"), err=True)
        return False
    return True


def _exit_code(card: "Card") -> int:
    from graders.engine.judge.outcome import Verdict

    checks = [check for exercise in card.exercises for check in exercise.checks]
    if any(check.verdict is Verdict.BROKEN for check in checks):
        return GRADERS_FAULT
    settled = all(check.has_all_points or check.verdict is Verdict.WAITING for check in checks)
    return ALL_PASSED if settled else NOT_ALL_PASSED
