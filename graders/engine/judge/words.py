"""Values in words that fit on a line."""

import torch

from graders.engine.clean import clean
from graders.engine.run.values import RemoteObject, RemoteTensor

LONGEST_FIELD = 2000
"""What a score card takes; a check may join several texts of a student's."""


def describe(value: object) -> str:
    """Return what a value is: "None", "a tensor of shape (2, 3), float32", "a list of 4 items"."""
    match value:
        case RemoteTensor():
            return f"a tensor of shape {shape_of(value.values)}, {dtype_name(value.values.dtype)}"
        case torch.Tensor():
            return f"a tensor of shape {shape_of(value)}, {dtype_name(value.dtype)}"
        case RemoteObject():
            return f"a {value.type_name}"
        case None | bool() | int() | float():
            return str(value)
        case str():
            return f"the text {clean(value, 60)!r}"
        case list() | tuple() | dict():
            return f"a {type(value).__name__} of {len(value)} items"
    return f"a {type(value).__name__}"


def shape_of(tensor: torch.Tensor) -> str:
    """Return a shape as Python writes a tuple."""
    return str(tuple(tensor.shape))


def dtype_name(dtype: torch.dtype) -> str:
    """Return "float32" for torch.float32."""
    return str(dtype).removeprefix("torch.")


def number(value: float) -> str:
    """Return a number with as many digits as help a reader."""
    return f"{value:.6g}"


def indices(chosen: list[int], size: int) -> str:
    """Return positions along an axis in words: "every", "3", "2 to 7" or "0, 4, 5, ..."."""
    if len(chosen) == size and size > 1:
        return "every"
    if len(chosen) > 1 and chosen[-1] - chosen[0] == len(chosen) - 1:
        return f"{chosen[0]} to {chosen[-1]}"
    return ", ".join(str(index) for index in chosen[:4]) + (", ..." if len(chosen) > 4 else "")
