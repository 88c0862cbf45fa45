"""The yardstick of `make bench`: a pytest plugin that runs the same checks on a file imported into the same process.

No host, no worker, no wire, no limits: what a plain test suite in the student's own process costs.
"""

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from graders.engine.judge.attempt import Attempt
from graders.engine.judge.draw import Draw
from graders.engine.judge.student import Given, Student
from graders.engine.judge.written.answers import Answers
from graders.engine.load.submission import ExerciseFile
from graders.engine.run.raised import Raised
from graders.engine.run.values import Generator, RemoteObject, RemoteTensor
from graders.engine.run.worker.orders import ORDERS
from graders.engine.run.worker.student_file import describe_exception
from graders.engine.run.worker.workbench import Bench


class DirectAttempt(Attempt):
    """An attempt whose orders are calls of the orders' functions, in this very process."""

    def __init__(self, path: Path) -> None:
        held = path.read_bytes()
        super().__init__(supply=None, limits=None, file=ExerciseFile(path.stem, path.name, held))  # type: ignore[arg-type]
        self.bench = Bench()
        source = torch.frombuffer(bytearray(held), dtype=torch.uint8)
        self.names = tuple(self.order("load", "", source=source, name=path.stem, label=path.name)["names"])

    def begin_check(self) -> None:
        """There is no worker, and no clock."""

    def try_order(self, name: str, doing: str, /, **arguments: Any) -> Any:
        """Return what the order returns, with tensors and modules as a check expects them, or Raised."""
        try:
            return self._shown(ORDERS[name](self.bench, **{key: self._own(value) for key, value in arguments.items()}))
        except Exception as error:
            told = describe_exception(error, self.file.label)
            return Raised(told["type"], tuple(told["families"]), told["message"], told["line"], ())

    def _own(self, value: Any) -> Any:
        match value:
            case RemoteObject(handle=int(handle)):
                return self.bench.objects[handle]
            case Generator():
                return torch.Generator().manual_seed(value.seed)
            case torch.Tensor():
                return value.detach()  # the check's own tensor must not come to require a gradient
            case list():
                return [self._own(item) for item in value]
            case dict():
                return {key: self._own(item) for key, item in value.items()}
        return value

    def _shown(self, value: Any) -> Any:
        match value:
            case torch.Tensor():
                return RemoteTensor(value.detach(), value.requires_grad)
            case nn.Module():
                return self.bench.keep(value)
            case dict():
                return {key: self._shown(item) for key, item in value.items()}
            case list() | tuple():
                return type(value)(self._shown(item) for item in value)
        return value


def direct_attempt(path: Path) -> Attempt:
    """Return an attempt at an exercise: one at code is loaded, a sheet of answers needs no more than its bytes."""
    if path.suffix == ".py":
        return DirectAttempt(path)
    return Attempt(None, None, ExerciseFile(path.stem, path.name, path.read_bytes()))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def direct(request: pytest.FixtureRequest) -> DirectAttempt:
    """The submission of the exercise whose checks run, loaded once."""
    return DirectAttempt(Path(os.environ["BENCH_SUBMISSION"]) / f"{request.path.parent.name}.py")


@pytest.fixture
def answers(request: pytest.FixtureRequest) -> Answers:
    """The submission where it is a sheet of answers."""
    return Answers((Path(os.environ["BENCH_SUBMISSION"]) / f"{request.path.parent.name}.yaml").read_bytes())


@pytest.fixture
def student(direct: DirectAttempt, rng: Draw) -> Student:
    """The submission, in this very process."""
    return Student(direct, rng)


@pytest.fixture
def given(direct: DirectAttempt, rng: Draw, request: pytest.FixtureRequest) -> Given:
    """The course's own file beside the checks, in this very process."""
    return Given(direct, rng, request.path.with_name("given.py"))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Draw:
    """The check's random inputs."""
    return Draw(1, request.node.nodeid)
