"""Adds an exercise to the text of a rubric, and leaves everything that stands there as it is."""

import math
from collections.abc import Sequence

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node

from graders.engine.errors import CourseError
from graders.engine.load.course import RUBRIC


def with_exercise(text: str, slug: str, title: str, visible: Sequence[str], hidden: Sequence[str]) -> str:
    """The text with one more exercise, the last of the list, whose checks are worth a point each.

    Raises CourseError if the list is written in a way that has no place for a block of lines.
    """
    exercises = _exercises(text)
    if exercises.flow_style:
        raise CourseError(f"{RUBRIC}: write exercises as indented lines, not in braces; a new one is added below them")
    outer, inner = _margins(exercises)
    block = [
        f"{outer}{slug}:",
        f"{outer}{inner}title: {_as_yaml(title)}",
        *(
            f"{outer}{line}"
            for key, names in (("visible", visible), ("hidden", hidden))
            for line in (f"{inner}{key}:", *(f"{inner}{inner}{name}: 1" for name in names))
        ),
    ]
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    end = _last_line(exercises) + 1
    before, after = "".join(lines[:end]), "".join(lines[end:])
    if not before.endswith("\n"):
        before += newline
    added = before + newline + newline.join(block) + newline + after
    _require_only_addition(text, added, slug)
    return added


def _exercises(text: str) -> MappingNode:
    """The node of the list of exercises, in a text that has been read as a rubric before."""
    root = yaml.compose(text, yaml.SafeLoader)
    assert isinstance(root, MappingNode)
    (exercises,) = (value for key, value in root.value if key.value == "exercises")
    assert isinstance(exercises, MappingNode)
    return exercises


def _margins(exercises: MappingNode) -> tuple[str, str]:
    """The margin before a slug, and what is added to it for a key below."""
    slug, block = exercises.value[0]
    outer: int = slug.start_mark.column
    inner: int = 2 if block.flow_style else block.value[0][0].start_mark.column - outer
    return " " * outer, " " * inner


def _last_line(node: Node) -> int:
    """The line, from 0, on which a node's last character stands.

    A block's own end mark lies behind the comments and blank lines after it; its last value's does not.
    """
    if isinstance(node, CollectionNode) and not node.flow_style:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    assert node.end_mark is not None
    line: int = node.end_mark.line
    # A text begun with | or > ends where the next line begins, if there is one.
    return line - 1 if node.end_mark.column == 0 else line


def _as_yaml(title: str) -> str:
    """The title as it is if YAML reads it as the same text, in double quotes with escapes otherwise."""
    try:
        if yaml.safe_load(f"title: {title}") == {"title": title}:
            return title
    except yaml.YAMLError:
        pass
    return yaml.safe_dump(title, default_style='"', allow_unicode=True, width=math.inf).rstrip("\n")


def _require_only_addition(text: str, added: str, slug: str) -> None:
    old, new = yaml.safe_load(text), yaml.safe_load(added)
    if new.get("exercises", {}).pop(slug, None) is None or new != old:
        raise CourseError(f"{RUBRIC}: no place was found for {slug}; add its block by hand, like those that are there")
