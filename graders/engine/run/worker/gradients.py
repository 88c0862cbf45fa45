"""The orders that go backward: through a module or a function of the student's, from a gradient that the judge sends.

Torch's own functions are taken when this module is imported, as in `orders`.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from graders.engine.run.worker.workbench import Bench

_seed, _enable_grad, _Tensor = torch.default_generator.manual_seed, torch.enable_grad, torch.Tensor


def backward(
    bench: Bench,
    module: nn.Module,
    args: list[Any],
    kwargs: dict[str, Any],
    seed: int,
    upstream: torch.Tensor,
    paths: list[str],
) -> dict[str, Any]:
    """Call a module and send `upstream` backward; the answer has the result and every gradient asked for.

    A gradient is None where nothing arrived, as everywhere if the result is no tensor or is cut from the graph.
    Gradients of floating-point arguments come along.
    """
    tensors = [resolve(module, path) for path in paths]
    for tensor in tensors:
        tensor.grad = None
    answer = _go_backward(module, args, kwargs, seed, upstream)
    return answer | {"gradients": [None if tensor.grad is None else dense(tensor.grad) for tensor in tensors]}


def backward_function(
    bench: Bench, name: str, args: list[Any], kwargs: dict[str, Any], seed: int, upstream: torch.Tensor
) -> dict[str, Any]:
    """Call a function of the file and send `upstream` backward; the answer has the gradients of its arguments."""
    return _go_backward(bench.namespace()[name], args, kwargs, seed, upstream)


def _go_backward(
    function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], seed: int, upstream: torch.Tensor
) -> dict[str, Any]:
    _seed(seed)
    for arg in args:
        if isinstance(arg, _Tensor) and arg.is_floating_point():
            arg.requires_grad_(True)
    with _enable_grad():
        result = function(*args, **kwargs)
        if isinstance(result, _Tensor) and result.requires_grad:
            result.backward(upstream)  # type: ignore[no-untyped-call]
    return {"result": result, "inputs": [arg.grad if isinstance(arg, _Tensor) else None for arg in args]}


def resolve(module: nn.Module, path: str) -> Any:
    """Return the attribute of a module at a dotted path."""
    value: Any = module
    for part in path.split("."):
        value = getattr(value, part)
    return value


def dense(gradient: torch.Tensor) -> torch.Tensor:
    return gradient.to_dense() if gradient.is_sparse else gradient
