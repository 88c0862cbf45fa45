"""The command `grade release`: writes the course repository that students fork, or brings one up to date."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.engine.clean import log_text
from graders.engine.cli.common import CourseOption, open_course
from graders.engine.errors import UsageError, first_of, shown_path

if TYPE_CHECKING:
    from graders.engine.deliver.release.write import Done

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
        bool, typer.Option("--overwrite", help="Where this release can't keep what the course changed, take this one.")
    ] = False,
    course: CourseOption = None,
) -> None:
    """Write the course repository that students fork, or bring it up to date.

    What the course added stays, and so does what it changed where this release has nothing new and hidden checks open
    beside it. Hidden checks and references go into it sealed.

    Exit code 0: written. 2: nothing was, since what was typed or what lies there does not fit. 3: this repository
    needs mending, or the other one, which was written in part.
    """
    from graders.engine.author.notebook import require_fresh
    from graders.engine.deliver.release.contents import not_recorded, private_files, public_files
    from graders.engine.deliver.release.plan import overwriting, require_no_conflicts
    from graders.engine.deliver.release.tree import require_place
    from graders.engine.deliver.release.write import release as write_release
    from graders.engine.deliver.seal import require_recipient

    place, rubric = open_course(course)
    public, private = public_files(place, rubric), private_files(place, rubric)
    require_fresh(public, rubric)
    if recipient is not None:
        require_recipient(recipient)
    require_place(folder, place.root)
    settle = overwriting if overwrite else require_no_conflicts
    with _alone_in(folder):
        done = write_release(place, public, private, folder, recipient, settle)
    _tell(folder, done)
    _warn(not_recorded(place, rubric))


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other releases out of the folder meanwhile, which is made for that, and goes again if it stays empty."""
    from graders.engine.cli.files import alone_by, reason
    from graders.engine.deliver.release.tree import LOCK

    made = False
    with contextlib.ExitStack() as stack:
        try:
            if not folder.exists():
                folder.mkdir()
                made = True
            stack.enter_context(alone_by(folder / LOCK))
        except OSError as error:
            raise UsageError(
                f"{shown_path(folder)} cannot be written: {reason(error)}; mend that, or give another place"
            ) from error
        try:
            yield
        finally:
            stack.close()
            if made:
                with contextlib.suppress(OSError):  # there is a release in it
                    folder.rmdir()


def _tell(folder: Path, done: "Done") -> None:
    """Print what was done, and what is next."""
    from graders.engine.deliver.release.record import BUNDLE

    plan = done.plan
    lines = _listed("written", plan.written) + _listed("updated", plan.updated) + _listed("removed", plan.removed)
    if plan.overwritten:  # all of them: somebody's work was in there
        lines.append(f"written over, though the course had changed or deleted it: {len(plan.overwritten)}")
        lines += [f"  {path}" for path in plan.overwritten]
    lines += _listed("kept, as the course has changed or deleted it", plan.kept)
    lines += _listed("no longer released, and left to the course, which has changed it", plan.left)
    if done.recipient is None:
        lines.append("no hidden checks: there is no key yet. Make one with `grade keygen FILE`, and release again with")
        lines.append("  --recipient and what that prints")
    else:
        lines.append(f"sealed anew: {BUNDLE}, to {done.recipient}")
        lines.append("  The key that opens it is the secret GRADING_KEY, in the environment `grading` of the course")
        lines.append("  repository.")
    git = f'git -C "{shown_path(folder)}"'
    first = "" if os.path.lexists(folder / ".git") else f"{git} init -b main; "
    lines.append(f"Next: {first}{git} add --all; look at what changed; commit; push.")
    typer.echo(log_text("\n".join(lines)))


def _listed(what: str, paths: Sequence[str]) -> list[str]:
    """Return the paths, or of a great many the first."""
    if not paths:
        return []
    return [f"{what}: {len(paths)}", *(f"  {line}" for line in first_of(paths, LONGEST_LIST))]


def _warn(not_recorded: Sequence[str]) -> None:
    """Say so where what was released is not what lies here, as somebody may have meant it to be."""
    from graders.engine.load.course import HANDED_OUT

    for path in not_recorded:
        typer.echo(
            log_text(
                f"warning: {path} is not what {HANDED_OUT} has, and what that has was released. If students are to get "
                "the new one, run `grade notebook`, and release again"
            ),
            err=True,
        )
