"""Generates the notebook from the lesson and the stubs, for those who would rather work in Jupyter than with files.

The same course gives the same bytes, so that a test can tell whether the notebook in the repository is up to date.
"""

import ast
import itertools
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from graders.engine.author.lesson import Kind, Section, read_lesson, relink
from graders.engine.errors import CourseError, shown_path
from graders.engine.load.course import EXERCISES, Course
from graders.engine.load.handed_out import files_of
from graders.engine.load.rubric import ExerciseRubric, Rubric

LESSON = "README.md"
SETUP = Path(__file__).with_name("templates") / "setup_cell.txt"
ONLY_FILES = "Check your work"
"""Begins the paragraph of a stub's docstring that speaks to those who work with files."""
RUNS = 'if __name__ == "__main__":'
"""Begins what a stub does when it is run as a file."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# A figure is shown by code and not by a link, since Colab opens a notebook without the files beside it. Copies inside
# the notebook are no way out: not every program shows an SVG that is an attachment, or one in a data address.
FIGURE = 'from IPython.display import SVG\n\nSVG(filename="{file}")'
LONGEST_ROLE = 60
"""An id may have 64 letters; the rest is for a number."""

Cell = dict[str, Any]


def build_notebook(course: Course, rubric: Rubric) -> str:
    """The notebook as JSON: the lesson's sections as cells, each exercise after the last section that links to it.

    Cells are named after what they hold, never after their place or by chance. The cell that a student fills in has
    the exercise's slug as a tag. Raises CourseError if the lesson or a file of an exercise is missing, or if the lesson
    links to an exercise nowhere.
    """
    sections = read_lesson(course.exercises / LESSON)
    owners = {file: slug for slug, exercise in rubric.exercises.items() for file in files_of(exercise)}
    after = _last_links(course, sections, owners, rubric)
    cells: list[Cell] = []
    for place, section in enumerate(sections):
        cells += _lesson_cells(section, {file: f"#{slug}" for file, slug in owners.items()})
        if place == 0:
            cells.append(_code("setup", SETUP.read_text(encoding="utf-8").strip("\n")))
        for slug in after.get(place, []):
            cells += _exercise_cells(course, rubric.exercises[slug])
    content = {"cells": _named_apart(cells), "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    notebook = nbformat.from_dict(content)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    return f"{nbformat.writes(notebook)}\n"  # type: ignore[no-untyped-call]


def require_fresh(files: Mapping[str, bytes], rubric: Rubric) -> None:
    """Raise CourseError if the notebook among these files is not what they make: somebody may have worked in it.

    The files are what students are to get, by path in the course, the notebook among them if the course has one.
    """
    if rubric.notebook is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        handed = Course(Path(scratch))
        handed.exercises.mkdir()
        for path, data in files.items():
            if path.startswith(f"{EXERCISES}/"):
                (handed.root / path).write_bytes(data)
        fresh = build_notebook(handed, rubric)
    path = f"{EXERCISES}/{rubric.notebook}"
    if files[path].decode("utf-8").replace("\r\n", "\n") != fresh:
        raise CourseError(
            f"{path} is not what the lesson and the recorded stubs make: one of these was edited, or somebody has "
            f"worked in it. See that {EXERCISES}/ has the stubs, and write it anew with `grade notebook`"
        )


def _words(role: str, text: str) -> Cell:
    return {"cell_type": "markdown", "id": role, "metadata": {}, "source": text}


def _code(role: str, text: str, tags: Sequence[str] = ()) -> Cell:
    metadata = {"tags": list(tags)} if tags else {}
    cell = _words(role, text) | {"cell_type": "code", "metadata": metadata}
    return cell | {"execution_count": None, "outputs": []}


def _named_apart(cells: Sequence[Cell]) -> list[Cell]:
    """The cells with their roles as ids, in the letters that nbformat allows; a role that comes again gets a number."""
    taken: set[str] = set()
    named = []
    for cell in cells:
        role = re.sub(r"[^a-zA-Z0-9_-]", "", cell["id"])[:LONGEST_ROLE]
        numbered = (f"{role}-{number}" for number in itertools.count(2))
        name = next(name for name in itertools.chain([role], numbered) if name not in taken)
        taken.add(name)
        named.append(cell | {"id": name})
    return named


def _last_links(
    course: Course, sections: tuple[Section, ...], owners: Mapping[str, str], rubric: Rubric
) -> Mapping[int, list[str]]:
    """For the place of a section, the exercises to which it is the last to link."""
    last = {owners[link]: place for place, section in enumerate(sections) for link in section.links if link in owners}
    for slug, exercise in rubric.exercises.items():
        if slug not in last:
            raise CourseError(
                f"{shown_path(course.exercises / LESSON)} links to {exercise.file} nowhere; "
                "link to it in the section after which its cells belong"
            )
    return {place: [slug for slug in rubric.exercises if last[slug] == place] for place in last.values()}


def _lesson_cells(section: Section, targets: Mapping[str, str]) -> Iterator[Cell]:
    role = f"lesson-{section.name}"
    for piece in section.pieces:
        match piece.kind:
            case Kind.WORDS:
                yield _words(role, relink(piece.text, targets))
            case Kind.CODE:
                yield _code(f"{role}-code", piece.text)
            case Kind.FIGURE:
                yield _code(f"{role}-figure", FIGURE.format(file=piece.text))


def _exercise_cells(course: Course, exercise: ExerciseRubric) -> Iterator[Cell]:
    short = exercise.slug.partition("_")[0]
    if exercise.kind == "code":
        stub = _read_stub(course.exercises / exercise.file)
        yield _words(f"{short}-head", f"### {exercise.slug}\n\n{stub.words}")
        yield _code(f"{short}-code", stub.code, [exercise.slug])
        # In a cell of its own: it needs what is not written yet, and may take a while. Where a grader loads the
        # notebook, the condition keeps it from running.
        if stub.trial:
            yield _code(f"{short}-run", f"# For when the TODOs above are done.\n{stub.trial}")
    else:
        yield _words(f"{short}-head", f"### {exercise.slug}\n\n{_sheet_words(exercise)}")
        for file in files_of(exercise):
            role = Path(file).stem.removeprefix(f"{short}_").replace("_", "-")
            text = _read(course.exercises / file).strip("\n")
            yield _code(f"{short}-{role}", f"%%writefile {file}\n{text}", [exercise.slug])
    yield _code(f"{short}-check", f'check("{short}")')


@dataclass(frozen=True, slots=True)
class _Stub:
    """A stub taken apart: words for above its cell, its code, and what it does when run as a file, if anything."""

    words: str
    code: str
    trial: str


def _read_stub(path: Path) -> _Stub:
    source = _read(path)
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise CourseError(f"{shown_path(path)}:{error.lineno}: cannot be read by Python: {error.msg}") from error
    words = ast.get_docstring(tree)
    if words is None:
        raise CourseError(f"{shown_path(path)}:1: expected a docstring that says what the exercise asks for")
    title, *rest = [part for part in words.split("\n\n") if not part.startswith(ONLY_FILES)]
    how = "Fill in the cell below and run it; then run the check under it, as often as you like."
    text = "\n".join(source.splitlines()[tree.body[0].end_lineno :])
    code, runs, rest_of_file = text.partition(f"\n{RUNS}")
    return _Stub("\n\n".join([f"**{title}**", *rest, how]), code.strip("\n"), (runs + rest_of_file).strip("\n"))


def _sheet_words(exercise: ExerciseRubric) -> str:
    return (
        f"**{exercise.title}.** Answer in the cells below and run each of them; then run the check.\n\n"
        "A cell that begins with `%%writefile` saves the rest of its text in the folder `exercises/`, in place of what "
        "that file holds. So answer either here or in the files, and not in both."
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{shown_path(path)} cannot be read as text ({error}); the notebook needs it") from error
