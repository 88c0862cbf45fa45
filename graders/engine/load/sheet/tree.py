"""The events of a YAML file made into texts, lists and keys, each with its line; nothing else is let in.

No value is ever constructed, so that a text is a text, and nothing in a stranger's file can grow or run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from graders.engine.load.sheet.errors import BELOW, SheetProblem, in_quotes

MAX_DEPTH = 5
MAX_EVENTS = 5_000
"""So many things may stand in a file: some hundred questions, each with its options."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class SheetText:
    """One text without spaces around it, its line, and the comment that follows it on the line."""

    text: str
    line: int
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """A list and its line."""

    items: Sequence["Node"]
    line: int


@dataclass(frozen=True, slots=True)
class Keys:
    """What stands under which key, the line of each key, and the first line of all."""

    values: Mapping[str, "Node"]
    lines: Mapping[str, int]
    line: int


Node = SheetText | Items | Keys


def read_tree(text: str) -> Node | None:
    """Return what a text of lines that end in a newline holds, or None where it holds nothing.

    Raises SheetProblem for what has no place in a sheet, and yaml.YAMLError for what is no YAML.
    """
    reader = _Reader(text)
    root = None
    for event in reader.events:
        if isinstance(event, DocumentStartEvent):
            if root is not None:
                raise SheetProblem(_line(event), "--- ends the sheet before its end", "Delete this line.")
            root = reader.node(next(reader.events), 0)
    return root


class _Reader:
    """Turns events into nodes, in one pass."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.events = _counted(yaml.parse(text, Loader=_LOADER))

    def node(self, event: Event, depth: int, key: ScalarEvent | None = None) -> Node:
        self.refuse_the_unusual(event, depth)
        if isinstance(event, ScalarEvent):
            return self.written(event, key)
        if isinstance(event, SequenceStartEvent):
            items = []
            while not isinstance(item := next(self.events), SequenceEndEvent):
                items.append(self.node(item, depth + 1))
            return Items(items, _line(event))
        assert isinstance(event, MappingStartEvent)
        return self.keys(event, depth)

    def keys(self, start: Event, depth: int) -> Keys:
        values: dict[str, Node] = {}
        lines: dict[str, int] = {}
        while not isinstance(key := next(self.events), MappingEndEvent):
            self.refuse_the_unusual(key, depth)
            if not isinstance(key, ScalarEvent):
                raise SheetProblem(_line(key), "an answer can't begin with ?, [ or { here", in_quotes("this"))
            name = key.value
            if name in values:
                again = f'"{name[:40]}" stands here again, first in line {lines[name]}'
                raise SheetProblem(_line(key), again, "Keep one of the two.")
            lines[name] = _line(key)
            values[name] = self.node(next(self.events), depth + 1, key)
        return Keys(values, lines, _line(start))

    def refuse_the_unusual(self, event: Event, depth: int) -> None:
        """Raise for what needs an interpreter, for what is nested too deep, and for a quote that is closed too late."""
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            raise SheetProblem(_line(event), "a text that begins with & or * has a meaning of its own", in_quotes("it"))
        if getattr(event, "tag", None) is not None:
            raise SheetProblem(_line(event), "a text that begins with ! has a meaning of its own", in_quotes("it"))
        if depth > MAX_DEPTH:
            raise SheetProblem(_line(event), "brackets or indents are nested too deep here", BELOW)
        if isinstance(event, ScalarEvent) and event.style in ("'", '"'):
            last = _mark(event.end_mark).line
            # Text in quotes may go on at the left margin, where the next question is what it usually swallows.
            if any(line and line[0] not in " \t" for line in self.lines[_line(event) : last + 1]):
                ends = f"the quote that opens here is closed no sooner than in line {last + 1}"
                raise SheetProblem(_line(event), ends, "Close it where the answer ends, or delete it.")

    def written(self, event: ScalarEvent, key: ScalarEvent | None) -> SheetText:
        """Return the text, and the comment behind it, which YAML drops without a word."""
        # The mark of an empty value may stand on any later line.
        known_by = event if event.value or key is None else key
        end = _mark(known_by.end_mark)
        rest = self.lines[end.line][end.column :].lstrip(" :") if end.line < len(self.lines) else ""
        behind = rest if event.style not in ("|", ">") and rest.startswith("#") else ""
        return SheetText(event.value.strip(), _line(known_by), behind)


def _counted(events: Iterator[Event]) -> Iterator[Event]:
    for count, event in enumerate(events):
        if count == MAX_EVENTS:
            raise SheetProblem(_line(event), "the file goes on for too long", "Copy the sheet anew from the course.")
        yield event


def _line(event: Event) -> int:
    line: int = _mark(event.start_mark).line
    return line + 1


def _mark(mark: Any) -> Any:
    assert mark is not None  # only the events that a program makes have no mark
    return mark
