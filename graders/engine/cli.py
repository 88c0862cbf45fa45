"""The command line: reads arguments, calls the engine's parts in order, and turns the end into an exit code.

The parts are imported inside the commands, since torch takes more than a second: the worker host starts first and
imports it while this process does, and `--help` needs none of it.
"""

import difflib
import os
import platform
import secrets
import sys
import traceback
from contextlib import closing, suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from graders import __version__
from graders.engine.errors import CourseError, SubmissionError, UsageError

if TYPE_CHECKING:
    from graders.engine.load.course import Course
    from graders.engine.load.rubric import Rubric
    from graders.engine.score.card import Card

PRACTICE_SEED = 0
ALL_PASSED, NOT_ALL_PASSED, NOTHING_GRADED, GRADERS_FAULT = 0, 1, 2, 3


class GradeByDefault(TyperGroup):
    """Lets `grade exercises/` stand for `grade grade exercises/`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command `grade` in front of arguments that begin with no command."""
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "--version")):
            args = ["grade", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=GradeByDefault,
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False,
) -> None:
    """Grade exercises on positional embeddings, and keep their graders honest."""


CourseOption = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="The course's repository; without it, the one this command is from."),
]


@app.command()
def grade(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder with exercises/ or the exercise files, or one file.")
    ] = Path("exercises"),
    exercise: Annotated[
        list[str] | None,
        typer.Option("--exercise", "-e", metavar="SLUG", help="Grade this exercise only; may be repeated."),
    ] = None,
    hidden: Annotated[bool, typer.Option("--hidden", help="Run the hidden checks too.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random inputs.", min=0)] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Write the score card to this file.")
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show where in your file an exception came from.")] = False,
    course: CourseOption = None,
) -> None:
    """Grade a submission and explain every check.

    Exit code 0: every check passed. 1: something did not. 2: nothing could be graded. 3: the grader's own fault.
    """
    if json is not None and not json.absolute().parent.is_dir():
        raise UsageError(f"--json {json}: there is no folder {json.parent}; make it first")
    from graders.engine.run.supply import start_supply

    with closing(start_supply()) as supply:
        from graders.engine.load.submission import load_submission

        # What is wrong with the course or the path is said before torch is imported, which takes two seconds.
        place, rubric = _open_course(course)
        slugs = _select(rubric, exercise)
        submission = load_submission(path, [path.stem] if os.path.isfile(path) and path.stem in slugs else slugs)

        from graders.engine.judge.session import Options, judge
        from graders.engine.report.console import make_console
        from graders.engine.report.terminal import print_card
        from graders.engine.score.card import Grader, card_to_json
        from graders.engine.score.scoring import score

        if seed is None:
            seed = secrets.randbelow(1 << 31) if hidden else PRACTICE_SEED
        (outcomes,) = judge(place, rubric, [submission], supply, Options(seed, hidden, trace))
        grader = Grader(
            version=__version__,
            seed=seed,
            torch=version("torch"),
            python=platform.python_version(),
            hidden=hidden,
            mode="strict" if hidden else "practice",
        )
        card = score(rubric, submission.files, outcomes, grader)
        print_card(card, make_console())
        for note in submission.notes:
            typer.echo(f"note: {note}")
        if json is not None:
            _write(json, card_to_json(card))
    raise typer.Exit(_exit_code(card))


@app.command()
def lint(
    slug: Annotated[str | None, typer.Argument(metavar="SLUG", help="One exercise; without it, all.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the random inputs.", min=0)] = PRACTICE_SEED,
    course: CourseOption = None,
) -> None:
    """Hold every check against answers that are known right or wrong, and print the kill matrix.

    Exit code 0: everything agrees. 1: something does not; each line says what.
    """
    from graders.engine.run.supply import start_supply

    with closing(start_supply()) as supply:
        from graders.engine.author.lint import lint_exercise
        from graders.engine.report.console import make_console
        from graders.engine.report.matrix import print_matrix

        place, rubric = _open_course(course)
        problems: list[str] = []
        for chosen in _select(rubric, [slug] if slug else None):
            found = lint_exercise(place, rubric, chosen, supply, seed)
            if found.rows:
                print_matrix(chosen, found.checks, found.rows, make_console())
            problems += found.problems
    for problem in problems:
        typer.echo(f"problem: {problem}")
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    typer.echo(count if problems else "No problems: every answer does what it should.")
    raise typer.Exit(NOT_ALL_PASSED if problems else ALL_PASSED)


@app.command()
def new(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="Its name, such as ex08_some_words.")],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="Its title.")],
    course: CourseOption = None,
) -> None:
    """Write the files of a new exercise, with TODOs; `lint` then says what is missing."""
    from graders.engine.author.scaffold import scaffold

    place, rubric = _open_course(course)
    for written in scaffold(place, rubric, slug, title):
        typer.echo(f"wrote {written}")
    typer.echo(f"Next: fill in the TODOs, and run `grade lint {slug}` until it has no problems.")


def _open_course(explicit: Path | None) -> "tuple[Course, Rubric]":
    from graders.engine.load.course import find_course
    from graders.engine.load.rubric import load_rubric

    course = find_course(explicit)
    return course, load_rubric(course.rubric)


def _select(rubric: "Rubric", wanted: list[str] | None) -> list[str]:
    """Return the exercises to grade, in the rubric's order; the beginning of a name is enough if only one begins so."""
    chosen = [_complete(slug, list(rubric.exercises)) for slug in wanted or []]
    return [slug for slug in rubric.exercises if not chosen or slug in chosen]


def _complete(slug: str, known: list[str]) -> str:
    beginning = [name for name in known if name.startswith(slug)]
    if slug in known or len(beginning) == 1:
        return slug if slug in known else beginning[0]
    near = difflib.get_close_matches(slug, known, n=1)
    remedy = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
    raise UsageError(f'there is no exercise "{slug}"; {remedy}')


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        typer.echo(f"The score card could not be written to {path}: {error.strerror}", err=True)
        raise typer.Exit(GRADERS_FAULT) from error


def _exit_code(card: "Card") -> int:
    from graders.engine.judge.outcome import Verdict

    verdicts = {check.verdict for exercise in card.exercises for check in exercise.checks}
    if Verdict.BROKEN in verdicts:
        return GRADERS_FAULT
    return ALL_PASSED if verdicts <= {Verdict.PASS} else NOT_ALL_PASSED


def main() -> None:
    """Run the command line; whatever ends it ends in one readable message and an exit code."""
    try:
        app()
    except UsageError as error:
        _end(f"Nothing was done: {error}", NOTHING_GRADED)
    except SubmissionError as error:
        _end(f"Nothing was graded: {error}", NOTHING_GRADED)
    except CourseError as error:
        _end(f"The course needs mending:\n{error}", GRADERS_FAULT)
    except Exception as error:
        # Not foreseen, and so ours: never an exit code that says something about the submission.
        if "--trace" in sys.argv:
            traceback.print_exc()
        _end(f"The grader failed, by its own fault ({type(error).__name__}: {error}). Please tell the course staff; "
             "--trace shows where.", GRADERS_FAULT)  # fmt: skip


def _end(message: str, code: int) -> NoReturn:
    typer.echo(message, err=True)
    sys.exit(code)
