"""The command `grade lint`: does every check of the course say of known answers what it should?"""

from contextlib import closing
from typing import Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import ALL_PASSED, NOT_ALL_PASSED, PRACTICE_SEED, CourseOption, open_course, select


def lint(
    slug: Annotated[str | None, typer.Argument(metavar="SLUG", help="One exercise; without it, all.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the random inputs.", min=0)] = PRACTICE_SEED,
    course: CourseOption = None,
) -> None:
    """Hold the checks against known answers.

    Right ones must pass all, wrong ones fail what wrong.yaml names; the matrix shows which check catches which.

    Exit code 0: everything agrees. 1: something does not; each line says what. 2: this is a released course.
    """
    from graders.engine.run.isolation import Isolation, Mode
    from graders.engine.run.supply import start_supply

    # All answers are the course's own.
    with closing(start_supply(Isolation(Mode.PRACTICE))) as supply:
        from graders.engine.author.lint import lint_exercise
        from graders.engine.deliver.release.origin import require_staff_repository
        from graders.engine.report.console import make_console
        from graders.engine.report.matrix import print_matrix

        place, rubric = open_course(course)
        require_staff_repository(place, rubric, "it has no references and no wrong answers to hold checks against")
        problems: list[str] = []
        for chosen in select(rubric, [slug] if slug else None):
            found = lint_exercise(place, rubric, chosen, supply, seed)
            if found.rows:
                print_matrix(chosen, found.checks, found.rows, make_console())
            problems += found.problems
    for problem in problems:
        typer.echo(log_text(f"problem: {problem}"))
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    typer.echo(count if problems else "No problems: every answer does what it should.")
    raise typer.Exit(NOT_ALL_PASSED if problems else ALL_PASSED)
