"""A notebook's Python cells, whatever program saved it; words, outputs and cells of other languages are passed over."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.engine.clean import one_line
from graders.engine.load.notebook.json_text import MAX_BYTES, read_json
from graders.engine.load.place import MAX_BYTES as MAX_CODE_BYTES
from graders.engine.load.place import Refused

__all__ = ["MAX_BYTES", "MAX_CELLS", "Notebook", "NotebookCell", "read_notebook"]

MAX_CELLS = 1_000
"""So many cells with code in them may a notebook have: a worker gets a place for each."""
MAX_PLACES = 20 * MAX_CELLS
"""So many cells of any kind, empty ones included: a long session in a kernel has thousands that say nothing anymore."""
MAX_NOTES, MAX_TAGS = 20, 50

_WHAT_COUNTS = "expected a notebook as Jupyter, Colab or VS Code saves it. Save it again as an .ipynb file."


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """A code cell in Python: its place among all cells, from 1, its text, and its tags in small letters."""

    number: int
    source: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notebook:
    """The Python cells of a notebook in their order, and what its student should know about the others."""

    cells: tuple[NotebookCell, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Skipped:
    """A code cell that is not read: its number and why."""

    number: int
    why: str


def read_notebook(data: bytes) -> Notebook:
    """Read the bytes of a notebook of version 3 or 4; raises Refused, in words for the student."""
    document = read_json(data)
    places = _all_cells(document)
    if len(places) > MAX_PLACES:
        raise Refused(f"the notebook has {len(places)} cells; expected {MAX_PLACES} at most.")
    _require_python(_mapping(document.get("metadata")))
    found = [code for number, cell in enumerate(places, start=1) for code in _read_cell(number, cell)]
    cells = tuple(code for code in found if isinstance(code, NotebookCell))
    notes = tuple(_notes([code for code in found if isinstance(code, _Skipped)]))
    if not cells:
        why = f" ({'; '.join(notes)})" if notes else ""
        raise Refused(f"the notebook has no code cell in Python{why}; expected one for each exercise.")
    _require_reasonable(cells)
    return Notebook(cells, notes)


def _all_cells(document: Any) -> list[Any]:
    """The cells of every kind, in order: a list of its own since version 4, one for each worksheet before."""
    if not isinstance(document, dict):
        raise Refused(f"it is JSON but no notebook; {_WHAT_COUNTS}")
    version = document.get("nbformat")
    if isinstance(version, float) and version >= 5:
        raise Refused(f"its format is version {version:g}, newer than this grader reads; save it in version 4.")
    if isinstance(version, float) and version < 3:
        raise Refused(f"its format is version {version:g}, older than this grader reads; open it and save it again.")
    cells = document.get("cells")
    if isinstance(cells, list):
        return cells
    worksheets = document.get("worksheets")
    if isinstance(worksheets, list):
        lists = [_mapping(worksheet).get("cells") for worksheet in worksheets]
        return [cell for cells in lists if isinstance(cells, list) for cell in cells]
    if isinstance(document.get("url"), str):
        raise Refused(
            "it is only a link; expected the notebook itself. In Colab use File > Download > Download .ipynb."
        )
    raise Refused(f"it is JSON without cells and so no notebook; {_WHAT_COUNTS}")


def _require_python(metadata: Mapping[str, Any]) -> None:
    kernel, language = _mapping(metadata.get("kernelspec")), _mapping(metadata.get("language_info"))
    told = [name for name in (kernel.get("language"), language.get("name")) if isinstance(name, str) and name.strip()]
    if told and not any(map(_is_python, told)):
        raise Refused(
            f"the notebook is set to {one_line(told[0][:30])}; expected Python. "
            "Choose a Python kernel and save it again."
        )


def _require_reasonable(cells: Sequence[NotebookCell]) -> None:
    if len(cells) > MAX_CELLS:
        raise Refused(f"the notebook has {len(cells)} code cells; expected {MAX_CELLS} at most.")
    sizes = [len(cell.source.encode()) for cell in cells]
    if sum(sizes) > MAX_CODE_BYTES:
        largest = max(range(len(cells)), key=sizes.__getitem__)
        raise Refused(
            f"the code of the notebook is too long ({sum(sizes) / 1e6:.1f} MB, {sizes[largest] / 1e6:.1f} MB of it in "
            f"cell {cells[largest].number}); expected 1 MB at most. Keep data out of the cells."
        )


def _read_cell(number: int, cell: Any) -> Iterator[NotebookCell | _Skipped]:
    """Yield a code cell with code in it, or why it is not read; nothing for a cell of words or an empty one."""
    if not isinstance(cell, dict):
        yield _Skipped(number, "no cell of any kind")
        return
    if cell.get("cell_type") != "code":
        return
    metadata = _mapping(cell.get("metadata"))
    foreign = [name for name in _languages(cell, metadata) if not _is_python(name)]
    # Version 3 called it input, and some programs still do.
    source = _joined(cell.get("source", cell.get("input")))
    if foreign:
        yield _Skipped(number, "another language")
    elif source is None:
        yield _Skipped(number, "no text in it")
    elif source.strip():
        yield NotebookCell(number, source, _tags(metadata))


def _languages(cell: Mapping[str, Any], metadata: Mapping[str, Any]) -> list[str]:
    told = (
        cell.get("language"),
        _mapping(metadata.get("vscode")).get("languageId"),
        _mapping(metadata.get("polyglot_notebook")).get("kernelName"),
        _mapping(metadata.get("dotnet_interactive")).get("language"),
    )
    return [name for name in told if isinstance(name, str)]


def _joined(source: Any) -> str | None:
    """A cell's text with plain line ends, or None if it is none."""
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        # A line should bring its own end; lists in which none does are written by hand or by other tools.
        ended = len(source) < 2 or any(line.endswith("\n") for line in source)
        source = ("" if ended else "\n").join(source)
    if not isinstance(source, str):
        return None
    # Half a character, as one may be written in JSON, is no text that could travel.
    whole = source.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return whole.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _tags(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    tags = metadata.get("tags")
    given = [tags] if isinstance(tags, str) else tags if isinstance(tags, list) else []
    return tuple(tag.strip().lower() for tag in given[:MAX_TAGS] if isinstance(tag, str))


def _notes(skipped: Sequence[_Skipped]) -> Iterator[str]:
    for why in dict.fromkeys(cell.why for cell in skipped):
        numbers = [cell.number for cell in skipped if cell.why == why]
        yield f"{_listed(numbers)} {'was' if len(numbers) == 1 else 'were'} not read: {why}"


def _listed(numbers: Sequence[int]) -> str:
    """Cells by their numbers, as people say it: "cells 1, 4 and 7"."""
    if len(numbers) == 1:
        return f"cell {numbers[0]}"
    shown = [str(number) for number in numbers[:MAX_NOTES]]
    last = f"{len(numbers) - MAX_NOTES} more" if len(numbers) > MAX_NOTES else shown.pop()
    return f"cells {', '.join(shown)} and {last}"


def _is_python(language: str) -> bool:
    return "python" in language.lower()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
