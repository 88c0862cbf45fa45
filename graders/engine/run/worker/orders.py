"""The closed list of orders that a worker obeys, each a small function on the student's objects.

Torch's own functions are taken when this module is imported, before any student code runs, so that a file which
replaces them deceives nobody but itself.
"""

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from types import ModuleType
from typing import Any

import torch
from torch import nn

from graders.engine.run.values import pack, unpack_all
from graders.engine.run.wire import DTYPES, Message
from graders.engine.run.worker.given_file import load_given_file
from graders.engine.run.worker.gradients import backward, backward_function, resolve
from graders.engine.run.worker.notebook.file import load_notebook
from graders.engine.run.worker.placement import probe_placement
from graders.engine.run.worker.registered import registered
from graders.engine.run.worker.student_file import load_student_file
from graders.engine.run.worker.training import train
from graders.engine.run.worker.workbench import Bench, own

_seed, _rand, _no_grad = torch.default_generator.manual_seed, torch.rand, torch.no_grad
_Module = nn.Module
_no_overrides = torch._C.DisableTorchFunction
_shape, _dtype = torch._C.TensorBase.shape.__get__, torch._C.TensorBase.dtype.__get__  # type: ignore[attr-defined]
_requires_grad = torch._C.TensorBase.requires_grad.__get__  # type: ignore[attr-defined]


def obey(bench: Bench, message: Message) -> tuple[Any, list[torch.Tensor]]:
    """Carry out one order and return its answer as JSON and tensors; the student's exceptions come through."""
    order = message.fields
    answer = ORDERS[order["order"]](bench, **own(bench, unpack_all(order.get("arguments", {}), message.tensors)))
    tensors: list[torch.Tensor] = []
    return pack(answer, tensors, bench.keep), tensors


def load(
    bench: Bench,
    source: torch.Tensor,
    name: str,
    label: str,
    cells: list[list[int]] | None = None,
    wanted: Sequence[str] = (),
) -> dict[str, Any]:
    """Run the student's file, or what a notebook needs for the names `wanted`.

    The answer tells which public names it defines, and what a notebook's student should know about its cells.
    """
    data = source.numpy().tobytes()
    file = load_student_file(data, name, label) if cells is None else load_notebook(data, name, label, cells, wanted)
    bench.file = file
    # Python lets a file put anything among its names.
    names = [name for name, value in bench.namespace().items() if type(name) is str and type(value) is not ModuleType]
    public = [name for name in dict.fromkeys([*names, *file.names]) if not name.startswith("_")]
    return {"names": public[:200], "notes": list(file.notes)}


def open_todos(bench: Bench) -> list[list[int]]:
    """Return every TODO that the file still raises: its number, and where the class or function around it begins."""
    assert bench.file is not None
    return [[number, home] for number, (_, home) in bench.file.todos.items()]


def describe(bench: Bench, name: str) -> dict[str, Any]:
    """Return what `name` is in the student's file and on which lines it and its methods begin."""
    assert bench.file is not None
    value = bench.namespace().get(name)
    is_class = inspect.isclass(value)
    methods = vars(value).items() if is_class else [(name, value)]
    lines = {key: line for key, item in methods if (line := _first_line(item, bench.file.label)) is not None}
    return {
        "defined": name in bench.namespace(),
        "kind": "class" if is_class else type(value).__name__,
        "callable": callable(value),
        "is_module_class": is_class and issubclass(value, _Module),  # type: ignore[arg-type]
        "lines": lines,
    }


def _first_line(value: object, label: str) -> int | None:
    """Return where a function of the student's file begins; a decorator may have wrapped it in one of torch's."""
    if not inspect.isfunction(value):
        return None
    code = inspect.unwrap(value).__code__
    return code.co_firstlineno if code.co_filename == label else None


def make(bench: Bench, name: str, args: list[Any], kwargs: dict[str, Any], seed: int) -> Any:
    """Call a class or function of the file by name, with torch's generator set to `seed` first."""
    _seed(seed)
    return bench.namespace()[name](*args, **kwargs)


def give(bench: Bench, source: torch.Tensor, label: str) -> None:
    """Run a file of the course's own, from which checks make objects that they hand to the student's functions."""
    bench.given = load_given_file(source.numpy().tobytes(), label)


