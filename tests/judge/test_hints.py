"""Hints about exceptions: torch is named for what came out of torch, and not for what the student's own line raised."""

from types import SimpleNamespace

import pytest

from graders.engine.judge.hints import OWN_RAISE, TORCH_REFUSES, hint_for
from graders.engine.load.submission import ExerciseFile
from graders.engine.run.raised import Raised
from graders.engine.run.worker.student_file import describe_exception

LABEL = "exercises/ex93_nothing.py"


def hint(source: str) -> str:
    """Return the hint for what the code raises, told as a worker tells it."""
    with pytest.raises(RuntimeError) as caught:
        exec(compile(source, LABEL, "exec"), {})
    told = describe_exception(caught.value, LABEL)
    frames = tuple((line, name) for line, name in told["frames"])
    raised = Raised(told["type"], tuple(told["families"]), told["message"], told["line"], frames)
    file = ExerciseFile("ex93_nothing", LABEL, source.encode())
    return hint_for(raised, SimpleNamespace(file=file), loading=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "source",
    [
        "def forward(x):\n    raise RuntimeError('no')\n\nforward(1)",
        "x = 1\nif x > 0: raise RuntimeError('no')",
        "x = 1; raise RuntimeError('no')",
        "raise RuntimeError(\n    'no'\n)",
        "class Mine(RuntimeError):\n    pass\n\nraise Mine",
        "import torch\ntry:\n    torch.ones(2) @ torch.ones(3)\nexcept RuntimeError:\n    x = 1\n"
        "if x:\n    raise RuntimeError('no')",
    ],
)
def test_what_the_students_own_line_raised_is_not_laid_on_torch(source: str) -> None:
    assert hint(source) == OWN_RAISE


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.ones(2) @ torch.ones(3)",
        "import torch\nraised = torch.ones(2)\nraised.reshape(3)",
        "import torch\ntorch.nn.Linear(2, 3)(torch.ones(1))",
        "import torch\ntry:\n    torch.ones(2).reshape(3)\nexcept RuntimeError:\n    raise",
        "import torch\ntry:\n    torch.ones(2).reshape(3)\nexcept RuntimeError as error:\n    raise error",
    ],
)
def test_what_came_out_of_torch_is(source: str) -> None:
    assert hint(source) == TORCH_REFUSES


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("for key in (table := {1: 2}):\n    table[key + 1] = 3", "a copy"),
        ("def one():\n    yield next(iter(()))\n\nlist(one())", "nothing more to give"),
    ],
)
def test_what_python_itself_refuses_is_not_laid_on_torch(source: str, says: str) -> None:
    assert says in hint(source)
