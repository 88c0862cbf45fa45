"""Why an answer sheet can't be read, in words for a student, made of what a YAML parser says about it."""

import re
from collections.abc import Sequence
from typing import Any

import yaml
from yaml.reader import ReaderError

BELOW = "Write `answer: >-` and put the text on the lines below it, four spaces in: there a colon does no harm."
MISPLACED = (
    "If it is part of an answer, write `answer: >-` and put the whole text on the lines below it, four spaces in."
)
INDENT = "Indent the text of an answer by four spaces, below `answer: >-`."


def in_quotes(what: str) -> str:
    """Return the advice to put something in quotes, or below."""
    return f"Put {what} in double quotes, or write `answer: >-` and put it on the next line, four spaces in."


class SheetProblem(Exception):
    """A sheet that can't be read: the line, what is wrong there, and what to do about it."""

    def __init__(self, line: int, words: str, remedy: str) -> None:
        super().__init__(f"line {line}: {words}. {remedy}")
        self.line = line
        self.words = words
        self.remedy = remedy


_KEY = re.compile(r"\s*(question|options|answer|[a-z]):(?=\s|$)", re.IGNORECASE)
_GLUED = re.compile(r"\s*([A-Za-z_]\w*):(?=[^\s:])")
# What the two parsers of the library say, in the order in which it is looked for. Where the fault began is told by
# the context's mark, where it was noticed by the problem's own.
_AT_CONTEXT = (
    (
        "scanning a simple key",
        "",
        "this line belongs to no answer and is no key",
        INDENT,
    ),
    (
        "quoted scalar",
        "unexpected end",
        "the quote that opens here is never closed",
        "Close it where the answer ends, or delete it.",
    ),
    (
        "block scalar",
        "line break",
        "after > or | the text begins on the next line",
        "Move the text to the line below, four spaces in.",
    ),
    (
        "scanning a",
        "alphabetic or numeric",
        "a text that begins with & or * has a meaning of its own",
        in_quotes("it"),
    ),
    ("flow", "", "a text that begins with [ or { has a meaning of its own", in_quotes("it")),
)
_AT_PROBLEM = (
    ("unknown escape", "a backslash inside double quotes has a meaning of its own", "Delete the quotes or write \\\\."),
    ("cannot start any token", "an answer can't begin with this character", in_quotes("the answer")),
    ("entries are not allowed", "a text that begins with a dash and a space is a list", in_quotes("it")),
    ("keys are not allowed", "a text that begins with a question mark is read as a key", in_quotes("it")),
    ("node content", "an answer can't begin with this character", in_quotes("the answer")),
    ("document start", "this line stands further left or right than the lines above it", INDENT),
)


def explain(error: yaml.YAMLError, lines: Sequence[str]) -> SheetProblem:
    """Return what the parser's error means, at the line where a student has to look."""
    if isinstance(error, ReaderError):  # its position counts characters or bytes, as the parser pleases
        found = chr(error.character)
        number = next((number for number, line in enumerate(lines) if found in line), 0)
        words = f"an invisible character (code {error.character}) stands here"
        return SheetProblem(number + 1, words, "Delete this line and type it anew.")
    mark: Any = getattr(error, "problem_mark", None)
    problem, context = str(getattr(error, "problem", "")), str(getattr(error, "context", ""))
    began: Any = getattr(error, "context_mark", None) or mark
    assert mark is not None  # every other error of the parser has one
    here, there = _text_at(lines, mark.line), _text_at(lines, began.line)
    if "\t" in here[: len(here) - len(here.lstrip())]:
        return SheetProblem(mark.line + 1, "a tab stands at the beginning of this line", "Indent with spaces instead.")
    if "scanning a simple key" in context and (glued := _GLUED.match(there)):
        words = f"there is no space after `{glued[1]}:`"
        return SheetProblem(began.line + 1, words, "Write one between the colon and the answer.")
    for doing, said, words, remedy in _AT_CONTEXT:
        if doing in context and said in problem:
            return SheetProblem(began.line + 1, words, remedy)
    if "mapping values are not allowed" in problem:
        return _colon(mark.line, mark.column, lines)
    for said, words, remedy in _AT_PROBLEM:
        if said in problem:
            return SheetProblem(mark.line + 1, words, remedy)
    return _out_of_place(mark.line, mark.column, here)


def _text_at(lines: Sequence[str], number: int) -> str:
    return lines[number] if number < len(lines) else ""


def _colon(number: int, column: int, lines: Sequence[str]) -> SheetProblem:
    """A colon was met in the middle of a text: a student's own, or that of a key which is not where it was."""
    here = _text_at(lines, number)
    above = _text_at(lines, number - 1) if number else ""
    if (key := _KEY.match(here)) and column < key.end():
        if glued := _GLUED.match(above):
            return SheetProblem(number, f"there is no space after `{glued[1]}:`", "Write one after the colon.")
        words = f"`{key[1]}:` stands further to the right than it did"
        return SheetProblem(number + 1, words, "Give it as many spaces as in the sheet of the course.")
    return SheetProblem(number + 1, "a colon with a space after it splits this answer in two", BELOW)


def _out_of_place(number: int, column: int, here: str) -> SheetProblem:
    """Something stands where a new key was expected: text behind a closed quote, or a line that has moved."""
    before = here[:column].rstrip()
    if before.endswith(("'", '"')):
        words = f"text stands behind the quote that is closed in column {len(before)}"
        return SheetProblem(number + 1, words, f"Delete the quotes around the answer. {BELOW}")
    if before.endswith(("]", "}")):
        return SheetProblem(number + 1, "text stands behind a closing bracket", in_quotes("the whole answer"))
    if _KEY.match(here):
        words = "this line stands further left or right than its neighbours"
        return SheetProblem(number + 1, words, "Give it as many spaces as in the sheet of the course.")
    return SheetProblem(number + 1, "this line stands further left than the text above it", INDENT)
