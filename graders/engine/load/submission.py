"""What was handed in, as bytes: one record for each exercise, and why one of them could not be read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CellSpan:
    """A cell of a notebook: its number among all cells, and the line of the joined source on which it begins.

    A cell is not `mine` if it is tagged as another exercise's only.
    """

    number: int
    first_line: int
    mine: bool = True


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a person grades: its name in the rubric, and whether it says anything that its stub does not."""

    item: str
    label: str
    sha256: str = ""
    problem: str = ""
    untouched: bool = False


@dataclass(frozen=True, slots=True)
class ExerciseFile:
    """One exercise's file: its bytes and their digest, or the problem that kept it from being read."""

    slug: str
    label: str
    source: bytes = b""
    sha256: str = ""
    problem: str = ""
    neighbours: tuple[str, ...] = ()
    """Modules and packages that lie beside the file and are no part of the submission, by name."""
    cells: tuple[CellSpan, ...] = ()
    """Of a notebook: which cells the source was joined from, and where each begins in it."""
    wanted: tuple[str, ...] = ()
    """Of a notebook: the names that the exercise asks for."""
    notes: tuple[str, ...] = ()
    """What a card says about where this came from."""
    written: tuple[Written, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """One file for each selected exercise, in the order of the selection, and remarks for the student."""

    label: str
    files: tuple[ExerciseFile, ...]
    notes: tuple[str, ...]
    commit: str = ""
    """The digest of the commit that holds them, if they were read from one."""
