"""What the run layer's tests share: workers with a student's file in them, and whether a process still exists."""

import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import torch

from graders.engine.run.connection import Connection
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.layers import LAYERS
from graders.engine.run.supply import WorkerSupply

LABEL = "exercises/ex00_demo.py"
LONG = 30.0
"""Seconds that no honest answer takes, so that only a hang reaches them."""
SHORT = 0.4
"""Seconds after which a test wants a worker killed."""

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="a host forks workers on Linux only")


class Worker:
    """A worker, and the orders that most tests give it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def order(self, name: str, seconds: float = LONG, /, **arguments: Any) -> Any:
        return self.connection.order(name, arguments, time.monotonic() + seconds)

    def load(self, source: str | bytes, seconds: float = LONG) -> Any:
        """Load a student's file; a text may be indented as the test is."""
        data = textwrap.dedent(source).encode() if isinstance(source, str) else source
        held = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        return self.order("load", seconds, source=held, name="ex00_demo", label=LABEL)

    def make(self, name: str, *args: Any, seed: int = 0, seconds: float = LONG, **kwargs: Any) -> Any:
        """Call a class or function of the file."""
        return self.order("make", seconds, name=name, args=list(args), kwargs=kwargs, seed=seed)

    def call_and_arguments(self, module: Any, *args: Any, seed: int = 0) -> Any:
        """Call a module; return its answer, and the arguments as they are afterwards."""
        answer = self.order("call", module=module, args=list(args), kwargs={}, seed=seed)
        return answer, self.order("arguments_now", count=len(args))

    def call(self, module: Any, *args: Any, seed: int = 0) -> Any:
        """Call a module, and return its result, or what it raised."""
        answer = self.order("call", module=module, args=list(args), kwargs={}, seed=seed)
        return answer["result"] if isinstance(answer, dict) else answer

    def backward(self, module: Any, *args: Any, upstream: torch.Tensor, of: Iterable[str] = ()) -> Any:
        return self.order(
            "backward", module=module, args=list(args), kwargs={}, seed=0, upstream=upstream, paths=list(of)
        )


Start = Callable[..., Worker]

WITHOUT_REFUSALS = Isolation(Mode.PRACTICE, tuple(layer for layer in LAYERS if layer not in ("landlock", "seccomp")))
"""Workers that may start processes and programs, as on a machine that has no means to refuse them."""


@pytest.fixture
def unwatched(supply: WorkerSupply, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the workers of this test do what a machine without Landlock and seccomp lets them do."""
    monkeypatch.setattr(supply, "isolation", WITHOUT_REFUSALS)


@pytest.fixture
def start(supply: WorkerSupply) -> Iterator[Start]:
    """``start(source)``: a worker that has loaded this file; it ends with the test."""
    with ExitStack() as stack:

        def start_one(source: str | bytes = b"\n", *, of: WorkerSupply = supply, memory_mib: int = 1024) -> Worker:
            connection = stack.enter_context(closing(of.start(memory_mib)))
            worker = Worker(connection)
            assert isinstance(worker.load(source), dict)
            return worker

        yield start_one


def lives(pid: int) -> bool:
    """Return whether a process exists and is no zombie (Linux)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_gone(pids: Iterable[int]) -> bool:
    """Return whether these processes end within a few seconds, as they do after a SIGKILL on its way."""
    pids = list(pids)
    give_up = time.monotonic() + 10
    while any(lives(pid) for pid in pids):
        if time.monotonic() > give_up:
            return False
        time.sleep(0.01)
    return True
