"""The fixture `student`: the submission as a check sees it. Classes, modules and functions of it live in the worker.

`student.SomeClass(d_model=8)` makes an object over there; calling it returns plain values (`RemoteTensor`, numbers,
None, lists). What the student's code raises ends the check, unless it is called through `attempt`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from graders.engine.judge.attempt import Attempt
from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import Unexpected, tensor_in
from graders.engine.judge.words import clean, describe, dtype_name
from graders.engine.run.connection import Raised
from graders.engine.run.values import RemoteObject, RemoteTensor


@dataclass(frozen=True, slots=True)
class Facts:
    """What a registered tensor is, without its values."""

    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """A module's registered parameters and buffers by name, and its mode."""

    parameters: dict[str, Facts]
    buffers: dict[str, Facts]
    training: bool


@dataclass(frozen=True, slots=True)
class Backward:
    """A call and the gradients after it: by the path asked for, and of each argument. None: nothing arrived."""

    result: Any
    gradients: dict[str, RemoteTensor | None]
    inputs: tuple[RemoteTensor | None, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """How a module fared on an accelerator; see `run.placement`."""

    kind: str
    message: str
    line: int | None


class Student:
    """The names that the student's file defines."""

    def __init__(self, attempt: Attempt, rng: Draw) -> None:
        self._attempt = attempt
        self._rng = rng

    def __getattr__(self, name: str) -> "Definition":
        if name.startswith("_"):
            raise AttributeError(name)
        return Definition(self._attempt, self._rng, name)


class Definition:
    """A class or function of the student's file, by name."""

    def __init__(self, attempt: Attempt, rng: Draw, name: str) -> None:
        self._attempt = attempt
        self._rng = rng
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it in the worker. A module comes back as a `Module`, anything else as a plain value."""
        return self.seeded(self._rng.seed(), *args, **kwargs)

    def seeded(self, seed: int, *args: Any, **kwargs: Any) -> Any:
        """Call it with the worker's generator seeded by `seed`."""
        attempt = self._attempt
        attempt.asked = (self.name, "__init__")
        made = attempt.order(
            "make", f"making {self.name}(...)", name=self.name, args=list(args), kwargs=kwargs, seed=seed
        )
        if isinstance(made, RemoteObject) and made.handle is not None:
            return Module(attempt, self._rng, made, self.name)
        if self.name[0].isupper():  # a class's name: checks go on to use the module
            raise Unexpected(f"{self.name}(...) makes an nn.Module", describe(made))
        return made

    def random_after(self, seed: int, **kwargs: Any) -> torch.Tensor:
        """Return the next three random numbers after making an object with the generator seeded by `seed`."""
        self.seeded(seed, **kwargs)
        return tensor_in(self._attempt.order("random_numbers", "drawing random numbers", seed=None))

    def expect_module_class(self) -> None:
        """Expect that the file defines this name, as a subclass of nn.Module."""
        wanted = f"a class {self.name}(nn.Module) in {self._attempt.file.label}"
        facts = self._attempt.describe(self.name)
        if facts["defined"] is not True:
            names = ", ".join(clean(name, 60) for name in self._attempt.names[:8]) or "nothing"
            raise Unexpected(wanted, f"the file defines {names}", f"Keep the stub's name: {self.name}.")
        if facts["kind"] != "class":
            hint = "Write it as a class whose __init__ makes the parts and whose forward uses them."
            raise Unexpected(wanted, f"{self.name} is a {clean(str(facts['kind']))}", hint)
        if facts["is_module_class"] is not True:
            raise Unexpected(wanted, "a class that isn't an nn.Module", f"Write `class {self.name}(nn.Module):`.")

    def place(self, inputs: Sequence[torch.Tensor | None], **kwargs: Any) -> Trial:
        """Return how an object made with `kwargs` fares on an accelerator with these inputs."""
        self._attempt.asked = (self.name, "forward")
        found = self._attempt.order(
            "place", "trying it on an accelerator", name=self.name, kwargs=kwargs, inputs=list(inputs)
        )
        line = found["line"] if isinstance(found["line"], int) else None
        return Trial(str(found["kind"]), clean(str(found["message"])), line)


class Module:
    """An nn.Module that lives in the worker."""

    def __init__(self, attempt: Attempt, rng: Draw, remote: RemoteObject, name: str) -> None:
        self._attempt = attempt
        self._rng = rng
        self._remote = remote
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module returns for these inputs."""
        return self._call(self._attempt.order, args, kwargs)["result"]

    def attempt(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the module returns, or `Raised` if it raises."""
        answer = self._call(self._attempt.try_order, args, kwargs)
        return answer if isinstance(answer, Raised) else answer["result"]

    def call_and_show_arguments(self, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """Return the result, and the arguments as they are after the call."""
        answer = self._call(self._attempt.order, args, kwargs)
        return answer["result"], answer["arguments"]

    def call_then_random(self, *args: Any, seed: int) -> torch.Tensor:
        """Call it with torch's generator seeded, and return the next three random numbers after it."""
        self._call(self._attempt.order, args, {}, seed=seed)
        return tensor_in(self._attempt.order("random_numbers", "drawing random numbers", seed=None))

    def forward_backward(self, *args: Any, upstream: torch.Tensor, of: Sequence[str] = (), **kwargs: Any) -> Backward:
        """Call it, send `upstream` backward from the result, and return the gradients at the paths `of`."""
        self._attempt.asked = (self.name, "forward")
        answer = self._order(
            "backward",
            f"calling {self.name} and going backward through it",
            args=list(args),
            kwargs=kwargs,
            seed=self._rng.seed(),
            upstream=upstream,
            paths=list(of),
        )
        return Backward(answer["result"], dict(zip(of, answer["gradients"], strict=True)), tuple(answer["inputs"]))

    def inventory(self) -> Inventory:
        """Return what the module has registered, and its mode."""
        answer = self._order("inventory", "listing its parameters")
        if not all(isinstance(answer[key], dict) for key in ("parameters", "buffers")):
            raise Unexpected("a module with a few parameters and buffers", "more than can be listed")
        tables = [
            {name: Facts(tuple(f["shape"]), f["dtype"], f["requires_grad"]) for name, f in answer[key].items()}
            for key in ("parameters", "buffers")
        ]
        return Inventory(tables[0], tables[1], answer["training"] is True)

    def registration(self, path: str) -> str:
        """Return how the tensor at a path is registered: "parameter", "buffer", "plain" or "missing"."""
        return str(self._order("registration", f"looking for {path}", path=path))

    def read(self, path: str) -> Any:
        """Return the attribute at a dotted path."""
        return self._order("read", f"reading {path}", path=path)

    def assign(self, values: dict[str, torch.Tensor]) -> None:
        """Put new values into the tensors at dotted paths, in place, as an optimiser does."""
        self._order("assign", "setting its weights", values=values)

    def train(self) -> "Module":
        """Put it in training mode."""
        return self._set("set_mode", "calling train()", training=True)

    def eval(self) -> "Module":
        """Put it in evaluation mode."""
        return self._set("set_mode", "calling eval()", training=False)

    def to(self, dtype: torch.dtype) -> "Module":
        """Convert its floating-point tensors."""
        return self._set("cast", f"converting it to {dtype_name(dtype)}", dtype=dtype_name(dtype))

    def _set(self, order: str, doing: str, **arguments: Any) -> "Module":
        self._order(order, doing, **arguments)
        return self

    def _call(
        self, give: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], seed: int | None = None
    ) -> Any:
        self._attempt.asked = (self.name, "forward")
        return give(
            "call",
            f"calling {self.name} with {', '.join(describe(arg) for arg in [*args, *kwargs.values()])}",
            module=self._remote,
            args=list(args),
            kwargs=kwargs,
            seed=self._rng.seed() if seed is None else seed,
        )

    def _order(self, order: str, doing: str, **arguments: Any) -> Any:
        return self._attempt.order(order, doing, module=self._remote, **arguments)
