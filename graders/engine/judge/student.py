"""What a check gets as `student` and `given`: classes and functions that live in the worker, as a check sees them.

`student.SomeClass(d_model=8)` makes an object over there; calling it returns plain values (`RemoteTensor`, numbers,
None, lists). What the student's code raises ends the check, unless it is called through `attempt`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from graders.engine.clean import clean
from graders.engine.judge.attempt import Attempt
from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import Unexpected, tensor_in
from graders.engine.judge.module import Backward, Module, Trial
from graders.engine.judge.words import describe
from graders.engine.run.raised import Raised
from graders.engine.run.values import RemoteObject


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
        made = self._shown(self._call(self._attempt.order, "make", args, kwargs, seed=seed))
        if self._is_class and not isinstance(made, Module):  # checks go on to use the module
            raise Unexpected(f"{self.name}(...) makes an nn.Module", describe(made))
        return made

    def attempt(self, *args: Any, **kwargs: Any) -> Any:
        """Return what a call returns, or `Raised` if it raises."""
        return self._shown(self._call(self._attempt.try_order, "make", args, kwargs, seed=self._rng.seed()))

    def call_and_show_arguments(self, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """Return a function's result, and the arguments as they are after the call."""
        answer = self._call(self._attempt.order, "call_function", args, kwargs, seed=self._rng.seed())
        after = self._attempt.order("arguments_now", "looking at the arguments", count=len(args))
        return self._shown(answer["result"]), after

    def call_then_random(self, *args: Any, seed: int, **kwargs: Any) -> torch.Tensor:
        """Call it with torch's generator seeded, and return the next three random numbers after it."""
        self.seeded(seed, *args, **kwargs)
        return tensor_in(self._attempt.order("random_numbers", "drawing random numbers", seed=None))

    def forward_backward(self, *args: Any, upstream: torch.Tensor, **kwargs: Any) -> Backward:
        """Call a function, send `upstream` backward from its result, and return the gradients of its arguments."""
        seed = self._rng.seed()
        answer = self._call(self._attempt.order, "backward_function", args, kwargs, seed=seed, upstream=upstream)
        return Backward(answer["result"], {}, tuple(answer["inputs"]))

    @property
    def _is_class(self) -> bool:
        return self.name[0].isupper()

    def _call(
        self, give: Callable[..., Any], order: str, args: Sequence[Any], kwargs: dict[str, Any], **more: Any
    ) -> Any:
        self._attempt.asked = (self.name, "__init__" if self._is_class else self.name)
        if self._is_class:
            doing = f"making {self.name}(...)"
        else:
            doing = f"calling {self.name} with {', '.join(describe(arg) for arg in [*args, *kwargs.values()])}"
        sent = [arg.remote if isinstance(arg, Module) else arg for arg in args]
        return give(order, doing, name=self.name, args=sent, kwargs=kwargs, **more)

    def _shown(self, value: Any) -> Any:
        """Return what a check sees of a result: a module it can go on to use, or the value itself."""
        if isinstance(value, RemoteObject) and value.handle is not None:
            return Module(self._attempt, self._rng, value, self.name)
        return value

    def expect_function(self) -> None:
        """Expect that the file defines this name, as a function."""
        wanted = f"a function {self.name} in {self._attempt.file.label}"
        facts = self._attempt.describe(self.name)
        self._expect_defined(facts, wanted)
        if facts["kind"] == "class" or facts["callable"] is not True:
            raise Unexpected(wanted, f"{self.name} is a {clean(str(facts['kind']))}", f"Write `def {self.name}(...):`.")

    def expect_module_class(self) -> None:
        """Expect that the file defines this name, as a subclass of nn.Module."""
        wanted = f"a class {self.name}(nn.Module) in {self._attempt.file.label}"
        facts = self._attempt.describe(self.name)
        self._expect_defined(facts, wanted)
        if facts["kind"] != "class":
            hint = "Write it as a class whose __init__ makes the parts and whose forward uses them."
            raise Unexpected(wanted, f"{self.name} is a {clean(str(facts['kind']))}", hint)
        if facts["is_module_class"] is not True:
            raise Unexpected(wanted, "a class that isn't an nn.Module", f"Write `class {self.name}(nn.Module):`.")

    def _expect_defined(self, facts: dict[str, Any], wanted: str) -> None:
        if facts["defined"] is not True and self.name in self._attempt.names:
            got = f"{self.name} stands in a part that does not run, or is deleted later"
            raise Unexpected(wanted, got, "Move it out of the if or the function around it, and delete it nowhere.")
        if facts["defined"] is not True:
            names = ", ".join(clean(name, 60) for name in self._attempt.names[:8]) or "nothing"
            raise Unexpected(wanted, f"the file defines {names}", f"Keep the stub's name: {self.name}.")

    def place(self, inputs: Sequence[Any], **kwargs: Any) -> Trial:
        """Return how a class made with `kwargs`, or a function called with them, fares on an accelerator."""
        self._attempt.asked = (self.name, "forward" if self._is_class else self.name)
        order = "place" if self._is_class else "place_function"
        found = self._attempt.order(
            order, f"trying {self.name} on an accelerator", name=self.name, kwargs=kwargs, inputs=list(inputs)
        )
        return Trial(found["kind"], clean(found["message"]), found["line"])


class Given:
    """The names that the course's own file beside the checks defines: what it makes lives in the worker as well."""

    def __init__(self, attempt: Attempt, rng: Draw, path: Path) -> None:
        self._attempt = attempt
        self._rng = rng
        self._path = path

    def __getattr__(self, name: str) -> Callable[..., Module]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self._make(name, list(args), kwargs)

    def _make(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> Module:
        self._attempt.give(self._path)
        made = self._attempt.try_order(
            "make_given", f"making {name}", name=name, args=args, kwargs=kwargs, seed=self._rng.seed()
        )
        if not isinstance(made, RemoteObject):  # Raised, most likely: ours to explain, as the student wrote none of it
            came = f"{made.type_name}: {made.message}" if isinstance(made, Raised) else describe(made)
            raise RuntimeError(f"{self._path.name}: {name} could not be made: {came}")
        return Module(self._attempt, self._rng, made, name)
