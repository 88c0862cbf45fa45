"""Finds what was handed in and reads it: the files and the notebook of a folder or a commit, or one such file."""

import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from graders.engine.clean import one_line
from graders.engine.errors import SubmissionError, shown_path
from graders.engine.load.assignment import NOTEBOOK, Assignment, Text, Wanted
from graders.engine.load.choice import OpenNotebook, choose, choose_text
from graders.engine.load.course import EXERCISES
from graders.engine.load.folder import open_folder
from graders.engine.load.git_tree import open_commit
from graders.engine.load.notebook.cells import MAX_BYTES as MAX_NOTEBOOK_BYTES
from graders.engine.load.notebook.cells import read_notebook
from graders.engine.load.place import Place, Refused, read_handed_in
from graders.engine.load.remarks import inventory, nearest, nothing_in_commit, nothing_read, shadows, what_runs
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
                folder = open_folder(path, f"{EXERCISES}/" if path.name == EXERCISES else "", stack)
                return load_place(folder, shown_path(path), wanted, partial(nothing_read, path, wanted))
            if stat.S_ISREG(kind) and path.suffix == NOTEBOOK and notebook is not None:
                return _load_notebook(path, wanted, stack)
            if stat.S_ISREG(kind):
                return _load_single(path, wanted, stack)
    except OSError as error:
        raise nothing_read(path, wanted, [f"it cannot be opened ({error.strerror})"]) from error
    raise nothing_read(path, wanted, ["it is neither a folder nor an ordinary file"])


def load_commit(
    path: Path, revision: str, assignments: Sequence[Assignment], notebook: str | None = None
) -> Submission:
    """What a commit of the repository at that path holds, by the same rules; UsageError says that there is no git."""
    wanted = Wanted(assignments, notebook)
    failure = partial(nothing_in_commit, f"{shown_path(path)}@{one_line(revision)}", wanted)
    try:
        with ExitStack() as stack:
            tree, digest = open_commit(path, revision, stack)
            submission = load_place(tree, f"{shown_path(path)}@{digest[:12]}", wanted, failure)
            return replace(submission, commit=digest)
    except OSError as error:
        raise failure([f"the repository cannot be opened ({error.strerror})"]) from error
    except Refused as refusal:
        raise failure([str(refusal)]) from refusal


def load_place(
    root: Place, label: str, wanted: Wanted, failure: Callable[[Sequence[str]], SubmissionError]
) -> Submission:
    """What an open place holds, under that label; raises what `failure` makes of the reasons if that is nothing."""
    folder = root
    direct = [name for name in wanted.all_names if root.has(name)]
    notes: list[str] = []
    if root.has(EXERCISES):
        try:
            inner = root.inside(EXERCISES)
        except Refused as refusal:
            if not direct:
                raise failure([str(refusal)]) from refusal
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
        raise failure([file.problem for file in files] + notebook_notes + [inventory(root)])
    return Submission(label, files, (*notes, *what_runs(files), *shadows(folder, files)))


def _load_exercise(folder: Place, assignment: Assignment, wanted: Wanted, opened: OpenNotebook | None) -> ExerciseFile:
    file = _load_file(folder, assignment.slug, assignment.file, folder.prefix + assignment.file, wanted.files)
    if opened is not None:
        file = choose(file, folder.has(assignment.file), opened, assignment)
    return replace(file, written=tuple(_load_text(folder, text, opened) for text in assignment.texts))


def _load_text(folder: Place, text: Text, opened: OpenNotebook | None) -> Written:
    label = folder.prefix + text.file
    try:
        return choose_text(text, label, read_handed_in(folder, text.file, label), "", opened)
    except FileNotFoundError:
        problem = f"no file {label}; expected it there. Copy the stub from the course and write below its heading."
    except Refused as refusal:
        problem = str(refusal)
    return choose_text(text, label, None, problem, opened)


def _open_notebook(folder: Place, wanted: Wanted) -> tuple[OpenNotebook | None, list[str]]:
    """Return the folder's notebook, under the course's name or as the only one, and why one was not read."""
    if wanted.notebook is None:
        return None, []
    name, notes = wanted.notebook, []
    others = [
        entry
        for entry in folder.entries
        if entry.endswith(NOTEBOOK) and not entry.startswith(".") and entry != wanted.notebook
    ]
    names = ", ".join(one_line(other) for other in others[:5])
    if folder.has(name):
        notes += [f"{names} was not read: the notebook is {name}"] if others else []
    elif len(others) == 1:
        name = others[0]
        notes += [f'"{names}" was read as the notebook {wanted.notebook}']
    else:
        several = f"{names} were not read: expected one notebook, {name}. Give that name to the one that counts."
        return None, [several] if others else []
    label = folder.prefix + one_line(name)
    try:
        return OpenNotebook(label, read_notebook(read_handed_in(folder, name, label, MAX_NOTEBOOK_BYTES))), notes
    except Refused as refusal:
        return None, [f"{label} was not read: {refusal}"]


def _load_notebook(path: Path, wanted: Wanted, stack: ExitStack) -> Submission:
    """One notebook as the whole submission."""
    real = path.resolve()
    folder = open_folder(real.parent, f"{EXERCISES}/" if path.parent.name == EXERCISES else "", stack)
    label = folder.prefix + one_line(path.name)
    try:
        opened = OpenNotebook(label, read_notebook(read_handed_in(folder, real.name, label, MAX_NOTEBOOK_BYTES)))
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
    given = _load_file(folder, chosen.slug, real.name, folder.prefix + one_line(path.name), wanted.files)
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


def _load_file(folder: Place, slug: str, name: str, label: str, known: Sequence[str]) -> ExerciseFile:
    neighbours = tuple(module for module in folder.modules if f"{module}.py" != name)[:MAX_NEIGHBOURS]
    try:
        source = read_handed_in(folder, name, label)
    except FileNotFoundError:
        near = nearest(name, [entry for entry in folder.entries if entry not in known])
        remedy = "Copy the stub from the course and fill it in."
        if near:
            remedy = f'There is "{one_line(near)}": if that is your file, rename it.'
        problem = f"no file {label}; expected it there. {remedy}"
        return ExerciseFile(slug, label, problem=problem, neighbours=neighbours)
    except Refused as refusal:
        return ExerciseFile(slug, label, problem=str(refusal), neighbours=neighbours)
    return ExerciseFile(slug, label, source, hashlib.sha256(source).hexdigest(), neighbours=neighbours)
