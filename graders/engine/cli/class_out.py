"""The DIR of `grade class` and `grade merge`: a class folder that one process writes at a time."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from graders.engine.cli.files import alone_with
from graders.engine.errors import UsageError, shown_path


@contextlib.contextmanager
def writing_class(out: Path) -> Iterator[None]:
    """Make the folder where there is none, and keep other processes from it meanwhile; raises UsageError."""
    from graders.engine.batch.folder import make_folder
    from graders.engine.score.class_folder import SETTINGS

    make_folder(out)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(alone_with(out / SETTINGS, wait=0))
        except TimeoutError:
            raise UsageError(f"--out {shown_path(out)} is being written by another process; wait for its end") from None
        yield
