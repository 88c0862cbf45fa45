"""How well student code must be shut in before it is run, and the refusal where this machine cannot do that.

The judge decides this, about a worker that has seen nothing of a submission yet: nothing in a graded repository has a
say in it.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from graders.engine.errors import SandboxError
from graders.engine.run.launch import START_SECONDS
from graders.engine.run.layers import LAYERS, Report

if TYPE_CHECKING:
    from graders.engine.run.connection import Connection


class Mode(StrEnum):
    """What is asked of a machine."""

    STRICT = "strict"
    """Every layer, or nothing is graded: for hidden checks and for other people's code."""
    PRACTICE = "practice"
    """What the machine has: for one's own code and visible checks, and for the course's own answers."""
    EXTERNAL = "external"
    """What the machine has, in a throw-away container for each submission, for which an operator answers."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """The mode of a run, and the layers that its workers apply: all of them but where one is looked at alone."""

    mode: Mode
    layers: tuple[str, ...] = LAYERS

    def admit(self, connection: "Connection") -> "Connection":
        """Return the connection to a new worker once that may be given student code; SandboxError if it may not."""
        report = connection.wait_ready(START_SECONDS)
        if self.mode is not Mode.STRICT or not report.missing:
            return connection
        connection.close()
        missing = "\n".join(f"{layer} is missing: {why}" for layer, why in report.missing.items())
        raise SandboxError(
            f"{missing}\nExpected every layer of the sandbox, since hidden checks or other people's code are involved; "
            "`grade probe` shows what a machine has. Landlock needs Linux 5.13 or later that has it among its security "
            "modules; a container may forbid what another layer needs. Whoever gives each submission a throw-away "
            "container of its own may say --isolation=external."
        )


def keep_apart(report: Report, secrets: Iterable[Path]) -> None:
    """Raise SandboxError where one of these paths lies beneath one that a worker may read."""
    for secret in secrets:
        hidden = Path(os.path.realpath(secret))
        for readable in report.readable:
            if hidden.is_relative_to(readable):
                raise SandboxError(
                    f"{secret} lies in {readable}, which student code may read: it holds Python or its packages. "
                    "Keep the course and what is handed in elsewhere."
                )
