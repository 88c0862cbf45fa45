"""Which of a file and a notebook is graded, where both may hold work: the one that differs from the stub.

If both do, it is the file, and the card says so. A broken file does not hide a notebook with work in it, nor a broken
notebook a file.
"""

import hashlib
import re
from dataclasses import dataclass, replace

from graders.engine.load.assignment import Assignment, Text
from graders.engine.load.notebook.cells import Notebook
from graders.engine.load.notebook.exercise import Found, exercise_source, same_code, sheet_source
from graders.engine.load.rubric import SLUG
from graders.engine.load.submission import ExerciseFile, Written


@dataclass(frozen=True, slots=True)
class OpenNotebook:
    """A notebook that was read, and the path that people know it by."""

    label: str
    notebook: Notebook


def choose(file: ExerciseFile, there: bool, opened: OpenNotebook, assignment: Assignment) -> ExerciseFile:
    """Return the file, or what the notebook holds in its place. `there`: whether a file of that name exists."""
    held = exercise_in(opened.notebook, assignment)
    if held is None:
        # A notebook that is the whole submission is the file's own label: then there is no "either".
        either = "" if file.label == opened.label else " either"
        here = f"{opened.label} has no cell for {'it' if either else assignment.file}{either}."
        if tagged := [cell.number for cell in opened.notebook.cells if assignment.slug in cell.tags]:
            here = (
                f"Cell {tagged[0]} of {opened.label} has the tag {assignment.slug}, but does not begin with "
                f"`%%writefile {assignment.file}`; put that line first."
            )
        return file if there else replace(file, problem=f"{file.problem} {here}".strip())
    if file.sha256 and (held.untouched or not _says_the_same(file.source, assignment)):
        return file if held.untouched else replace(file, notes=(*file.notes, _both(file.label, opened.label)))
    notes = (f"{file.problem} What counts instead is {opened.label}.",) if there and file.problem else ()
    return ExerciseFile(
        slug=file.slug,
        label=opened.label,
        source=held.source,
        sha256=_digest(held.source),
        neighbours=file.neighbours,
        cells=held.cells,
        wanted=assignment.names,
        notes=(*file.notes, *notes),
    )


def choose_text(text: Text, label: str, source: bytes | None, problem: str, opened: OpenNotebook | None) -> Written:
    """Return the text of the file (None: there is none, or it cannot be read), or the one that the notebook writes."""
    in_file = Written(text.item, label, problem=problem) if source is None else _written(text, label, source)
    cell = sheet_source(opened.notebook, text.file) if opened else None
    if cell is None or opened is None:
        return in_file
    in_notebook = _written(text, opened.label, cell.source)
    preferred = source is None or (in_file.untouched and not in_notebook.untouched)
    return in_notebook if preferred else in_file


def _written(text: Text, label: str, source: bytes) -> Written:
    words = _text(source)
    return Written(text.item, label, _digest_of_words(words), untouched=same_text(words, text.stub))


def same_text(text: str, stub: str) -> bool:
    """Return whether two texts are the same but for blanks and empty lines."""
    return text.split() == stub.split()


def exercise_in(notebook: Notebook, assignment: Assignment) -> Found | None:
    """Return what a notebook holds for an exercise, its code or its sheet; None if it holds nothing."""
    if assignment.is_code:
        # Of all exercises, whichever are graded now.
        slugs = {tag for cell in notebook.cells for tag in cell.tags if re.fullmatch(SLUG, tag)}
        return exercise_source(notebook, assignment.slug, slugs, assignment.stub, assignment.names)
    sheet = sheet_source(notebook, assignment.file)
    if sheet is None:
        return None
    return Found(sheet.source, (sheet.span,), same_text(_text(sheet.source), assignment.stub))


def _says_the_same(source: bytes, assignment: Assignment) -> bool:
    """Return whether a file says nothing that its stub does not say, or nothing at all."""
    if not _text(source).strip():
        return True
    return (same_code if assignment.is_code else same_text)(_text(source), assignment.stub)


def _both(file: str, notebook: str) -> str:
    return (
        f"{file} and {notebook} both hold work for this exercise, and the file was graded. "
        "To have the notebook graded, put the stub back in the file's place."
    )


def _text(source: bytes) -> str:
    return source.decode("utf-8-sig", "replace")


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()


def _digest_of_words(text: str) -> str:
    """The digest of a text, whatever an editor or a checkout made of its line ends."""
    return _digest("\n".join(line.rstrip() for line in text.strip().splitlines()).encode())
