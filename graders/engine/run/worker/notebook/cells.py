"""The cells of a notebook as Python understands them: their statements, or why a cell has none."""

import __future__

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graders.engine.run.worker.notebook.ipython_syntax import plain_python
from graders.engine.run.worker.notebook.relations import Statement, read_statement

_DEFINES = re.compile(
    r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)|^(?:from\b.*)?\bimport\b(.*)",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its number in the notebook, its place in the joined source, its text, and its Python if it has any."""

    number: int
    first_line: int
    mine: bool
    text: str
    plain: str | None
    statements: tuple[Statement, ...] = ()
    flags: int = 0
    """How the compiler is set in this cell: a `from __future__` counts from its cell on."""
    problem: Exception | None = None
    """Why it does not parse."""

    def line_of(self, line: int) -> int:
        """Return which line of the cell a line of the source is."""
        return line - self.first_line + 1


def read_cells(source: str, places: Sequence[Sequence[int]], label: str) -> tuple[Cell, ...]:
    """Return the cells of a source. `places` has number, first line and whether it is the exercise's own for each."""
    lines = source.split("\n")
    ends = [first - 2 for _, first, _ in places[1:]] + [len(lines)]
    cells: list[Cell] = []
    flags = 0
    for (number, first, mine), end in zip(places, ends, strict=True):
        cell = _read_cell(number, first, bool(mine), "\n".join(lines[first - 1 : end]), flags, label)
        flags = cell.flags
        cells.append(cell)
    return tuple(cells)


def _read_cell(number: int, first: int, mine: bool, text: str, flags: int, label: str) -> Cell:
    plain = plain_python(text)
    if plain is None:
        return Cell(number, first, mine, text, None, flags=flags)
    try:
        tree = ast.parse(plain, label)
        flags |= _future_flags(tree)
        statements = tuple(read_statement(node, mine, flags) for node in tree.body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, SyntaxError):
            _place(error, plain, first, label)
        return Cell(number, first, mine, text, plain, flags=flags, problem=error)
    ast.increment_lineno(tree, first - 1)
    return Cell(number, first, mine, text, plain, statements, flags)


def _future_flags(tree: ast.Module) -> int:
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                feature = getattr(__future__, alias.name, None)
                flags |= getattr(feature, "compiler_flag", 0)
    return flags


def _place(error: SyntaxError, plain: str, first: int, label: str) -> None:
    """Say where an error in a cell is in the source; a file on the disk has nothing to do with it."""
    error.filename = label
    if error.lineno is not None:
        error.text = plain.split("\n")[error.lineno - 1] if error.lineno <= plain.count("\n") + 1 else None
        error.lineno += first - 1
        error.end_lineno = None


def python_text(source: str, cells: Sequence[Cell]) -> str:
    """Return the source with the Python of each cell in the cell's place, and nothing where there is none."""
    lines = source.split("\n")
    for cell in cells:
        begin, count = cell.first_line - 1, cell.text.count("\n") + 1
        kept = cell.plain if cell.plain is not None and cell.problem is None else "\n" * (count - 1)
        lines[begin : begin + count] = kept.split("\n")
    return "\n".join(lines)


def names_by_form(text: str) -> Iterator[str]:
    """Yield the names that a text would define if it could be read."""
    for function, variable, imported in _DEFINES.findall(text):
        yield from filter(None, (function, variable, *re.findall(r"\w+", imported)))
