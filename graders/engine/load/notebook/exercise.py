"""One exercise out of a notebook: its code as one text with a place for every cell, or the sheet that a cell writes.

Nothing here parses a student's code: cells are found by tag, or by lines that begin as a definition does.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from graders.engine.load.notebook.cells import Notebook
from graders.engine.load.submission import CellSpan

_MODULE_DOCSTRING = re.compile(
    r"""\A\s*[rRuU]?(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*')[ \t;]*$""", re.S | re.M
)
_ASSIGNMENT = re.compile(r"^([\w., \t]+)(?::[^=\n]*)?=(?!=)", re.M)
_WRITES_FILE = re.compile(r"%%(?:write)?file\b(?P<rest>.*)")


@dataclass(frozen=True, slots=True)
class Found:
    """An exercise in a notebook: the text of its cells, where each of them begins, and whether it is only a stub."""

    source: bytes
    cells: tuple[CellSpan, ...]
    untouched: bool


@dataclass(frozen=True, slots=True)
class SheetCell:
    """The text that a cell writes into a file, and where the cell is: its first line lies above the text's."""

    source: bytes
    span: CellSpan


def exercise_source(notebook: Notebook, slug: str, slugs: Set[str], stub: str, names: Sequence[str]) -> Found | None:
    """The code of the exercise `slug`, or None if no cell has it as a tag or defines one of the stub's `names`.

    `slugs` are the tags of all exercises. A tag can be lost, and a cell without one may hold anything.
    """
    tagged = {cell.number for cell in notebook.cells if slug in cell.tags}
    other = {cell.number for cell in notebook.cells if not slugs.isdisjoint(cell.tags)} - tagged
    defining = {cell.number for cell in notebook.cells if _works_on(cell.source, names)}
    own = tagged | (defining - other) or defining
    if not own:
        return None
    pieces, spans, line = [], [], 1
    for cell in notebook.cells:
        piece = f"# %% cell {cell.number}\n{cell.source}\n"
        pieces.append(piece)
        spans.append(CellSpan(cell.number, line + 1, cell.number not in other))
        line += piece.count("\n")
    untouched = all(_says_only(cell.source, stub) for cell in notebook.cells if cell.number in own)
    return Found("".join(pieces).encode(), tuple(spans), untouched)


def same_code(text: str, stub: str) -> bool:
    """Whether a file says what its stub says: comments, blank lines and the module's docstring are no code."""
    return list(_code_lines(text)) == list(_code_lines(stub))


def sheet_source(notebook: Notebook, file_name: str) -> SheetCell | None:
    """The text that the last cell beginning with ``%%writefile`` and that file's name writes; None if no cell does."""
    written = None
    for cell in notebook.cells:
        text = cell.source.lstrip("\n \t")
        first, _, body = text.partition("\n")
        if (magic := _WRITES_FILE.match(first)) and _base_name(magic["rest"]) == file_name:
            lines_above = cell.source[: len(cell.source) - len(text)].count("\n") + 1
            written = SheetCell(body.encode(), CellSpan(cell.number, 1 - lines_above))
    return written


def _works_on(source: str, names: Sequence[str]) -> bool:
    """Whether a line of the text defines one of the names, or changes what it stands for.

    An indented definition may stand in an ``if``; one that takes ``self`` is another class's method.
    """
    if not names:
        return False
    name = "|".join(map(re.escape, names))
    defines = rf"[ \t]*(?:async[ \t]+def|def|class)[ \t]+(?:{name})\b(?![ \t]*\([ \t]*(?:self|cls)\b)"
    patches = rf"(?:setattr\([ \t]*|@[\w.]+\([ \t]*)(?:{name})\b"
    if re.search(rf"^(?:{defines}|{patches})", source, re.M):
        return True
    # In two steps, each of which reads a line once, however long it is: a student may write anything.
    target = re.compile(rf"(?:^|,)[ \t]*(?:{name})(?:\.\w+)*[ \t]*(?:,|$)")
    return any(target.search(line[1]) for line in _ASSIGNMENT.finditer(source))


def _says_only(text: str, stub: str) -> bool:
    """Whether the code of a cell is a part of the stub's, so that it may be all of it, or a half of a cell split."""
    mine, whole = list(_code_lines(text)), list(_code_lines(stub))
    return any(whole[start : start + len(mine)] == mine for start in range(len(whole) + 1))


def _code_lines(text: str) -> Iterator[str]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = "\n".join(map(_without_comment, text.split("\n")))
    return (line for line in _MODULE_DOCSTRING.sub("", lines, count=1).split("\n") if line)


def _without_comment(line: str) -> str:
    if line.lstrip().startswith("#"):
        return ""
    # Before a quotation mark, a # may be part of a text.
    begin = max(line.rfind('"'), line.rfind("'")) + 1
    return (line[:begin] + line[begin:].partition("#")[0]).rstrip()


def _base_name(arguments: str) -> str:
    """The name of the file in what stands after ``%%writefile``: an option may come before or after it, and quotes."""
    given = re.sub(r"(?<!\S)(?:-a|--append)(?!\S)", "", arguments).strip()
    if len(given) > 1 and given[0] == given[-1] and given[0] in "\"'":
        given = given[1:-1]
    return re.split(r"[/\\]", given)[-1]
