"""Values and student text in words that fit on a line, with nothing in them that a terminal would obey."""

import re
import unicodedata

import torch

from graders.engine.run.values import RemoteObject, RemoteTensor

LONGEST_TEXT = 500
LONGEST_FIELD = 2000
"""What a score card takes; a check may join several texts of a student's."""
KEPT_CONTROLS = "\n\t"
# A log of GitHub's obeys these wherever a line begins so, and a report may break a line anywhere.
LOG_COMMAND = re.compile(r"::(?=[\w-]+[^:\n]*::)|##(?=\[)")
HIDDEN_CATEGORIES = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}


def clean(text: str, limit: int = LONGEST_TEXT) -> str:
    """Return a student's text that nothing obeys, cut at `limit` characters.

    Control and invisible characters are made visible, commands to a log are broken in two. Cleaning twice is harmless.
    """
    shown = "".join(_visible(character) for character in text[: limit + 1].replace("\r\n", "\n"))
    shown = LOG_COMMAND.sub(lambda found: f"{found[0][0]} {found[0][1]}", shown)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _visible(character: str) -> str:
    if character in KEPT_CONTROLS or unicodedata.category(character) not in HIDDEN_CATEGORIES:
        return character
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"


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
