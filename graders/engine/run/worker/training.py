"""The grader's own training loop, for exercises whose point shows only in what a model learns.

Adam is written out: torch's optimisers import half a second of modules when the first one is made, and a worker that
may read no files could not make one at all.
"""

from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn import functional

from graders.engine.run.worker.gradients import dense
from graders.engine.run.worker.registered import registered
from graders.engine.run.worker.workbench import Bench

# Taken before any student code can replace them.
_cross_entropy, _grad, _no_grad, _enable_grad = (
    functional.cross_entropy, torch.autograd.grad, torch.no_grad, torch.enable_grad,
)  # fmt: skip
_seed, _randperm, _cat, _split = torch.default_generator.manual_seed, torch.randperm, torch.cat, torch.split
_zeros_like = torch.zeros_like


@dataclass
class Adam:
    """Adam ("Adam: A Method for Stochastic Optimization", 2015, algorithm 1) with the paper's decay rates."""

    parameters: list[torch.Tensor]
    rate: float
    steps: int = 0
    first: list[torch.Tensor] = field(init=False)
    second: list[torch.Tensor] = field(init=False)

    def __post_init__(self) -> None:
        self.first = [_zeros_like(parameter) for parameter in self.parameters]
        self.second = [_zeros_like(parameter) for parameter in self.parameters]

    def step(self, gradients: list[torch.Tensor]) -> None:
        """Move every parameter against its gradient."""
        self.steps += 1
        scale = self.rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        with _no_grad():
            for parameter, gradient, mean, square in zip(
                self.parameters, gradients, self.first, self.second, strict=True
            ):
                mean.mul_(0.9).add_(gradient, alpha=0.1)
                square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
                parameter.addcdiv_(mean, square.sqrt().add_(1e-8), value=-scale)


def batches(count: int, batch: int, steps: int) -> list[torch.Tensor]:
    """Return the indices of each step's examples: every example once before any comes again."""
    order = [_randperm(count) for _ in range(-(-steps * batch // count))]
    return list(_split(_cat(order), batch)[:steps])


def train(
    bench: Bench,
    module: nn.Module,
    ids: torch.Tensor,
    labels: torch.Tensor,
    steps: int,
    batch: int,
    rate: float,
    seed: int,
) -> list[float]:
    """Train a classifier on (examples, places) ids and (examples,) labels, in training mode; return the losses."""
    _seed(seed)
    module.train()
    parameters = [tensor for tensor in registered(module, "_parameters").values() if tensor.requires_grad]
    adam = Adam(parameters, rate)
    losses = []
    with _enable_grad():
        for chosen in batches(len(ids), batch, steps):
            loss = _cross_entropy(module(ids[chosen]), labels[chosen])
            adam.step(_gradients(loss, parameters))
            losses.append(loss.item())
    return losses


def _gradients(loss: torch.Tensor, parameters: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return the loss's gradient for every parameter: zeros where it does not depend on one."""
    if not loss.requires_grad:
        return [_zeros_like(parameter) for parameter in parameters]
    found = zip(parameters, _grad(loss, parameters, allow_unused=True), strict=True)
    return [_zeros_like(parameter) if gradient is None else dense(gradient) for parameter, gradient in found]
