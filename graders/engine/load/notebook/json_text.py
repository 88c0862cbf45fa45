"""The bytes of a notebook as JSON, within bounds; and in plain words why a file is no notebook.

The file is read with ``json`` alone. A library for notebooks would check and convert outputs, identifiers and widget
states, none of which grading looks at, and refuse real notebooks for them.
"""

import json
import re
import sys
from collections import Counter
from typing import Any

from graders.engine.clean import one_line
from graders.engine.load.place import Refused

MAX_BYTES = 64 << 20
MAX_MEMORY = 3 << 28
"""Bytes that reading one notebook may take, estimated from what is in it. Of real ones, 50 MB of plots take half."""
MAX_VALUES = 5_000_000
"""So many values and names may stand in one: a second of reading. Of real ones, 50 MB of numbers in full are half."""

# What Python needs at most for each of these outside texts, its share in what holds it included (measured on files of
# nothing else: an empty list 74 bytes, a list in a list 169, an object with one number 233 or with a new name 272).
_COSTS = {b",": 40, b"[": 100, b"{": 80, b":": 160}
_COST_OF_TEXT = 80
_PIECE = 1 << 20

_SAVE_AGAIN = "Open it in Jupyter, Colab or VS Code, save it again and hand that file in."
_MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7})", re.MULTILINE)
_BEGINNINGS = (
    (
        re.compile(r"<(?:!doctype|html|\?xml|!--)", re.IGNORECASE),
        "it is a web page; expected the notebook itself. "
        "On GitHub use the download button above the file, in Colab File > Download > Download .ipynb.",
    ),
    (
        re.compile(r"https?://|\[InternetShortcut\]|URL=", re.IGNORECASE),
        "it is only a link; expected the notebook itself. In Colab use File > Download > Download .ipynb.",
    ),
    (
        re.compile(r"version https://git-lfs"),
        "it is a pointer that Git LFS left in the notebook's place. Run `git lfs pull`, or commit the file itself.",
    ),
)


def read_json(data: bytes) -> Any:
    """Return what the file says in JSON; raises Refused, in words for the student."""
    if len(data) > MAX_BYTES:
        raise Refused(
            f"the notebook is too large ({len(data) / (1 << 20):.1f} MiB); expected {MAX_BYTES >> 20} MiB at most. "
            "Clear its outputs and save it again."
        )
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise Refused(f"the file is empty; expected a notebook. {_SAVE_AGAIN}")
    text = _decode(data)
    marks = _marks(text)
    if sum(marks[mark] for mark in _COSTS) > MAX_VALUES or _memory(text, marks) > MAX_MEMORY:
        raise Refused("the notebook holds more values than can be read. Clear its outputs and save it again.")
    try:
        # A whole number may have more digits than Python will convert; nobody here needs one exactly.
        return json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        raise Refused(_no_json(text, error)) from error
    except RecursionError as error:
        raise Refused(f"its JSON is nested too deeply to be read. {_SAVE_AGAIN}") from error


def _decode(data: bytes) -> str:
    """The text in the encoding that its first bytes tell; what is no text in it costs that place only."""
    return data.decode(json.detect_encoding(data), "replace")


def _marks(text: str) -> Counter[bytes]:
    """Count quotation marks, and the marks outside texts that make values and names, before any of these is made."""
    data = text.encode("utf-8", "replace").replace(rb"\\", b"").replace(rb"\"", b"")
    marks = Counter({b'"': data.count(b'"')})
    inside = 0
    for start in range(0, len(data), _PIECE):
        # Every other part between quotation marks is a text.
        parts = data[start : start + _PIECE].split(b'"')
        outside = b'"'.join(parts[inside::2])
        marks.update({mark: outside.count(mark) for mark in _COSTS})
        inside ^= len(parts) % 2 == 0
    return marks


def _memory(text: str, marks: Counter[bytes]) -> int:
    """An upper estimate of the bytes that the text takes, as it is and read."""
    values = sum(marks[mark] * cost for mark, cost in _COSTS.items())
    return 2 * sys.getsizeof(text) + marks[b'"'] // 2 * _COST_OF_TEXT + values


def _no_json(text: str, error: json.JSONDecodeError) -> str:
    begin, end = text.lstrip(), text.rstrip()
    for beginning, words in _BEGINNINGS:
        if beginning.match(begin):
            return words
    if not begin.startswith(("{", "[")):
        return f'it begins with "{one_line(begin[:30].strip())}" and is no notebook; expected JSON. {_SAVE_AGAIN}'
    if marker := _MARKER.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        return (
            f"line {line} is a mark of a merge conflict (<<<<<<<, ======= or >>>>>>>). Take one of the two versions "
            "whole (`git checkout --ours` or `--theirs`, then the file's name), and bring the other's cells in by hand."
        )
    if not end.endswith("}") or error.pos >= len(end):
        return f"the file ends in the middle: it was cut while it was saved or copied. {_SAVE_AGAIN}"
    return f"line {error.lineno} is no longer JSON ({error.msg}); expected a notebook as it was saved. {_SAVE_AGAIN}"
