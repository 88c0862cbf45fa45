"""An answer sheet: the texts that a student wrote behind ``answer:`` in a YAML file, and where they stand.

Every value is a text, ``yes`` and ``2`` like any other. What can't be read is told in words for somebody who has never
heard of YAML.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from graders.engine.load.sheet.errors import BELOW, MISPLACED, SheetProblem, explain
from graders.engine.load.sheet.tree import Keys, Node, SheetText, read_tree

__all__ = ["Sheet", "SheetProblem", "SheetText", "read_sheet"]

MAX_BYTES = 64 * 1024
ANSWER = "answer"
KEYS = ("question", "options", ANSWER)

# Line breaks that no editor counts, spaces that a web page or a text processor uses, and marks of byte order.
_ODD_CHARACTERS = dict.fromkeys([0x85, 0xA0, 0x2007, 0x2028, 0x2029, 0x202F], " ") | {0xFEFF: None, 0x200B: None}


@dataclass(frozen=True, slots=True)
class Sheet:
    """The answers by question, in the order of the file; an open question has an empty text."""

    answers: Mapping[str, SheetText]


def read_sheet(source: bytes) -> Sheet:
    """Return the answers in the bytes of a sheet; raises SheetProblem, with the line, where they can't be told."""
    text = _decode(source)
    try:
        root = read_tree(text)
    except yaml.YAMLError as error:
        raise explain(error, text.split("\n")) from error
    if not isinstance(root, Keys):
        raise SheetProblem(1, "the file holds no questions", "Copy the sheet anew from the course and fill it in.")
    return Sheet({name: _answer(name, node, root.lines[name]) for name, node in root.values.items()})


def _decode(source: bytes) -> str:
    if len(source) > MAX_BYTES:
        size = f"the file has {len(source)} bytes, and a sheet has {MAX_BYTES} at most"
        raise SheetProblem(1, size, "Answer with a word or a few sentences.")
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        remedy = "Save it as UTF-8: your editor's settings name it."
        raise SheetProblem(line, "the file is not UTF-8", remedy) from error
    text = text.translate(_ODD_CHARACTERS).replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(_without_inner_tabs(line) for line in text.split("\n"))


def _without_inner_tabs(line: str) -> str:
    """A tab inside a line is a space like any other; one that indents it is not, since nobody knows how wide it is."""
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)] + rest.replace("\t", " ")


def _answer(name: str, node: Node, line: int) -> SheetText:
    """Return what stands under `answer`, or right behind the question's own key."""
    if not isinstance(node, Keys):
        return _joined(node, line)
    found: list[SheetText] = []
    for key, value in node.values.items():
        known = key.strip().lower()
        if known not in KEYS:
            raise SheetProblem(node.lines[key], f'"{key[:40]}" is none of {", ".join(KEYS)}', MISPLACED)
        if known == ANSWER and found:
            raise SheetProblem(node.lines[key], f"{name[:40]} has a second answer here", "Keep one of the two.")
        if known == ANSWER:
            found.append(_joined(value, node.lines[key]))
    return found[0] if found else SheetText("", line)


def _joined(node: Node, line: int) -> SheetText:
    """Return one text; the items of a list become its parts."""
    if isinstance(node, Keys):
        raise SheetProblem(node.line, "a colon with a space after it splits this answer in two", BELOW)
    if isinstance(node, SheetText):
        return node
    parts = [_joined(item, line) for item in node.items]
    comment = " ".join(part.comment for part in parts if part.comment)
    return SheetText("; ".join(part.text for part in parts if part.text), node.line, comment)
