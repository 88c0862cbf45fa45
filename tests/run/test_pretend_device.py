"""The pretend accelerator: it computes what the CPU computes, and refuses what a GPU refuses."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import _engine_run_backward

from graders.engine.run.worker.pretend_device import move, move_back, pretend_accelerator
from graders.engine.run.worker.pretend_tensor import DEVICE, DeviceMismatch, PretendTensor
from tests.run.placement_modules import RIGHT, STEPS, BertSum, Step, TiedTables, ids, vectors


@pytest.fixture
def accelerator() -> Iterator[Any]:
    with pretend_accelerator(__file__) as watch:
        yield watch


def here(*values: float) -> Tensor:
    return torch.tensor(values, device=DEVICE)


# The same numbers


def leaves(value: Any) -> list[Tensor]:
    """Return the tensors in what a module returned, as CPU tensors."""
    if isinstance(value, Tensor):
        return [value.held if isinstance(value, PretendTensor) else value.detach()]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (list, tuple)) else []


def run(module: nn.Module, inputs: list[Tensor]) -> tuple[list[Tensor], dict[str, Tensor | None]]:
    """Return outputs and gradients of one seeded call and its backward pass, as CPU tensors."""
    torch.manual_seed(0)
    out = module(*inputs)
    flat = [out] if isinstance(out, Tensor) else [v for v in _flat(out) if isinstance(v, Tensor)]
    total = sum(v.float().pow(2).sum() for v in flat if v.requires_grad and not v.is_complex())
    if isinstance(total, Tensor):
        # As the probe does it: torch.autograd.backward() would switch the pretended device off.
        _engine_run_backward((total,), (torch.ones_like(total),), False, False, (), True, True)
    return leaves(out), {
        name: None if p.grad is None else leaves(p.grad)[0].to_dense() for name, p in module.named_parameters()
    }


def _flat(value: Any) -> Iterator[Any]:
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, (list, tuple, dict)):
            yield from _flat(item)
        else:
            yield item


def both(module: nn.Module, inputs: list[Tensor], same: Callable[[Tensor, Tensor], bool]) -> None:
    """Assert that a module computes on the pretend device what its copy computes on the CPU."""
    wanted, wanted_gradients = run(deepcopy(module), inputs)
    with pretend_accelerator(__file__):
        moved = move(module)
        got, gradients = run(moved, [value.to(DEVICE) for value in inputs])
    assert len(got) == len(wanted) > 0
    for one, other in zip(got, wanted, strict=True):
        assert one.dtype == other.dtype
        assert same(one, other)
    assert gradients.keys() == wanted_gradients.keys()
    for name, gradient in gradients.items():
        other = wanted_gradients[name]
        assert (gradient is None) == (other is None), name
        assert gradient is None or same(gradient, other), name


def nearly_equal(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-5, atol=1e-6)


def sameness(name: str) -> Callable[[Tensor, Tensor], bool]:
    """Return how equal values must be: bit by bit, but for attention, where PyTorch picks another kernel."""
    return nearly_equal if name in ("OrderClassifier", "attention", "sdpa", "sdpa_causal") else torch.equal


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(("kind", "inputs"), RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_right_modules_compute_what_they_do_on_the_cpu(
    kind: type[nn.Module], inputs: Callable[[], Tensor], training: bool
) -> None:
    both(kind().train(training), [inputs()], sameness(kind.__name__))


@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_legal_steps_compute_what_they_do_on_the_cpu(name: str, training: bool) -> None:
    both(Step(STEPS[name]).train(training), [vectors(), ids()], sameness(name))


# What a tensor says of itself


@pytest.mark.usefixtures("accelerator")
def test_a_pretend_tensor_says_it_is_elsewhere() -> None:
    x = here(1.0, 2.0)
    assert (x.device, x.is_cuda, x.is_cpu, x.is_meta, x.get_device()) == (DEVICE, True, False, False, 0)
    assert x.cpu().device == torch.device("cpu")
    assert type(x.cpu()) is Tensor
    assert f"{x.sum():.2f}" == "3.00"
    assert repr(x) == "tensor([1., 2.]) on cuda:0"
    assert (x.tolist(), x[0].item(), bool(x[0] == 1)) == ([1.0, 2.0], 1.0, True)


@pytest.mark.usefixtures("accelerator")
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.arange(3, device="cuda"),
        lambda: torch.zeros(3, device="cuda:0"),
        lambda: torch.ones(3, device=0),
        lambda: torch.ones(3).to("cuda"),
        lambda: torch.ones(3).to(device="cuda"),
        lambda: torch.ones(3).to(0),
        lambda: torch.ones(3).cuda(),
        lambda: torch.zeros_like(here(1.0)),
        lambda: torch.zeros_like(torch.ones(3), device=DEVICE),
        lambda: nn.Linear(2, 2).cuda().weight,
        lambda: nn.Linear(2, 2, device=DEVICE).weight,
        lambda: here(1.0).new_tensor([1]),
        lambda: torch.tensor([1.0], device=DEVICE, requires_grad=True),
    ],
)
def test_ways_to_the_accelerator(make: Callable[[], Tensor]) -> None:
    assert isinstance(make(), PretendTensor)


@pytest.mark.usefixtures("accelerator")
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.arange(3),
        lambda: here(1.0).cpu(),
        lambda: here(1.0).to("cpu"),
        lambda: here(1.0).new_zeros(3, device="cpu"),
        lambda: here(1.0).new_tensor([1], device="cpu"),
        lambda: torch.zeros_like(here(1.0), device="cpu"),
        lambda: torch.tensor(here(1.0).tolist()),
        lambda: torch.empty(1).copy_(here(1.0)),
    ],
)
def test_what_stays_on_the_cpu(make: Callable[[], Tensor]) -> None:
    assert type(make()) is Tensor


@pytest.mark.usefixtures("accelerator")
def test_a_copy_shares_nothing_and_a_view_everything() -> None:
    x = torch.ones(2, 3)
    y = x.to(DEVICE)
    y.T[0, 1] = 5
    y.view(-1)[0] = 7
    assert y.tolist() == [[7.0, 1.0, 1.0], [5.0, 1.0, 1.0]]
    assert x.sum() == 6


@pytest.mark.usefixtures("accelerator")
def test_in_place_operators_return_their_operand() -> None:
    x, out = here(1.0, 2.0), here(0.0, 0.0)
    assert x.add_(1) is x
    assert torch.add(x, 1, out=out) is out
    assert out.tolist() == [3.0, 4.0]
    assert x.unsqueeze_(0).shape == (1, 2)
    assert (x * 2).shape == (1, 2)


# What a GPU refuses


@pytest.mark.usefixtures("accelerator")
@pytest.mark.parametrize(
    ("operator", "mix"),
    [
        ("add", lambda x: x + torch.ones(2)),
        ("add", lambda x: torch.ones(2).add_(x)),
        ("add", lambda x: torch.tensor(0.0).add_(x.sum())),
        ("mul", lambda x: torch.mul(x, 2, out=torch.empty(2))),
        ("cat", lambda x: torch.cat([x, torch.ones(2)])),
        ("stack", lambda x: torch.stack([x.sum(), torch.tensor(1.0)])),
        ("matmul", lambda x: x[None] @ torch.ones(2, 2)),
        ("where", lambda x: torch.where(torch.tensor([True, False]), x, x)),
        ("indexing", lambda x: torch.ones(3)[x.long()]),
        ("indexing", lambda x: x.index_put((torch.tensor([0, 1]),), torch.ones(2))),
        ("gather", lambda x: x.gather(0, torch.tensor([0]))),
        ("index_select", lambda x: x.index_select(0, torch.tensor(0))),
        ("embedding", lambda x: nn.functional.embedding(torch.tensor(0), x[None])),
        ("linear", lambda x: nn.functional.linear(x[None], torch.ones(2, 2, device=DEVICE), torch.ones(2))),
        ("bernoulli", lambda x: torch.bernoulli(x.clamp(0, 1), generator=torch.Generator())),
        ("numpy", lambda x: x.numpy()),
        ("numpy", lambda x: np.asarray(x)),
        ("numpy", lambda x: np.sin(x)),
    ],
)
def test_two_devices_are_refused(operator: str, mix: Callable[[Tensor], Any]) -> None:
    with pytest.raises(DeviceMismatch) as caught:
        mix(here(1.0, 2.0))
    assert caught.value.operator == operator
    assert str(caught.value).startswith(f"{operator} ")


@pytest.mark.usefixtures("accelerator")
@pytest.mark.parametrize(
    "mix",
    [
        lambda x: x * torch.tensor(2.0),
        lambda x: torch.tensor(2.0) - x,
        lambda x: x.add_(torch.tensor(2.0)),
        lambda x: x.masked_fill(x > 1, torch.tensor(0.0)),
        lambda x: torch.where(x > 1, x, torch.tensor(0.0)),
        lambda x: x[torch.tensor([1, 0])],
        lambda x: x[torch.tensor([True, False])],
        lambda x: x.index_put_((torch.tensor([0]),), torch.tensor(1.0)),
        lambda x: x.copy_(torch.ones(2)),
        lambda x: x.clamp(min=torch.tensor(1.0)),
    ],
)
def test_a_cpu_number_or_index_is_allowed(mix: Callable[[Tensor], Tensor]) -> None:
    assert isinstance(mix(here(1.0, 2.0)), PretendTensor)


def test_the_line_of_the_last_cpu_tensor_is_known(accelerator: Any) -> None:
    assert accelerator.cpu_line is None
    here(1.0).cpu()
    assert accelerator.cpu_line == _line_of("here(1.0).cpu()")


def _line_of(text: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.strip() == text)


# Moving a module


def test_parameters_stay_the_same_objects() -> None:
    module = TiedTables()
    before = list(module.parameters())
    with pretend_accelerator(__file__):
        assert move(module) is module
        assert all(one is other for one, other in zip(module.parameters(), before, strict=True))
        assert all(isinstance(p, PretendTensor) and isinstance(p, nn.Parameter) for p in before)
        assert module.head.weight is module.tok.weight is module.kept[0]
        move_back(module)
    assert all(one is other for one, other in zip(module.parameters(), before, strict=True))
    assert all(type(p) is nn.Parameter and p.is_leaf and p.requires_grad for p in before)


def test_only_what_is_registered_moves() -> None:
    module = nn.Module()
    module.register_buffer("kept", torch.ones(2))
    module.register_parameter("frozen", nn.Parameter(torch.ones(2), requires_grad=False))
    module.register_parameter("absent", None)
    module.plain = torch.ones(2)
    module.listed = [nn.Linear(2, 2)]
    with pretend_accelerator(__file__):
        move(module)
    assert isinstance(module.kept, PretendTensor)
    assert isinstance(module.frozen, PretendTensor)
    assert not module.frozen.requires_grad
    assert type(module.plain) is Tensor
    assert type(module.listed[0].weight) is nn.Parameter


def test_attributes_and_hooks_of_a_parameter_move_along() -> None:
    module, seen = BertSum(), []
    module.tok.weight.label = "tokens"
    module.tok.weight.register_hook(lambda gradient: seen.append(type(gradient)))
    with pretend_accelerator(__file__):
        move(module)
        assert module.tok.weight.label == "tokens"
        torch.autograd.backward([module(ids().to(DEVICE)).pow(3).sum()])
    assert seen == [PretendTensor]


@pytest.mark.usefixtures("accelerator")
def test_a_deep_copy_keeps_parameters() -> None:
    copy = deepcopy(move(BertSum()))
    assert sum(1 for _ in copy.parameters()) == 5
    assert all(isinstance(p, nn.Parameter) and isinstance(p, PretendTensor) for p in copy.parameters())


def test_a_pretend_tensor_still_works_outside() -> None:
    with pretend_accelerator(__file__):
        x = here(1.0, 2.0)
    assert (x * 2).tolist() == [2.0, 4.0]
    with pytest.raises(DeviceMismatch):
        x + torch.ones(2)


def test_nothing_is_left_entered() -> None:
    depth = torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()

    def student() -> None:
        torch.overrides.BaseTorchFunctionMode().__enter__()
        torch.utils._python_dispatch.BaseTorchDispatchMode().__enter__()
        torch.set_default_device("cpu")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), pretend_accelerator(__file__):
        student()
    assert (torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()) == depth
    # A build without CUDA says the one, a build with CUDA on a machine without a GPU the other.
    with pytest.raises((AssertionError, RuntimeError), match=r"CUDA|NVIDIA"):
        torch.ones(2, device="cuda")
