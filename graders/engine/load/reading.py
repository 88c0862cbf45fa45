"""Finds what was handed in and reads it: the files of a folder and its notebook, or one file, or one notebook."""

import hashlib
import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from graders.engine.errors import printable, shown_path
from graders.engine.load.assignment import NOTEBOOK, Assignment, Text, Wanted
from graders.engine.load.choice import OpenNotebook, choose, choose_text
from graders.engine.load.course import EXERCISES
from graders.engine.load.folder import Folder, Refused, open_folder, open_inside, read_file
from graders.engine.load.notebook.cells import MAX_BYTES as MAX_NOTEBOOK_BYTES
from graders.engine.load.notebook.cells import Notebook, read_notebook
from graders.engine.load.remarks import inventory, nearest, nothing_read, shadows, what_runs
from graders.engine.load.submission import ExerciseFile, Submission, Written

MAX_NEIGHBOURS = 200


def load_submission(path: Path, assignments: Sequence[Assignment], notebook: str | None = None) -> Submission:
    """What a folder, its folder ``exercises``, one file or one notebook holds for these exercises, in their order.

    A file that cannot be read is in there with its problem; if that holds for all, raises SubmissionError.
    """
    wanted = Wanted(assignments, notebook)
    try:
        with ExitStack() as stack:
            # Links in the path itself are followed: whoever runs this typed it, not the student graded.
            kind = os.stat(path).st_mode
            if stat.S_ISDIR(kind):
                return _load_folder(path, wanted, stack)
            if stat.S_ISREG(kind) and path.suffix == NOTEBOOK and notebook is not None:
                return _load_notebook(path, wanted, stack)
            if stat.S_ISREG(kind):
                return _load_single(path, wanted, stack)
    except OSError as error:
        raise nothing_read(path, wanted, [f"it cannot be opened ({error.strerror})"]) from error
    raise nothing_read(path, wanted, ["it is neither a folder nor an ordinary file"])


def _load_folder(path: Path, wanted: Wanted, stack: ExitStack) -> Submission:
    folder = root = open_folder(path, f"{EXERCISES}/" if path.name == EXERCISES else "", stack)
    direct = [name for name in wanted.all_names if root.has(name)]
    notes: list[str] = []
    if root.has(EXERCISES):
        try:
            inner = open_inside(root, EXERCISES, stack)
        except Refused as refusal:
            if not direct:
                raise nothing_read(path, wanted, [str(refusal)]) from refusal
            notes.append(f"{refusal} Until then only the files beside it are graded.")
        else:
            preferred = any(inner.has(name) for name in wanted.all_names)
            folder = inner if preferred or not direct else root
            if preferred and direct:
                notes.append(f"{', '.join(direct)} beside {EXERCISES}/ was not read: the files in it count")
    opened, notebook_notes = _open_notebook(folder, wanted)
    files = tuple(_load_exercise(folder, assignment, wanted, opened) for assignment in wanted.assignments)
    notes += notebook_notes
    if not _anything(files):
        reasons = [file.problem for file in files] + notebook_notes + [inventory(root)]
        raise nothing_read(path, wanted, reasons)
    return Submission(shown_path(path), files, (*notes, *what_runs(files), *shadows(folder, files)))


def _load_exercise(folder: Folder, assignment: Assignment, wanted: Wanted, opened: OpenNotebook | None) -> ExerciseFile:
    file = _load_file(folder, assignment.slug, assignment.file, folder.prefix + assignment.file, wanted.files)
    if opened is not None:
        file = choose(file, folder.has(assignment.file), opened, assignment)
    return replace(file, written=tuple(_load_text(folder, text, opened) for text in assignment.texts))


def _load_text(folder: Folder, text: Text, opened: OpenNotebook | None) -> Written:
    label = folder.prefix + text.file
    try:
        return choose_text(text, label, read_file(folder, text.file, label), "", opened)
    except FileNotFoundError:
        problem = f"no file {label}; expected it there. Copy the stub from the course and write below its heading."
    except Refused as refusal:
        problem = str(refusal)
    return choose_text(text, label, None, problem, opened)


