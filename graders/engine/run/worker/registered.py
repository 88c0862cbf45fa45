"""What an nn.Module has registered, read from its own attributes and not from what its class says about them.

What `named_parameters` returns is up to methods that the student's class, or a patch of torch, may replace.
"""

from torch import Tensor, nn

# Taken before any student code can replace it; a class may have a property of that name.
_attributes_of = nn.Module.__dict__["__dict__"]


def registered(module: nn.Module, kind: str) -> dict[str, Tensor]:
    """Return each tensor that a module and its parts hold as `kind`, "_parameters" or "_buffers", by dotted name.

    One that is held twice comes once, under its first name.
    """
    found: dict[str, Tensor] = {}
    seen: set[int] = set()

    def visit(part: nn.Module, prefix: str) -> None:
        for name, tensor in _held(part, kind):
            if isinstance(tensor, Tensor) and id(tensor) not in seen:
                seen.add(id(tensor))
                found[f"{prefix}{name}"] = tensor
        for name, child in _held(part, "_modules"):
            if isinstance(child, nn.Module) and id(child) not in seen:
                seen.add(id(child))
                visit(child, f"{prefix}{name}.")

    visit(module, "")
    return found


def _held(part: nn.Module, kind: str) -> list[tuple[object, object]]:
    """Return what a module's own dictionary holds; one that is of the student's class may say something else."""
    held = _attributes_of.__get__(part).get(kind)
    return list(dict.items(held)) if isinstance(held, dict) else []
