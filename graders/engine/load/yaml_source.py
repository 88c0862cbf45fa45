"""YAML as a course uses it: plain data, and the line of every key, for errors that say where they stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.events import CollectionEndEvent, CollectionStartEvent, Event
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from graders.engine.clean import one_line
from graders.engine.errors import CourseError, shown_path

KeyPath = tuple[str | int, ...]
"""Where a value stands: keys of mappings and, from 0, places in lists."""

MAX_DEPTH = 20
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class YamlSource:
    """What a YAML file says, and where it says it."""

    label: str
    data: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    def line_of(self, path: KeyPath) -> int:
        """The line of that key; for one that is not in the file, the line of the nearest key around it."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]

    def at(self, path: KeyPath) -> str:
        """File, line and dotted key, the words with which a message about that place begins."""
        return f"{self.label}:{self.line_of(path)}: {dotted(path)}"


def dotted(path: KeyPath) -> str:
    """The keys with dots between them."""
    return one_line(".".join(str(key) for key in path))


def read_yaml(path: Path) -> YamlSource:
    """The content of a file of keys and values; raises CourseError, with the line, for anything else."""
    label = shown_path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise CourseError(f"{label} cannot be read ({error.strerror}); expected a YAML file there") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise CourseError(f"{label}:{line}: not UTF-8; save the file with that encoding") from error
    try:
        _refuse_the_unusual(text, label)
        root = _LOADER(text).get_single_node()
    except yaml.YAMLError as error:
        raise CourseError(_explain(error, text, label)) from error
    if root is None:
        raise CourseError(f"{label}:1: the file is empty; expected keys with values, such as `version: 1`")
    builder = _Builder(label)
    data = builder.build(root, ())
    if builder.problems:
        raise CourseError("\n".join(builder.problems))
    if not isinstance(data, dict):
        raise CourseError(
            f"{label}:{builder.lines[()]}: the top level must be keys with values, such as `version: 1`; "
            f"got a {'list' if isinstance(data, list) else 'single value'}"
        )
    return YamlSource(label, data, builder.lines)


def _refuse_the_unusual(text: str, label: str) -> None:
    """Raises CourseError for what no course needs, before anything is built.

    Anchors can grow a file a billionfold, tags can make objects, deep nesting exhausts the stack.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        where = f"{label}:{_line(event)}"
        if getattr(event, "anchor", None) is not None:
            raise CourseError(f"{where}: anchors (&) and aliases (*) are not used here; write the value out")
        if getattr(event, "tag", None) is not None:
            raise CourseError(f"{where}: tags (!) are not used here; put a text that begins with ! in quotes")
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise CourseError(f"{where}: nested deeper than {MAX_DEPTH} levels; expected a flat file")


def _line(marked: Event | Node) -> int:
    assert marked.start_mark is not None  # only the events and nodes that a program makes have no mark
    return marked.start_mark.line + 1


def _explain(error: yaml.YAMLError, text: str, label: str) -> str:
    if isinstance(error, ReaderError):  # its position counts characters or bytes, as the parser pleases
        line_number = text.count("\n", 0, text.find(chr(error.character))) + 1
        return f"{label}:{line_number}: a control character (code {error.character}) stands here; remove it"
    mark = getattr(error, "problem_mark", None)
    assert mark is not None  # all other errors of a parser have one
    line = text.split("\n")[mark.line] if mark.line <= text.count("\n") else ""
    if "\t" in line[: len(line) - len(line.lstrip())] or line[mark.column : mark.column + 1] == "\t":
        return f"{label}:{mark.line + 1}: a tab stands here; indent with spaces"
    problem = one_line(str(getattr(error, "problem", error)))
    return f"{label}:{mark.line + 1}: not valid YAML: {problem}; check indentation, colons and quotes"


class _Builder:
    """Turns nodes into plain data. The library's own way keeps no lines and lets a key's last value win."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.lines: dict[KeyPath, int] = {}
        self.problems: list[str] = []
        self.scalars = SafeConstructor()

    def build(self, node: Node, path: KeyPath) -> Any:
        self.lines.setdefault(path, _line(node))
        if isinstance(node, MappingNode):
            return self.build_mapping(node, path)
        if isinstance(node, SequenceNode):
            return [self.build(item, (*path, place)) for place, item in enumerate(node.value)]
        try:
            return self.scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError):
            self.problem(node, path, f"cannot be read; if it is a text, put it in quotes: {node.value[:40]}")
            return None

    def build_mapping(self, node: MappingNode, path: KeyPath) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                self.problem(key, path, "has a list or a mapping for a key; a key must be a text")
                continue
            name = (*path, key.value)
            if key.tag != _TEXT:
                self.problem(key, name, "is a key that YAML does not read as a text; put it in quotes")
            elif key.value in built:
                self.problem(key, name, f"stands twice, first in line {self.lines[name]}; keep one")
            else:
                self.lines[name] = _line(key)
                built[key.value] = self.build(value, name)
        return built

    def problem(self, node: Node, path: KeyPath, words: str) -> None:
        self.problems.append(f"{self.label}:{_line(node)}: {dotted(path) or 'the file'} {one_line(words)}")
