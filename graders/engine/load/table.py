"""A table that people keep in a spreadsheet, as CSV: its columns by name and its rows with their lines.

Comma, semicolon or tab, with or without a byte order mark; the header names the columns, in any order.
"""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from graders.engine.clean import one_line
from graders.engine.errors import UsageError, shown_path

MAX_BYTES = 64_000_000
MAX_ROWS = 100_000
SEPARATORS = (",", ";", "\t")
T = TypeVar("T")

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Row:
    """What stands in one row, by column and without blanks around it, and the line on which it ends in the file."""

    line: int
    cells: Mapping[str, str]

    def get(self, column: str) -> str:
        return self.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file, and lines about those columns of it that nobody asked for."""

    label: str
    rows: tuple[Row, ...]
    unread: tuple[str, ...]

    def wrong(self, row: Row, column: str, problem: str) -> UsageError:
        """The error for what stands in a cell."""
        return UsageError(f"{self.label}:{row.line}: {column}: {problem}")

    def parsed(self, row: Row, column: str, parse: Callable[[str], T]) -> T | None:
        """What a cell means, if there is anything in it; raises UsageError where `parse` raises ValueError."""
        text = row.get(column)
        if not text:
            return None
        try:
            return parse(text)
        except ValueError as error:
            raise self.wrong(row, column, str(error)) from error


def read_bytes(path: Path, what: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a file that was named on the command line; raises UsageError, which says what it should be."""
    try:
        with path.open("rb") as file:
            source = file.read(limit + 1)
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read ({error.strerror}); expected {what}") from error
    if len(source) > limit:
        raise UsageError(f"{shown_path(path)} is larger than {limit // 1_000_000} MB; expected {what}")
    return source


def read_table(path: Path, what: str, known: Sequence[str], needed: Sequence[str]) -> Table:
    """The rows of a file with these columns, of which some have to be there; raises UsageError with file and line."""
    label = shown_path(path)
    lines = _lines(_text(read_bytes(path, what), label))
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        raise UsageError(f"{label} is empty; expected a line with {', '.join(known)}, and one for each student")
    separator = max(SEPARATORS, key=lambda one: len(_columns(lines[first].split(one), known)))
    reader = csv.reader(lines[first:], delimiter=separator, strict=True)
    try:
        header = next(reader)
        columns = _require_columns(label, header, known, needed)
        rows = tuple(
            _row(label, first + reader.line_num, cells, header, columns)
            for cells in reader
            if any(cell.strip() for cell in cells)
        )
    except csv.Error as error:
        raise UsageError(
            f"{label}:{first + reader.line_num}: {error}; expected quotes that begin and end a cell"
        ) from error
    if len(rows) > MAX_ROWS:
        raise UsageError(f"{label} has {len(rows)} rows; expected one for each student, and {MAX_ROWS} at most")
    unknown = [one_line(cell) for place, cell in enumerate(header) if place not in columns and cell.strip()]
    return Table(label, rows, tuple(f"{label}: the column {name} is not read" for name in unknown))


def _text(source: bytes, label: str) -> str:
    if source.startswith(_UTF16) or b"\0" in source[:1000]:
        raise UsageError(
            f"{label} is in UTF-16, or no text at all; expected UTF-8. In a spreadsheet, save it as `CSV UTF-8`"
        )
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{label}:{line}: not UTF-8; in a spreadsheet, save it as `CSV UTF-8`") from error


def _lines(text: str) -> list[str]:
    """The lines with their ends. One that only names the separator, as spreadsheets write it, is made empty."""
    # Only these end a line for csv; str.splitlines knows more, which may stand in a cell.
    lines = list(io.StringIO(text, newline=""))
    if lines and re.fullmatch(r"sep=.\s*", lines[0]):
        lines[0] = ""
    return lines


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]", "", name).strip('"').casefold()


def _columns(header: Sequence[str], known: Sequence[str]) -> dict[int, str]:
    names = {_plain(name): name for name in known}
    return {place: names[_plain(cell)] for place, cell in enumerate(header) if _plain(cell) in names}


def _require_columns(label: str, header: Sequence[str], known: Sequence[str], needed: Sequence[str]) -> dict[int, str]:
    columns = _columns(header, known)
    there = list(columns.values())
    if twice := [name for name in known if there.count(name) > 1]:
        raise UsageError(f"{label}:1: the column {twice[0]} stands there twice; keep one")
    if not columns:
        raise UsageError(
            f"{label}:1: no column has a name that is known; expected a first line with {', '.join(known)}"
        )
    if missing := [name for name in needed if name not in there]:
        raise UsageError(
            f"{label}:1: there is no column {' and no column '.join(missing)}; expected a first line with "
            f"{', '.join(known)}"
        )
    return columns


def _row(label: str, line: int, cells: Sequence[str], header: Sequence[str], columns: Mapping[int, str]) -> Row:
    # Spreadsheets fill rows up with empty cells.
    if any(cell.strip() for cell in cells[len(header) :]):
        raise UsageError(
            f"{label}:{line}: {len(cells)} cells, and the first line has {len(header)}; "
            "put a cell with a separator in it in quotes"
        )
    return Row(line, {name: cells[place].strip() for place, name in columns.items() if place < len(cells)})
