"""A submission as bytes: the named exercise files of a folder, and why one of them could not be read."""

import difflib
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from graders.engine.errors import SubmissionError, printable, shown_path
from graders.engine.load.folder import Folder, Refused, open_folder, open_inside, read_file

EXERCISES = "exercises"
MAX_NEIGHBOURS = 200

_IMPORTABLE = sys.stdlib_module_names | {"torch", "numpy"}


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


@dataclass(frozen=True, slots=True)
class Submission:
    """One file for each selected exercise, in the order of the selection, and remarks for the student."""

    label: str
    files: tuple[ExerciseFile, ...]
    notes: tuple[str, ...]


def load_submission(path: Path, slugs: Sequence[str]) -> Submission:
    """The files of the exercises ``slugs`` in a folder, in its folder ``exercises``, or in one single file.

    A file that cannot be read is in there with its problem; if that holds for all, raises SubmissionError.
    """
    try:
        with ExitStack() as stack:
            # Links in the path itself are followed: whoever runs this typed it, not the student graded.
            kind = os.stat(path).st_mode
            if stat.S_ISDIR(kind):
                return _load_folder(path, slugs, stack)
            if stat.S_ISREG(kind):
                return _load_single(path, slugs, stack)
    except OSError as error:
        raise _nothing_read(path, slugs, [f"it cannot be opened ({error.strerror})"]) from error
    raise _nothing_read(path, slugs, ["it is neither a folder nor an ordinary file"])


def _load_folder(path: Path, slugs: Sequence[str], stack: ExitStack) -> Submission:
    folder = root = open_folder(path, f"{EXERCISES}/" if path.name == EXERCISES else "", stack)
    names = [f"{slug}.py" for slug in slugs]
    direct = [name for name in names if root.has(name)]
    notes: list[str] = []
    if root.has(EXERCISES):
        try:
            inner = open_inside(root, EXERCISES, stack)
        except Refused as refusal:
            if not direct:
                raise _nothing_read(path, slugs, [str(refusal)]) from refusal
            notes.append(f"{refusal} Until then only the files beside it are graded.")
        else:
            preferred = any(inner.has(name) for name in names)
            folder = inner if preferred or not direct else root
            if preferred and direct:
                notes.append(f"{', '.join(direct)} beside {EXERCISES}/ was not read: the files in it count")
    pairs = zip(slugs, names, strict=True)
    files = tuple(_load_file(folder, slug, name, folder.prefix + name, names) for slug, name in pairs)
    if not any(file.sha256 for file in files):
        raise _nothing_read(path, slugs, [file.problem for file in files] + [_inventory(root)])
    return Submission(shown_path(path), files, (*notes, *_shadows(folder, files)))


def _load_single(path: Path, slugs: Sequence[str], stack: ExitStack) -> Submission:
    names = [f"{slug}.py" for slug in slugs]
    if path.name in names:
        chosen = slugs[names.index(path.name)]
    elif len(slugs) == 1 and path.suffix == ".py":
        chosen = slugs[0]
    else:
        raise _nothing_read(path, slugs, [f"expected a file with the name {' or '.join(names)}; rename it"])
    real = path.resolve()
    folder = open_folder(real.parent, f"{EXERCISES}/" if path.parent.name == EXERCISES else "", stack)
    given = _load_file(folder, chosen, real.name, folder.prefix + printable(path.name), names)
    if given.problem:
        raise _nothing_read(path, slugs, [given.problem])
    absent = f"not given: only {given.label} was. Give the folder that holds it to grade every exercise."
    others = {slug: ExerciseFile(slug, f"{folder.prefix}{slug}.py", problem=absent) for slug in slugs}
    files = tuple((others | {chosen: given}).values())
    return Submission(shown_path(path), files, _shadows(folder, (given,)))


def _nothing_read(path: Path, slugs: Sequence[str], reasons: Sequence[str]) -> SubmissionError:
    return SubmissionError(
        "\n  ".join([f'nothing to grade in "{shown_path(path)}":', *reasons])
        + f"\nGive a folder with {EXERCISES}/ in it, the folder of the exercise files itself, "
        f"or one exercise file, such as {slugs[0]}.py."
    )


def _shadows(folder: Folder, files: Sequence[ExerciseFile]) -> tuple[str, ...]:
    return tuple(
        f"{folder.prefix}{name}{'.py' if folder.has(f'{name}.py') else '/'} is not part of the submission, "
        f"and can hide the real {name} when you run your file yourself; rename it"
        for name in dict.fromkeys(itertools.chain.from_iterable(file.neighbours for file in files))
        if name in _IMPORTABLE
    )


def _load_file(folder: Folder, slug: str, name: str, label: str, known: Sequence[str]) -> ExerciseFile:
    neighbours = tuple(module for module in folder.modules if f"{module}.py" != name)[:MAX_NEIGHBOURS]
    try:
        source = read_file(folder, name, label)
    except FileNotFoundError:
        near = _nearest(name, [entry for entry in folder.entries if entry not in known])
        remedy = "Copy the stub from the course and fill it in."
        if near:
            remedy = f'There is "{printable(near)}": if that is your file, rename it.'
        problem = f"no file {label}; expected it there. {remedy}"
        return ExerciseFile(slug, label, problem=problem, neighbours=neighbours)
    except Refused as refusal:
        return ExerciseFile(slug, label, problem=str(refusal), neighbours=neighbours)
    return ExerciseFile(slug, label, source, hashlib.sha256(source).hexdigest(), neighbours=neighbours)


def _nearest(name: str, entries: Sequence[str]) -> str:
    """The entry that was probably meant to have that name: it contains it, or is spelt much like it."""
    stem = name.removesuffix(".py")
    entries = [entry for entry in entries if not entry.lower().endswith((".ipynb", ".pyc"))]
    holding = [entry for entry in entries if stem in entry.lower()]
    alike = difflib.get_close_matches(name, [entry.lower() for entry in entries], n=1, cutoff=0.8)
    return next(iter(holding + [entry for entry in entries if entry.lower() in alike]), "")


def _inventory(folder: Folder) -> str:
    if not folder.entries:
        return "the folder is empty"
    more = f" and {len(folder.entries) - 5} more" if len(folder.entries) > 5 else ""
    return printable(f"the folder holds {', '.join(folder.entries[:5])}{more}")
