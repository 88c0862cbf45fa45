"""The grader's own training loop: torch's Adam to the last digits, and fair to modules that need little of it."""

import pytest
import torch
from torch import nn

from graders.engine.run.raised import Raised
from graders.engine.run.worker.training import Adam, batches
from tests.run.conftest import Start

CLASSIFIERS = """
import torch
from torch import nn

class Linear(nn.Module):
    def __init__(self, sparse=False):
        super().__init__()
        self.table = nn.Embedding(6, 8, sparse=sparse)
        self.unused = nn.Parameter(torch.ones(3))
        self.frozen = nn.Parameter(torch.ones(3), requires_grad=False)
        self.head = nn.Linear(8, 2)
        self.drop = nn.Dropout(0.1)
    def forward(self, ids): return self.head(self.drop(self.table(ids)).mean(1))

class Constant(nn.Module):
    def forward(self, ids): return torch.zeros(len(ids), 2)

class Stuck(nn.Module):
    def __init__(self): super().__init__(); self.weight = nn.Parameter(torch.ones(2))
    def forward(self, ids): return self.weight.detach().expand(len(ids), 2)

class Wrong(nn.Module):
    def forward(self, ids): return torch.zeros(3)

class Raising(nn.Module):
    def forward(self, ids): raise ValueError("no")
"""
IDS = torch.randint(0, 6, (64, 3), generator=torch.Generator().manual_seed(0))
LABELS = (IDS == 2).any(1).long()


def train(worker, module, steps=60, seed=1):
    return worker.order("train", module=module, ids=IDS, labels=LABELS, steps=steps, batch=16, rate=0.05, seed=seed)


def test_adam_is_torchs_adam():
    generator = torch.Generator().manual_seed(3)
    ours, theirs = (nn.Parameter(torch.ones(4, 3)) for _ in range(2))
    adam, optimiser = Adam([ours], 0.01), torch.optim.Adam([theirs], lr=0.01)
    for _ in range(30):
        gradient = torch.randn(4, 3, generator=generator)
        adam.step([gradient])
        theirs.grad = gradient.clone()
        optimiser.step()
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_batches_use_every_example_once_before_any_comes_again():
    torch.manual_seed(0)
    chosen = batches(count=10, batch=4, steps=5)
    assert [len(batch) for batch in chosen] == [4] * 5
    assert sorted(torch.cat(chosen)[:10].tolist()) == list(range(10))
    assert sorted(torch.cat(chosen)[10:].tolist()) == list(range(10))


@pytest.mark.parametrize("sparse", [False, True])
def test_a_model_learns_and_is_left_in_training_mode(start: Start, sparse):
    worker = start(CLASSIFIERS)
    model = worker.make("Linear", sparse=sparse)
    worker.order("set_mode", module=model, training=False)
    losses = train(worker, model)
    assert len(losses) == 60
    assert losses[-1] < 0.3 < losses[0]
    assert worker.order("inventory", module=model)["training"] is True
    for path in ("unused", "frozen"):
        assert worker.order("read", module=model, path=path).values.tolist() == [1, 1, 1]


def test_the_same_seed_gives_the_same_losses(start: Start):
    worker = start(CLASSIFIERS)
    runs = [train(worker, worker.make("Linear"), steps=5, seed=seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("name", ["Constant", "Stuck"])
def test_a_model_that_cannot_learn_is_no_error(start: Start, name):
    worker = start(CLASSIFIERS)
    losses = train(worker, worker.make(name), steps=3)
    assert losses == pytest.approx([0.6931] * 3, abs=1e-3)


@pytest.mark.parametrize(("name", "type_name", "line"), [("Wrong", "ValueError", None), ("Raising", "ValueError", 26)])
def test_faults_of_the_model_come_through(start: Start, name, type_name, line):
    worker = start(CLASSIFIERS)
    raised = train(worker, worker.make(name), steps=3)
    assert isinstance(raised, Raised)
    assert (raised.type_name, raised.line) == (type_name, line)


def test_no_module_is_imported_for_it(start: Start):
    # A worker that may read no files could not import any.
    worker = start(CLASSIFIERS + "\nimport sys\ndef count(): return len(sys.modules)\n")
    model, before = worker.make("Linear"), worker.make("count")
    train(worker, model, steps=3)
    assert worker.make("count") == before
