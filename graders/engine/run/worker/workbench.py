"""What a worker holds for the judge: the student's file, the objects made from it, and the names they go by."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from graders.engine.run.values import Generator, RemoteObject, RemoteTensor
from graders.engine.run.worker.student_file import StudentFile

_Module, _Generator = nn.Module, torch.Generator  # taken before any student code can replace them


@dataclass
class Bench:
    """What a worker holds for the judge: the loaded file and the objects made from it, by handle."""

    file: StudentFile | None = None
    given: dict[str, Any] | None = None
    """The names of the course's own file, once it is loaded."""
    objects: dict[int, object] = field(default_factory=dict)
    latest: list[Any] = field(default_factory=list)
    """The arguments of the latest call."""

    def keep(self, value: object) -> RemoteObject:
        """Name a value that stays here; a module gets a handle, so that later orders can mean it."""
        name = type(value).__name__[:100]
        if not isinstance(value, _Module):
            return RemoteObject(name)
        handle = len(self.objects)
        self.objects[handle] = value
        return RemoteObject(name, handle)

    def namespace(self) -> dict[str, Any]:
        """Return the names that the loaded file defines."""
        assert self.file is not None, "an order came before the file was loaded"
        return self.file.module.__dict__


def own(bench: Bench, value: Any) -> Any:
    """Replace what stands for tensors and objects by the tensors and objects themselves."""
    kind = type(value)
    if kind is RemoteTensor:
        return value.values
    if kind is list or kind is tuple:
        return kind([own(bench, item) for item in value])
    if kind is dict:
        return {key: own(bench, item) for key, item in value.items()}
    if kind is RemoteObject and value.handle is not None:
        return bench.objects[value.handle]
    if kind is Generator:
        return _Generator().manual_seed(value.seed)
    return value