def make_given(bench: Bench, name: str, args: list[Any], kwargs: dict[str, Any], seed: int) -> Any:
    """Call a class of the course's own file by name, with torch's generator set to `seed` first."""
    assert bench.given is not None
    _seed(seed)
    return bench.given[name](*args, **kwargs)


def call_function(bench: Bench, name: str, args: list[Any], kwargs: dict[str, Any], seed: int) -> dict[str, Any]:
    """Call a function of the file by name."""
    _seed(seed)
    bench.latest = args
    return {"result": bench.namespace()[name](*args, **kwargs)}


def call(bench: Bench, module: nn.Module, args: list[Any], kwargs: dict[str, Any], seed: int) -> dict[str, Any]:
    """Call a module."""
    _seed(seed)
    bench.latest = args
    return {"result": module(*args, **kwargs)}


def arguments_now(bench: Bench, count: int) -> list[Any]:
    """Return the arguments of the latest call as they are by now. It is asked for later, so that no call tells."""
    return bench.latest[:count]


def inventory(bench: Bench, module: nn.Module) -> dict[str, Any]:
    """Return every registered parameter and buffer (shape, dtype, requires_grad), and the module's mode."""
    return {
        "parameters": {name: _facts(tensor) for name, tensor in registered(module, "_parameters").items()},
        "buffers": {name: _facts(tensor) for name, tensor in registered(module, "_buffers").items()},
        "training": module.training,
    }


def _facts(tensor: torch.Tensor) -> dict[str, Any]:
    # By torch's own descriptors: a subclass may have properties of these names.
    with _no_overrides():
        return {
            "shape": list(_shape(tensor)),
            "dtype": str(_dtype(tensor)).removeprefix("torch."),
            "requires_grad": _requires_grad(tensor),
        }


def registration(bench: Bench, module: nn.Module, path: str) -> str:
    """Return how the tensor at `path` is registered: "parameter", "buffer", "plain", or "missing"."""
    tensor = None
    with suppress(AttributeError):
        tensor = resolve(module, path)
    if tensor is None:
        return "missing"
    for kind, word in (("_parameters", "parameter"), ("_buffers", "buffer")):
        if any(tensor is held for held in registered(module, kind).values()):
            return word
    return "plain"


def read(bench: Bench, module: nn.Module, path: str) -> Any:
    """Return the attribute at a dotted path."""
    return resolve(module, path)


def assign(bench: Bench, module: nn.Module, values: dict[str, torch.Tensor]) -> None:
    """Copy new values into the tensors at dotted paths, as an optimiser would: in place."""
    with _no_grad():
        for path, value in values.items():
            resolve(module, path).copy_(value)


def set_mode(bench: Bench, module: nn.Module, training: bool) -> None:
    """Put a module in training or evaluation mode."""
    module.train(training)


def cast(bench: Bench, module: nn.Module, dtype: str) -> None:
    """Convert a module's floating-point parameters and buffers."""
    module.to(DTYPES[dtype])


def random_numbers(bench: Bench, seed: int | None) -> torch.Tensor:
    """Return the next three numbers of torch's generator, after seeding it where a seed is given."""
    if seed is not None:
        _seed(seed)
    return _rand(3, dtype=torch.float64)


def place(bench: Bench, name: str, kwargs: dict[str, Any], inputs: list[Any]) -> dict[str, Any]:
    """Try a class on an accelerator, which is only pretended."""
    assert bench.file is not None
    made: Callable[..., nn.Module] = bench.namespace()[name]
    return asdict(probe_placement(lambda: made(**kwargs), tuple(inputs), bench.file.label))


def place_function(bench: Bench, name: str, kwargs: dict[str, Any], inputs: list[Any]) -> dict[str, Any]:
    """Try a function on an accelerator as `place` tries a class, as the forward of a module without tensors."""
    assert bench.file is not None
    function = bench.namespace()[name]
    return asdict(probe_placement(lambda: _Function(function, kwargs), tuple(inputs), bench.file.label))


class _Function(nn.Module):
    """A module that does nothing but call a function."""

    def __init__(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> None:
        super().__init__()
        self.function = function
        self.kwargs = kwargs

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs, **self.kwargs)


ORDERS: dict[str, Callable[..., Any]] = {
    order.__name__: order
    for order in (
        load, open_todos, describe, make, give, make_given, call_function, call, arguments_now, backward,
        backward_function, inventory, registration, read, assign, set_mode, cast, random_numbers, train, place,
        place_function,
    )
}  # fmt: skip
