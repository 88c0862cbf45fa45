"""The rubric as students get it: hidden checks counted instead of named, everything else as it was written."""

import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode

from graders.engine.errors import CourseError

HIDDEN, POINTS = "hidden", "hidden_points"


def public_rubric(text: str) -> str:
    """The rubric's text with `hidden_points: N` in the place of each list of hidden checks.

    Comments inside of these lists go with them, and so do those right above, indented alike; others stay. Raises
    CourseError if a comment names a hidden check, or if the result does not say what it should.
    """
    public = text
    for key, value in reversed(list(_lists(text))):
        end = _end_of(value, public)
        points = sum(int(yaml.safe_load(worth.value)) for _, worth in value.value)
        public = f"{public[: _begin_of(key, public)]}{POINTS}: {points}{public[_with_comments(key, end, public) :]}"
    whole = yaml.safe_load(text)
    if _read(public) != _counted(whole):
        raise CourseError(
            "the hidden checks in grading.yaml can't be taken out of its text; give every exercise its keys in lines "
            "of their own, as `grade new` writes them"
        )
    _require_nameless(public, whole)
    return public


def _read(text: str) -> Any:
    """What it says; None if it says nothing that is YAML."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def _lists(text: str) -> Iterator[tuple[ScalarNode, MappingNode]]:
    """The key and the content of each list of hidden checks, in the file's order."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for _, exercises in _pairs(root, "exercises"):
        for _, block in _pairs(exercises):
            for key, value in _pairs(block, HIDDEN):
                if isinstance(value, MappingNode) and value.value:
                    yield key, value


def _pairs(node: Node | None, wanted: str | None = None) -> Iterator[tuple[ScalarNode, Node]]:
    for key, value in node.value if isinstance(node, MappingNode) else []:
        if wanted is None or key.value == wanted:
            yield key, value


def _begin_of(key: ScalarNode, text: str) -> int:
    """Where the key begins or, if it does not follow its comments at once, where these do: they speak of the list."""
    begin = key.start_mark.index
    indent = " " * key.start_mark.column
    above = re.search(rf"(?m)(?:^{indent}#[^\r\n]*\r?\n)+{indent}\Z", text[:begin])
    return above.start() + len(indent) if above else begin


def _end_of(node: Node, text: str) -> int:
    """Where its last letter stands. A list in lines of its own ends, for YAML, before whatever comes next."""
    if isinstance(node, MappingNode) and not node.flow_style:
        return _end_of(node.value[-1][1], text)
    return node.end_mark.index


def _with_comments(key: ScalarNode, end: int, text: str) -> int:
    """Where the list ends with its comments: in its last line, and in the lines below that are indented as it is."""
    rest = re.match(r"[ \t]*(#[^\r\n]*)?(?=\r?\n|\Z)", text[end:])
    if rest is None:  # more of the same line follows, within braces
        return end
    below = rf"(?:\r?\n {{{key.start_mark.column + 1},}}#[^\r\n]*)*"
    found = re.match(below, text[end + rest.end() :])
    return end + rest.end() + (found.end() if found else 0)


def _counted(data: Any) -> Any:
    """What the result has to say: the same, with lists of hidden checks as sums."""
    exercises = {}
    for slug, block in data["exercises"].items():
        hidden = block.get(HIDDEN)
        others = {name: value for name, value in block.items() if name != HIDDEN or not hidden}
        exercises[slug] = {**others, POINTS: sum(hidden.values())} if hidden else others
    return {**data, "exercises": exercises}


def _require_nameless(public: str, whole: Any) -> None:
    """Raise CourseError if a comment names a hidden check; a name without a underscore may be any word."""
    blocks = whole["exercises"].values()
    known = {name for block in blocks for group in ("visible", "person") for name in block.get(group) or {}}
    names = {name for block in blocks for name in block.get(HIDDEN) or {} if "_" in name}
    for number, line in enumerate(public.splitlines(), start=1):
        for name in sorted(names - known - set(whole["objectives"])):
            if re.search(rf"\b{name}\b", line):
                raise CourseError(
                    f"the public grading.yaml would name the hidden check {name} in its line {number}: "
                    f"{line.strip()}; say it otherwise, or within the list of hidden checks"
                )
