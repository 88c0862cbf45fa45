"""Reads a lesson written in Markdown: sections, and in each the pieces that a notebook shows as cells of their own."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from graders.engine.errors import CourseError, shown_path

_HEADING = re.compile(r"(#{1,2}) (.+)")
_FIGURE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<file>[^)\s]+\.svg)\)")
_LINK = re.compile(r"(?<=\]\()(?P<target>[^)#\s]+)(?=\))")
_FENCE = "```"


class Kind(Enum):
    """What a piece is for a reader."""

    WORDS = "words"
    CODE = "code"
    FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class Piece:
    """Markdown, the code of a Python block, or the name of a figure's file."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the first or second level, and what stands under it up to the next one."""

    title: str
    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        """The heading in small letters and hyphens, as links to it are written."""
        return anchor(self.title)

    @property
    def links(self) -> tuple[str, ...]:
        """The files that its words link to."""
        return tuple(link for piece in self.pieces if piece.kind is Kind.WORDS for link in _LINK.findall(piece.text))


def anchor(title: str) -> str:
    """The fragment under which GitHub knows a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def relink(words: str, targets: Mapping[str, str]) -> str:
    """The words with every link to one of those files replaced by the target that is given for it."""
    return _LINK.sub(lambda link: targets.get(link["target"], link["target"]), words)


def read_lesson(path: Path) -> tuple[Section, ...]:
    """The sections of a lesson; raises CourseError if it cannot be read or does not begin with a heading."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"{shown_path(path)} cannot be read ({error.strerror}); expected the lesson there") from error
    except UnicodeDecodeError as error:
        raise CourseError(f"{shown_path(path)}: not UTF-8; save the file with that encoding") from error
    if not _HEADING.match(text):
        raise CourseError(f"{shown_path(path)}:1: expected a heading, such as `# Some lesson`")
    return tuple(_sections(text.splitlines()))


def _sections(lines: list[str]) -> Iterator[Section]:
    starts = [place for place, line in enumerate(lines) if _HEADING.match(line) and not _fenced(lines[:place])]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        heading = _HEADING.fullmatch(lines[start])
        assert heading is not None
        yield Section(heading[2], tuple(_pieces(lines[start:end])))


def _fenced(before: list[str]) -> bool:
    """Whether the line after these stands inside a block."""
    return sum(line.startswith(_FENCE) for line in before) % 2 == 1


def _pieces(lines: list[str]) -> Iterator[Piece]:
    words: list[str] = []
    code: list[str] | None = None
    for line in lines:
        figure = _FIGURE.fullmatch(line)
        if code is not None and line != _FENCE:
            code.append(line)
        elif code is not None:
            yield Piece(Kind.CODE, "\n".join(code))
            code = None
        elif line == f"{_FENCE}python":
            yield from _as_words(words)
            words, code = [], []
        elif figure and not _fenced(words):
            # What the figure shows is said in words as well, for those who do not see it.
            yield from _as_words([*words, f"*{figure['alt']}*"])
            yield Piece(Kind.FIGURE, figure["file"])
            words = []
        else:
            words.append(line)
    yield from _as_words(words)


def _as_words(lines: list[str]) -> Iterator[Piece]:
    text = "\n".join(lines).strip("\n")
    if text:
        yield Piece(Kind.WORDS, text)
