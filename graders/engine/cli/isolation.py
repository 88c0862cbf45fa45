"""How student code is to be shut in for a run: the option, and what it means where it is left out."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.errors import UsageError
from graders.engine.load.course import Course
from graders.engine.run.isolation import Isolation, Mode, keep_apart
from graders.engine.run.layers import Report

if TYPE_CHECKING:
    from graders.engine.run.supply import WorkerSupply

IsolationOption = Annotated[
    Mode | None,
    typer.Option(
        "--isolation",
        help="strict: every layer of the sandbox, or nothing is graded. practice: what this machine has, for your own "
        "code. external: you give each submission a throw-away container. Without it, strict for hidden checks and "
        "for whatever lies outside the course's exercises/.",
    ),
]


def choose_isolation(wanted: Mode | None, own: bool, hidden: bool) -> Isolation:
    """Return how student code is shut in that is the user's `own`, for `hidden` checks or without them.

    Raises UsageError where practice is wanted for hidden checks.
    """
    if wanted is Mode.PRACTICE and hidden:
        raise UsageError("--isolation=practice is for your own code and visible checks; leave out --hidden")
    if wanted is not None:
        return Isolation(wanted)
    return Isolation(Mode.PRACTICE if own and not hidden else Mode.STRICT)


def is_own(path: Path, course: Course) -> bool:
    """Return whether the path lies in the course's own exercises/, where those who work on them have their answers."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(course.exercises))


def require_sandbox(supply: "WorkerSupply", memory_mib: int, course: Course, path: Path) -> Report:
    """Return what a first worker reports; raises SandboxError where it could not, or could see what it must not."""
    from graders.engine.run.supply import try_out

    report = try_out(supply, memory_mib)
    keep_apart(report, [course.root / "graders", course.references, path])
    return report


def remarks(report: Report) -> list[str]:
    """Return a line about the layers that this machine lacks, for whoever reads the report."""
    if not report.missing:
        return []
    lacks = "; ".join(f"{layer} ({why})" for layer, why in report.missing.items())
    return [
        f"this machine lacks a part of the sandbox: {lacks}. Your code could use files or the network here; where "
        "the course grades, it can't. Nothing needs to be done about that."
    ]
