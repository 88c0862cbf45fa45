"""What a notebook's student is told about cells that did not count, by number and line within the cell."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence, Set

from graders.engine.run.worker.notebook.cells import Cell
from graders.engine.run.worker.notebook.ipython_syntax import cell_magic
from graders.engine.run.worker.notebook.names import Definition
from graders.engine.run.worker.student_file import describe_exception

MAX_LISTED = 20
MAX_WHOLE = 6
"""More cells than these are not listed: most of a lesson's are of no use to one exercise."""
MAX_WORDS = 200
_WRITES_WORDS = re.compile(r"\s*%%(?:write)?file\b[^\n]*\.(?:yaml|md)\b")


def note_on_parsing(cell: Cell, error: Exception, label: str) -> str:
    words, line = _words(cell, error, label)
    return f"cell {cell.number} does not parse ({words.partition(': ')[2] or words}{line}): left out"


def note_on_raising(cell: Cell, error: BaseException, label: str) -> str:
    words, line = _words(cell, error, label)
    where = f" ({line.removeprefix(', ')})" if line else ""
    return f"cell {cell.number} raised {words}{where}; what it defines before that line counts"


def note_on_lacking(cell: Cell, error: BaseException, label: str) -> str:
    words, line = _words(cell, error, label)
    return f"cell {cell.number} asks for what is not here ({words}{line}): it went on without"


def note_on_waiting(cell: Cell, node: ast.stmt) -> str:
    return f"cell {cell.number} has an await in line {cell.line_of(node.lineno)}, which does not run here: left out"


def notes_on_magics(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield a note for every magic that makes no Python of its cells, but for one that writes words into a file."""
    other = [cell for cell in cells if cell.plain is None and not _WRITES_WORDS.match(cell.text)]
    magics = {cell.number: cell_magic(cell.text) for cell in other}
    for magic in dict.fromkeys(magics.values()):
        numbers = [str(number) for number, name in magics.items() if name == magic]
        begin = f"{_counted('cell', numbers)} {_listed(numbers)} {'begin' if len(numbers) > 1 else 'begins'}"
        yield f"{begin} with %%{magic}, which is no Python of this notebook: left out"


def note_on_left_out(cells: Iterable[Cell], kept: Set[ast.stmt], wanted: Set[str]) -> Iterator[str]:
    """Yield one note on all that was not run because nothing needs it, by line in cells that define a wanted name."""
    whole: list[str] = []
    parts: list[str] = []
    lines: list[str] = []
    for cell in cells:
        ranges = list(_left_out(cell, kept))
        if not ranges:
            continue
        if not any(statement.node in kept for statement in cell.statements):
            whole.append(str(cell.number))
        elif any(statement.names.binds & wanted for statement in cell.statements):
            lines += [f"{_lines(first, last)} of cell {cell.number}" for first, last in ranges]
        else:
            parts.append(str(cell.number))
    if len(whole) > MAX_WHOLE:
        whole = []
    elif whole:
        whole[0] = f"{_counted('cell', whole)} {whole[0]}"
    if parts:
        parts[0] = f"parts of {_counted('cell', parts)} {parts[0]}"
    if whole or parts or lines:
        yield f"left out, since no definition needs it: {_listed([*whole, *parts, *lines])}"


def _left_out(cell: Cell, kept: Set[ast.stmt]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of every run of statements that were not kept, as lines of the cell."""
    begin = end = 0
    for statement in cell.statements:
        if isinstance(statement.node, ast.Expr) and isinstance(statement.node.value, ast.Constant):
            continue  # a text in a cell does nothing
        if statement.node in kept:
            if begin:
                yield begin, end
            begin = 0
        else:
            begin = begin or cell.line_of(_first_line(statement.node))
            end = cell.line_of(statement.node.end_lineno or statement.node.lineno)
    if begin:
        yield begin, end


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _counted(noun: str, items: Sequence[str]) -> str:
    return noun if len(items) == 1 else f"{noun}s"


def _listed(items: Sequence[str]) -> str:
    if len(items) > MAX_LISTED:
        return f"{', '.join(items[:MAX_LISTED])} and {len(items) - MAX_LISTED} more"
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))


def _words(cell: Cell, error: BaseException, label: str) -> tuple[str, str]:
    """Return type and message of an exception, and its line if it is one of the cell's."""
    told = describe_exception(error, label)
    message = " ".join(told["message"].split())
    words = f"{told['type']}: {message}"[:MAX_WORDS] if message else told["type"]
    line = told["line"]
    inside = type(line) is int and 1 <= cell.line_of(line) <= cell.text.count("\n") + 1
    return words, f", line {cell.line_of(line)}" if inside else ""
