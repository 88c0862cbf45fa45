"""What whoever hands something in is told about it: what was not found, what was meant, and what stands in the way."""

import difflib
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.errors import SubmissionError, shown_path
from graders.engine.load.assignment import NOTEBOOK, Wanted
from graders.engine.load.course import EXERCISES
from graders.engine.load.place import Place
from graders.engine.load.submission import ExerciseFile

_IMPORTABLE = sys.stdlib_module_names | {"torch", "numpy"}


def what_runs(files: Sequence[ExerciseFile]) -> list[str]:
    """Return a line for a notebook of which code was taken: not all of it runs."""
    labels = dict.fromkeys(file.label for file in files if file.cells and file.wanted)
    return [f"of {label}, what the exercises need was run: definitions, imports and constants" for label in labels]


def nothing_read(path: Path, wanted: Wanted, reasons: Sequence[str]) -> SubmissionError:
    """Return the error for a path with nothing to grade: why, and what could be given instead."""
    return SubmissionError(
        "\n  ".join([f'nothing to grade in "{shown_path(path)}":', *reasons])
        + f"\nGive a folder with {EXERCISES}/ in it, the folder of the exercise files itself, "
        f"or one exercise file, such as {wanted.files[0]}{', or a notebook' if wanted.notebook else ''}."
    )


def nothing_in_commit(label: str, wanted: Wanted, reasons: Sequence[str]) -> SubmissionError:
    """Return the error for a commit with nothing to grade: why, and what is looked for in one."""
    return SubmissionError(
        "\n  ".join([f'nothing to grade in "{label}":', *reasons])
        + f"\nGive a repository, and a commit of it with {EXERCISES}/ or, beside each other, the exercise files "
        f"themselves, such as {wanted.files[0]}."
    )


def shadows(folder: Place, files: Sequence[ExerciseFile]) -> tuple[str, ...]:
    """Return a line for every neighbour that hides a real module when a student runs a file."""
    return tuple(
        f"{folder.prefix}{name}{'.py' if folder.has(f'{name}.py') else '/'} is not part of the submission, "
        f"and can hide the real {name} when you run your file yourself; rename it"
        for name in dict.fromkeys(itertools.chain.from_iterable(file.neighbours for file in files))
        if name in _IMPORTABLE
    )


def nearest(name: str, entries: Sequence[str]) -> str:
    """Return the entry that was probably meant to have that name: it contains it, or is spelt much like it."""
    stem = Path(name).stem
    entries = [entry for entry in entries if not entry.lower().endswith((NOTEBOOK, ".pyc", ".md"))]
    holding = [entry for entry in entries if stem in entry.lower()]
    alike = difflib.get_close_matches(name, [entry.lower() for entry in entries], n=1, cutoff=0.8)
    return next(iter(holding + [entry for entry in entries if entry.lower() in alike]), "")


def inventory(folder: Place) -> str:
    """Return what a folder holds, in a line."""
    if not folder.entries:
        return "the folder is empty"
    more = f" and {len(folder.entries) - 5} more" if len(folder.entries) > 5 else ""
    return one_line(f"the folder holds {', '.join(folder.entries[:5])}{more}")
