"""How the judge reads a worker's answer: to this order, in the form that its answers have, or not at all.

What an answer says may be a lie; of what it is made is settled here, once, so that nobody who asks need look again.
Forms are those of `orders`, as `values` carries them. Where something of the student's own comes through (a result, an
attribute, a mode), it may be anything that travels.
"""

from collections.abc import Iterable
from typing import Any

from graders.engine.run.raised import FAMILIES, MAX_FRAMES, Raised
from graders.engine.run.values import MAX_INT, RemoteObject, cut_text, unpack
from graders.engine.run.wire import Message, WireError

FAMILY_NAMES = [family.__name__ for family in FAMILIES]
MOST_AXES = 64
"""Torch makes no tensor with more."""


def read_answer(message: Message, number: str, order: str, arguments: dict[str, Any]) -> Any:
    """Return the answer in a message, of the form that answers to this order have, or Raised; else raise WireError."""
    match message.fields:
        case {"id": str(answered), "raised": data, **more} if answered == number and not more:
            return _read_raised(data)
        case {"id": str(answered), "value": data, **more} if answered == number and not more:
            value = unpack(data, message.tensors)
            if has_form(order, arguments, value):
                return value
            raise WireError(f"an answer to {order} has not the form of one")
    raise WireError("an answer to another order, or none")


def has_form(order: str, arguments: dict[str, Any], answer: Any) -> bool:
    """Return whether a value has the form of an answer to this order, which was given with these arguments."""
    match order, answer:
        case "make" | "make_given" | "read" | "random_numbers", _:
            return True
        case "give" | "assign" | "set_mode" | "cast", None:
            return True
        case "load", {"names": list(names), "notes": list(notes)}:
            return _all(str, names) and _all(str, notes)
        case "open_todos", list(pairs):
            return all(isinstance(pair, list) and len(pair) == 2 and _all(int, pair) for pair in pairs)
        case "describe", {
            "defined": bool(),
            "kind": str(),
            "callable": bool(),
            "is_module_class": bool(),
            "lines": dict(lines),
        }:
            return _all(int, lines.values())
        case "call" | "call_function", {"result": _}:
            return len(answer) == 1
        case "arguments_now", list(seen):
            return bool(len(seen) == arguments["count"])
        case "backward", {"result": _, "inputs": list(inputs), "gradients": list(gradients)}:
            return len(inputs) == len(arguments["args"]) and len(gradients) == len(arguments["paths"])
        case "backward_function", {"result": _, "inputs": list(inputs)}:
            return len(inputs) == len(arguments["args"])
        case "inventory", {"parameters": parameters, "buffers": buffers, "training": _}:
            return _lists_tensors(parameters) and _lists_tensors(buffers)
        case "registration", str():
            return True
        case "train", list(losses):
            return len(losses) == arguments["steps"] and _all(float, losses)
        case "place" | "place_function", {"kind": str(), "message": str(), "line": line, "operator": str()}:
            return line is None or type(line) is int
    return False


def _all(kind: type, items: Iterable[Any]) -> bool:
    """Return whether all items are exactly of this type; True is no whole number here."""
    return all(type(item) is kind for item in items)


def _lists_tensors(table: Any) -> bool:
    """Return whether this says what each tensor of a module is; more than may travel are named as one object."""
    if isinstance(table, RemoteObject):
        return True
    return isinstance(table, dict) and all(map(_tells_a_tensor, table.values()))


def _tells_a_tensor(facts: Any) -> bool:
    match facts:
        case {"shape": list(sizes), "dtype": str(), "requires_grad": bool()}:
            return len(sizes) <= MOST_AXES and _all(int, sizes) and all(size >= 0 for size in sizes)
    return False


def _read_raised(data: Any) -> Raised:
    match data:
        case {
            "type": str(type_name), "families": list(families), "message": str(message), "line": line,
            "frames": list(frames), **more,
        } if not more and _may_be_line(line):  # fmt: skip
            known = len(families) <= len(FAMILY_NAMES) and all(family in FAMILY_NAMES for family in families)
            if known and len(frames) <= MAX_FRAMES and all(map(_is_frame, frames)):
                told = tuple((number, cut_text(name)) for number, name in frames if _is_line(number))
                line = line if _is_line(line) else None
                return Raised(cut_text(type_name), tuple(families), cut_text(message), line, told)
    raise WireError("an exception is not described as one")


def _is_frame(frame: Any) -> bool:
    return isinstance(frame, list) and len(frame) == 2 and _may_be_line(frame[0]) and isinstance(frame[1], str)


def _may_be_line(number: Any) -> bool:
    """Return whether Python may say this of where something happened: nothing, or any whole number it was told."""
    return number is None or type(number) is int


def _is_line(number: int | None) -> bool:
    return number is not None and 0 < number < MAX_INT
