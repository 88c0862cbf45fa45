"""Where workers come from: a host that forks them where the system can, a fresh process each elsewhere."""

import sys
from typing import TYPE_CHECKING, Protocol

from graders.engine.run.forking import ForkingSupply
from graders.engine.run.fresh import FreshSupply

if TYPE_CHECKING:
    from graders.engine.run.connection import Connection


class WorkerSupply(Protocol):
    """Something that starts workers."""

    def start(self, memory_mib: int) -> "Connection":
        """Return a worker that has restricted itself and waits for its first order."""

    def close(self) -> None:
        """End what this supply started, once the connections to its workers are closed."""


def start_supply() -> WorkerSupply:
    """Return the fastest supply that this system has."""
    return ForkingSupply() if sys.platform == "linux" else FreshSupply()