def _open_notebook(folder: Folder, wanted: Wanted) -> tuple[OpenNotebook | None, list[str]]:
    """Return the folder's notebook, under the course's name or as the only one, and why one was not read."""
    if wanted.notebook is None:
        return None, []
    name, notes = wanted.notebook, []
    others = [
        entry
        for entry in folder.entries
        if entry.endswith(NOTEBOOK) and not entry.startswith(".") and entry != wanted.notebook
    ]
    names = ", ".join(printable(other) for other in others[:5])
    if folder.has(name):
        notes += [f"{names} was not read: the notebook is {name}"] if others else []
    elif len(others) == 1:
        name = others[0]
        notes += [f'"{names}" was read as the notebook {wanted.notebook}']
    else:
        several = f"{names} were not read: expected one notebook, {name}. Give that name to the one that counts."
        return None, [several] if others else []
    label = folder.prefix + printable(name)
    try:
        return OpenNotebook(label, _read_notebook(folder, name, label)), notes
    except Refused as refusal:
        return None, [f"{label} was not read: {refusal}"]


def _read_notebook(folder: Folder, name: str, label: str) -> Notebook:
    return read_notebook(read_file(folder, name, label, MAX_NOTEBOOK_BYTES))


def _load_notebook(path: Path, wanted: Wanted, stack: ExitStack) -> Submission:
    """One notebook as the whole submission."""
    real = path.resolve()
    folder = open_folder(real.parent, f"{EXERCISES}/" if path.parent.name == EXERCISES else "", stack)
    label = folder.prefix + printable(path.name)
    try:
        opened = OpenNotebook(label, _read_notebook(folder, real.name, label))
    except (FileNotFoundError, Refused) as refusal:
        raise nothing_read(path, wanted, [str(refusal)]) from refusal
    files = []
    for assignment in wanted.assignments:
        absent = ExerciseFile(assignment.slug, label)
        file = choose(absent, False, opened, assignment)
        unwritten = f"{label} has no cell that writes it"
        texts = tuple(choose_text(text, label, None, f"{text.file}: {unwritten}", opened) for text in assignment.texts)
        files.append(replace(file, written=texts))
    if not _anything(files):
        raise nothing_read(path, wanted, [file.problem for file in files])
    return Submission(shown_path(path), tuple(files), (*opened.notebook.notes, *what_runs(files)))


def _load_single(path: Path, wanted: Wanted, stack: ExitStack) -> Submission:
    assignments = wanted.assignments
    if path.name in wanted.files:
        chosen = assignments[wanted.files.index(path.name)]
    elif len(assignments) == 1 and path.suffix == Path(assignments[0].file).suffix:
        chosen = assignments[0]
    else:
        raise nothing_read(path, wanted, [f"expected a file with the name {' or '.join(wanted.files)}; rename it"])
    real = path.resolve()
    folder = open_folder(real.parent, f"{EXERCISES}/" if path.parent.name == EXERCISES else "", stack)
    given = _load_file(folder, chosen.slug, real.name, folder.prefix + printable(path.name), wanted.files)
    if given.problem:
        raise nothing_read(path, wanted, [given.problem])
    given = replace(given, written=tuple(_load_text(folder, text, None) for text in chosen.texts))
    absent = f"not given: only {given.label} was. Give the folder that holds it to grade every exercise."
    others = {
        assignment.slug: ExerciseFile(assignment.slug, folder.prefix + assignment.file, problem=absent)
        for assignment in assignments
    }
    files = tuple((others | {chosen.slug: given}).values())
    return Submission(shown_path(path), files, shadows(folder, (given,)))


def _anything(files: Sequence[ExerciseFile]) -> bool:
    """Return whether there is a file, or a text that a person grades."""
    return any(file.sha256 or any(text.sha256 for text in file.written) for file in files)


def _load_file(folder: Folder, slug: str, name: str, label: str, known: Sequence[str]) -> ExerciseFile:
    neighbours = tuple(module for module in folder.modules if f"{module}.py" != name)[:MAX_NEIGHBOURS]
    try:
        source = read_file(folder, name, label)
    except FileNotFoundError:
        near = nearest(name, [entry for entry in folder.entries if entry not in known])
        remedy = "Copy the stub from the course and fill it in."
        if near:
            remedy = f'There is "{printable(near)}": if that is your file, rename it.'
        problem = f"no file {label}; expected it there. {remedy}"
        return ExerciseFile(slug, label, problem=problem, neighbours=neighbours)
    except Refused as refusal:
        return ExerciseFile(slug, label, problem=str(refusal), neighbours=neighbours)
    return ExerciseFile(slug, label, source, hashlib.sha256(source).hexdigest(), neighbours=neighbours)
