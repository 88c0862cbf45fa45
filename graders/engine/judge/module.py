"""An nn.Module of the worker as a check sees it, and the records in which it tells about itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from graders.engine.judge.attempt import Attempt
from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import Unexpected, tensor_in
from graders.engine.judge.words import describe, dtype_name
from graders.engine.run.raised import Raised
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


class Module:
    """An nn.Module that lives in the worker."""

    def __init__(self, attempt: Attempt, rng: Draw, remote: RemoteObject, name: str) -> None:
        self._attempt = attempt
        self._rng = rng
        self.remote = remote
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
        return answer["result"], self._attempt.order("arguments_now", "looking at the arguments", count=len(args))

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
        if any(isinstance(answer[key], RemoteObject) for key in ("parameters", "buffers")):
            raise Unexpected("a module with a few parameters and buffers", "more than can be listed")
        tables = [
            {name: Facts(tuple(f["shape"]), f["dtype"], f["requires_grad"]) for name, f in answer[key].items()}
            for key in ("parameters", "buffers")
        ]
        return Inventory(tables[0], tables[1], answer["training"] is True)

    def in_training(self) -> bool:
        """Return whether it is in training mode."""
        return self.read("training") is True

    def registration(self, path: str) -> str:
        """Return how the tensor at a path is registered: "parameter", "buffer", "plain" or "missing"."""
        kind: str = self._order("registration", f"looking for {path}", path=path)
        return kind

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

    def train_classifier(
        self, ids: torch.Tensor, labels: torch.Tensor, *, steps: int, batch: int, rate: float, seed: int
    ) -> list[float]:
        """Train it in the worker, see `run.training`, and return every step's loss. It is in training mode then."""
        self._attempt.asked = (self.name, "forward")
        doing = f"training {self.name}"
        losses: list[float] = self._order(
            "train", doing, ids=ids, labels=labels, steps=steps, batch=batch, rate=rate, seed=seed
        )
        return losses

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
            module=self.remote,
            args=list(args),
            kwargs=kwargs,
            seed=self._rng.seed() if seed is None else seed,
        )

    def _order(self, order: str, doing: str, **arguments: Any) -> Any:
        return self._attempt.order(order, doing, module=self.remote, **arguments)
