"""A notebook cell as plain Python of as many lines: magics, shell commands and questions become `pass`.

Whether a line that begins with % or ! is one of these or goes on with an expression depends on the lines before it, so
texts and brackets are followed from line to line.
"""

import re

BODY_IS_PYTHON = frozenset({"time", "capture", "prun"})
"""Cell magics that run the rest of their cell as Python, here and in its own names."""

_ESCAPES = tuple("%!?,;/")
_CELL_MAGIC = re.compile(r"%%(\w+)(.*)")
_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
_TIME = re.compile(r"(?:%time[ \t]+)+(?=[^\s%-])")
_WORD = re.compile(r"\w+")
_PLAIN = re.compile(r"[^\\'\"{}]+")
_QUOTE = re.compile(r"'''|\"\"\"|'|\"")
_NO_ASSIGNMENT = re.compile(r"[=!<>+\-*/%&|^@:]=|==")
_STRING_PREFIXES = frozenset({"r", "u", "b", "f", "t", "rb", "br", "rf", "fr", "rt", "tr"})
# What may be open: a bracket, a text (its prefix and its quotation mark), in an f-string an expression and its format.
_EXPRESSION, _FORMAT = "{}", ":"


def plain_python(cell: str) -> str | None:
    """Return the cell's Python, or None if it is none, as under `%%bash`."""
    lines = _at_the_margin(cell.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    above = 0
    for number, line in enumerate(lines):
        if magic := _CELL_MAGIC.match(line):
            if magic[1] not in BODY_IS_PYTHON or magic[2].startswith("?"):
                return None
            above = number + 1
        elif line.strip():
            break
    return "\n".join([""] * above + _without_magics(_at_the_margin(lines[above:])))


def _at_the_margin(lines: list[str]) -> list[str]:
    """Return the lines without the indentation or the prompts that they had elsewhere; Jupyter removes these too."""
    first = next((line for line in lines if line.strip()), "")
    indentation = first[: len(first) - len(first.lstrip(" \t"))]
    lines = [line.removeprefix(indentation) for line in lines]
    if first.lstrip(" \t").startswith(">>>"):
        return [_PROMPT.sub("", line, count=1) for line in lines]
    return lines


def cell_magic(cell: str) -> str:
    """Return the name that stands behind %% at the beginning of a cell, or none."""
    magic = _CELL_MAGIC.match(cell.lstrip())
    return magic[1] if magic else ""


def _without_magics(lines: list[str]) -> list[str]:
    result: list[str] = []
    scanner = _Scanner()
    in_magic = False
    for line in lines:
        if in_magic:
            in_magic = line.endswith("\\")
            result.append("")
        elif scanner.between_statements():
            kept = _first_line(line, scanner)
            in_magic = kept is None and line.endswith("\\")
            result.append(_indentation(line) + "pass" if kept is None else kept)
        else:
            scanner.read(line)
            result.append(line)
    return result


def _first_line(line: str, scanner: "_Scanner") -> str | None:
    """Return the line with which a statement begins as Python, or None if it isn't any; the scanner goes on from it."""
    if timed := _TIME.match(line, len(_indentation(line))):
        line = _indentation(line) + line[timed.end() :]
    if line.lstrip(" \t\f").startswith(_ESCAPES):
        return None
    scanner.read(line)
    value = line[scanner.assigned :].lstrip(" \t") if scanner.assigned else ""
    if timed := _TIME.match(value):
        scanner.restart()
        line = f"{line[: scanner.assigned]} {value[timed.end() :]}"
        scanner.read(line)
        return line
    if value.startswith("!") or re.match(r"%{1,2}\w", value) or (scanner.last == "?" and not scanner.open):
        scanner.restart()
        return None
    return line


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t\f"))]


class _Scanner:
    """Reads Python line by line and knows what is still open at the end of each."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.continued = False
        self.assigned = 0
        """Where the value begins that the latest line assigns, if it does."""
        self.last = ""
        """The last character of code in the latest line."""

    def restart(self) -> None:
        """Forget what is open: the latest line was no Python."""
        self.open.clear()
        self.continued = False

    def between_statements(self) -> bool:
        """Return whether a statement may begin on the next line."""
        return not self.open and not self.continued

    def read(self, line: str) -> None:
        """Follow one line, given without its end."""
        self.continued, self.assigned, self.last = False, 0, ""
        place = 0
        while place < len(line):
            place = self._read_text(line, place) if self._in_text() else self._read_code(line, place)
        if not self.continued:
            self._close_texts_of_one_line()

    def _in_text(self) -> bool:
        return bool(self.open) and (self.open[-1] == _FORMAT or self.open[-1][-1] in "\"'")

    def _read_text(self, line: str, place: int) -> int:
        """Follow a text, or the format behind an expression in one, by one step."""
        if plain := _PLAIN.match(line, place):
            return plain.end()
        top = self.open[-1]
        prefix, quote = ("f", "") if top == _FORMAT else _split(top)
        character = line[place]
        if character == "\\":
            self.continued = place + 1 == len(line)
            return place + 1 if "f" in prefix and line[place + 1 : place + 2] in ("{", "}") else place + 2
        if quote and line.startswith(quote, place):
            self.open.pop()
            return place + len(quote)
        if character == "{" and ("f" in prefix or "t" in prefix):
            if quote and line.startswith("{{", place):
                return place + 2
            self.open.append(_EXPRESSION)
        elif character == "}" and top == _FORMAT:
            del self.open[-2:]
        return place + 1

    def _read_code(self, line: str, place: int) -> int:
        """Follow code by one step: a word, a mark, or the rest of the line if it is a comment."""
        character = line[place]
        if character == "#":
            return len(line)
        if not character.isspace():
            self.last = character
        if word := _WORD.match(line, place):
            quote = _QUOTE.match(line, word.end()) if word[0].lower() in _STRING_PREFIXES else None
            if not quote:
                return word.end()
            self.open.append(word[0].lower() + quote[0])
            return quote.end()
        if quote := _QUOTE.match(line, place):
            self.open.append(quote[0])
            return quote.end()
        if character == "\\":
            self.continued = place + 1 == len(line)
        elif character in "([{":
            self.open.append(character)
        elif character in ")]}" and self.open:
            self.open.pop()
        elif character == ":" and self.open and self.open[-1] == _EXPRESSION:
            self.open.append(_FORMAT)
        elif character == "=" and not self.open and not self.assigned:
            around = line[max(place - 1, 0) : place + 2]
            self.assigned = 0 if _NO_ASSIGNMENT.search(around) else place + 1
        return place + 1

    def _close_texts_of_one_line(self) -> None:
        """Take up again after a text that its line should have closed."""
        for depth, held in enumerate(self.open):
            short = held[-1] in "\"'" and len(_split(held)[1]) == 1
            # The expressions in an f-string may go on in the next line, from Python 3.12 on.
            if short and (depth + 1 == len(self.open) or self.open[-1] == _FORMAT):
                del self.open[depth:]
                return


def _split(held: str) -> tuple[str, str]:
    """Return prefix and quotation mark of a text that is open."""
    prefix = held.rstrip("\"'")
    return prefix, held[len(prefix) :]
