"""The command `grade release`: writes the course repository that students fork, or brings one up to date."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders import __version__
from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course
from graders.engine.errors import CourseError, shown_path

if TYPE_CHECKING:
    from graders.engine.deliver.release.plan import Plan
    from graders.engine.load.course import Course
    from graders.engine.load.rubric import Rubric

LONGEST_LIST = 10


def release(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder to make, an empty repository, or an earlier release.")
    ],
    recipient: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="The key, as `grade keygen` printed it, that opens the hidden checks; without it, the last one.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Where the course and this release both changed a file, take this one.")
    ] = False,
    course: CourseOption = None,
) -> None:
    """Write the course repository that students fork, or bring it up to date.

    What the course added stays, and so does what it changed where this release has nothing new. Hidden checks and
    references go into it sealed.

    Exit code 0: written. 2: nothing was, since what was typed or what lies there does not fit. 3: this repository
    needs mending.
    """
    from graders.engine.deliver.release.bundle import pack
    from graders.engine.deliver.release.contents import private_files, public_files
    from graders.engine.deliver.release.plan import make_plan, overwriting, require_no_conflicts
    from graders.engine.deliver.release.record import BUNDLE, RECORD, Release, digest, record_to_json
    from graders.engine.deliver.release.tree import digests, read_release, require_place, write
    from graders.engine.deliver.seal import require_recipient, seal

    place, rubric = open_course(course)
    ours, private = public_files(place, rubric), private_files(place, rubric)
    _require_fresh_notebook(place, rubric, ours)
    require_place(folder, place.root)
    last = read_release(folder)
    recipient = recipient or (last.recipient if last else None)
    if recipient is not None:
        require_recipient(recipient)

    base = {path: sha for path, sha in last.files.items() if path != BUNDLE} if last else {}
    news = {path: digest(data) for path, data in ours.items()}
    theirs = digests(folder, {*ours, *base, BUNDLE})
    plan = make_plan(base, {path: sha for path, sha in theirs.items() if path != BUNDLE}, news)
    if overwrite:
        plan = overwriting(plan)
    require_no_conflicts(plan)

    files = {path: ours[path] for path in (*plan.written, *plan.updated)}
    if recipient is not None:
        files[BUNDLE] = seal(pack(private), recipient)
        news[BUNDLE] = digest(files[BUNDLE])
    record = Release(engine=__version__, recipient=recipient, files=news)
    write(folder, {**files, RECORD: record_to_json(record)}, plan.removed)
    _tell(folder, plan, recipient)
    _warn(plan, private)


def _require_fresh_notebook(course: "Course", rubric: "Rubric", files: Mapping[str, bytes]) -> None:
    """Raise CourseError if the notebook is not the one that lesson and stubs make: somebody may have worked in it."""
    from graders.engine.author.notebook import build_notebook
    from graders.engine.load.course import EXERCISES, Course

    if rubric.notebook is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        handed = Course(Path(scratch))
        handed.exercises.mkdir()
        for path, data in files.items():
            if path.startswith(f"{EXERCISES}/"):
                (handed.root / path).write_bytes(data)
        fresh = build_notebook(handed, rubric)
    if files[f"{EXERCISES}/{rubric.notebook}"].decode("utf-8").replace("\r\n", "\n") != fresh:
        raise CourseError(
            f"{shown_path(course.exercises / rubric.notebook)} is not what the lesson and the recorded stubs make, and "
            "could hold solutions; see that exercises/ has the stubs, and write it anew with `grade notebook`"
        )


def _tell(folder: Path, plan: "Plan", recipient: str | None) -> None:
    """Print what was done, and what is next."""
    lines = _listed("written", plan.written) + _listed("updated", plan.updated) + _listed("removed", plan.removed)
    lines += _listed("kept, as the course has changed or deleted it", plan.kept)
    lines += _listed("no longer released, and left to the course, which has changed it", plan.left)
    if recipient is None:
        lines.append("no hidden checks: there is no key yet. Make one with `grade keygen FILE`, and release again with")
        lines.append("  --recipient and what that prints")
    else:
        lines.append(f"sealed anew: graders/hidden.age, to {recipient}")
        lines.append("  Its identity is the secret GRADING_KEY, in the environment `grading` of the course repository.")
    lines.append(f'Next: git -C "{shown_path(folder)}" add --all; look at what changed; commit; push.')
    typer.echo(log_text("\n".join(lines)))


def _listed(what: str, paths: Sequence[str]) -> list[str]:
    """Return the paths, or of a great many the first."""
    if not paths:
        return []
    more = len(paths) - LONGEST_LIST
    names = [f"  {path}" for path in paths[:LONGEST_LIST]]
    return [f"{what}: {len(paths)}", *names, *([f"  and {more} more"] if more > 0 else [])]


def _warn(plan: "Plan", private: Mapping[str, bytes]) -> None:
    """Say so where the course keeps its own version of what hidden checks build on: they will not open with it."""
    from graders.engine.load.course import EXERCISES

    for path in plan.kept:
        if path in private and not path.startswith(f"{EXERCISES}/"):
            typer.echo(
                log_text(f"warning: hidden checks belong to another {path} than the course keeps; see `grade unseal`"),
                err=True,
            )
