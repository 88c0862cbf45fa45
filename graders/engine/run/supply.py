"""Where workers come from: a host that forks them where the system can, a fresh process each elsewhere."""

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from graders.engine.run.forking import ForkingSupply
from graders.engine.run.fresh import FreshSupply
from graders.engine.run.isolation import Isolation
from graders.engine.run.layers import Report

if TYPE_CHECKING:
    from graders.engine.run.connection import Connection


class WorkerSupply(Protocol):
    """Something that starts workers, each shut in as its isolation asks."""

    isolation: Isolation

    def start(self, memory_mib: int) -> "Connection":
        """Return a worker that has restricted itself and waits for its first order.

        Raises SandboxError if its restrictions are not those that are asked for, and HostFailed if there is no worker.
        """

    def close(self) -> None:
        """End what this supply started, once the connections to its workers are closed."""


def start_supply(isolation: Isolation) -> WorkerSupply:
    """Return the fastest supply that this system has."""
    return ForkingSupply(isolation) if sys.platform == "linux" else FreshSupply(isolation)


def try_out(supply: WorkerSupply, memory_mib: int) -> Report:
    """Return what a worker of this supply reports about its restrictions; raises what `start` raises."""
    with closing(supply.start(memory_mib)) as connection:
        return connection.report
