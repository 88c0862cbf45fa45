"""File or notebook: the one that differs from the stub; if both do, the file, and the card says so."""

import json

import pytest

from graders.engine.errors import SubmissionError
from graders.engine.load.assignment import Assignment, Text
from graders.engine.load.reading import load_submission
from graders.engine.load.submission import CellSpan

CODE, SHEET, ESSAY = "ex91_code", "ex92_words", "ex92_essay.md"
STUB = (
    '"""What to do."""\n\nimport torch\n\nclass Thing:\n    # TODO 1: think\n    raise NotImplementedError("TODO 1")\n'
)
WORK = "import torch\n\nclass Thing:\n    done = True\n"
SHEET_STUB, SHEET_WORK = "why:\n  answer:\n", "why:\n  answer: Because.\n"
ESSAY_STUB, ESSAY_WORK = "# Essay\n\n", "# Essay\n\nAll is well.\n"
ASSIGNMENTS = (
    Assignment(CODE, f"{CODE}.py", STUB, ("Thing",)),
    Assignment(SHEET, f"{SHEET}.yaml", SHEET_STUB, (), (Text("essay", ESSAY, ESSAY_STUB),)),
)
NAME = "lesson.ipynb"


def notebook(code=STUB, sheet=SHEET_STUB, essay=ESSAY_STUB):
    """A notebook with a tagged cell for each of these; an empty text leaves the cell out."""
    texts = {CODE: code, f"{SHEET}.yaml": sheet, ESSAY: essay}
    cells = [("# only a comment", "other")]
    cells += [(text if name == CODE else f"%%writefile {name}\n{text}", name) for name, text in texts.items() if text]
    cells = [{"cell_type": "code", "metadata": {"tags": [tag]}, "source": source} for source, tag in cells]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def load(tmp_path, monkeypatch):
    """``load(files, notebook)``: the submission in a folder that holds these texts, by name, and that notebook."""
    monkeypatch.chdir(tmp_path)

    def load(files, book=None, name=NAME):
        for path, text in files.items():
            (tmp_path / path).write_text(text)
        if book is not None:
            (tmp_path / name).write_text(book)
        return load_submission(tmp_path, ASSIGNMENTS, NAME)

    return load


@pytest.mark.parametrize(
    ("file", "cell", "counts", "both"),
    [
        (STUB, STUB, f"{CODE}.py", False),
        (WORK, STUB, f"{CODE}.py", False),
        (STUB, WORK, NAME, False),
        (STUB + "\n# a comment of mine\n", WORK, NAME, False),
        (WORK, WORK.replace("True", "1"), f"{CODE}.py", True),
        (None, STUB, NAME, False),
        (None, WORK, NAME, False),
        (WORK, "", f"{CODE}.py", False),
    ],
)
def test_code(load, file, cell, counts, both):
    files = {f"{SHEET}.yaml": SHEET_WORK} | ({} if file is None else {f"{CODE}.py": file})
    found = load(files, notebook(code=cell)).files[0]
    assert (found.label, found.problem) == (counts, "")
    assert (found.wanted, bool(found.cells)) == ((("Thing",), True) if counts == NAME else ((), False))
    assert found.notes == (
        (
            f"{CODE}.py and {NAME} both hold work for this exercise, and the file was graded. "
            "To have the notebook graded, put the stub back in the file's place.",
        )
        if both
        else ()
    )


@pytest.mark.parametrize(
    ("file", "cell", "counts", "both"),
    [
        (SHEET_STUB, SHEET_STUB, f"{SHEET}.yaml", False),
        (SHEET_WORK, SHEET_STUB, f"{SHEET}.yaml", False),
        (SHEET_STUB, SHEET_WORK, NAME, False),
        (SHEET_WORK, SHEET_WORK.replace(".", "!"), f"{SHEET}.yaml", True),
        (None, SHEET_WORK, NAME, False),
    ],
)
def test_a_sheet(load, file, cell, counts, both):
    files = {f"{CODE}.py": WORK} | ({} if file is None else {f"{SHEET}.yaml": file})
    found = load(files, notebook(sheet=cell)).files[1]
    held_in = (CellSpan(3, 0),) if counts == NAME else ()
    assert (found.label, found.problem, found.cells, bool(found.notes)) == (counts, "", held_in, both)
    assert found.source.decode().strip() == (cell if counts == NAME else file).strip()


@pytest.mark.parametrize(
    ("file", "cell", "counts", "untouched"),
    [
        (ESSAY_STUB, ESSAY_STUB, ESSAY, True),
        (ESSAY_WORK, ESSAY_STUB, ESSAY, False),
        (ESSAY_STUB, ESSAY_WORK, NAME, False),
        (ESSAY_WORK, ESSAY_WORK + "More.", ESSAY, False),
        (None, ESSAY_STUB, NAME, True),
        (ESSAY_STUB, "", ESSAY, True),
    ],
)
def test_a_text_that_a_person_grades(load, file, cell, counts, untouched):
    files = {f"{CODE}.py": WORK} | ({} if file is None else {ESSAY: file})
    (written,) = load(files, notebook(essay=cell)).files[1].written
    assert (written.label, written.untouched, written.problem) == (counts, untouched, "")
    assert written.sha256


def test_a_text_that_is_nowhere(load):
    (written,) = load({f"{CODE}.py": WORK}).files[1].written
    assert "no file ex92_essay.md" in written.problem
    assert written.sha256 == ""


def test_a_file_that_is_broken_does_not_hide_the_notebook(load, tmp_path):
    (tmp_path / f"{CODE}.py").mkdir()
    found = load({}, notebook(code=WORK)).files[0]
    assert (found.label, found.problem) == (NAME, "")
    assert found.notes == (
        f"{CODE}.py is a folder; expected a file. Move the folder away. What counts instead is {NAME}.",
    )


def test_a_notebook_that_is_broken_does_not_hide_the_files(load):
    found = load({f"{CODE}.py": WORK}, "{")
    assert found.files[0].label == f"{CODE}.py"
    assert any(note.startswith(f"{NAME} was not read: ") for note in found.notes)


def test_with_neither_it_says_so_of_both(load):
    found = load({f"{CODE}.py": WORK}, notebook(sheet=""))
    assert found.files[1].problem == (
        f"no file {SHEET}.yaml; expected it there. Copy the stub from the course and fill it in. "
        f"{NAME} has no cell for it either."
    )


def test_a_notebook_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "Copy of lesson.ipynb"
    path.write_text(notebook(code=WORK, sheet="", essay=ESSAY_WORK))
    code, sheet = load_submission(path, ASSIGNMENTS, NAME).files
    assert (code.label, code.problem) == (path.name, "")
    assert sheet.problem == f"{path.name} has no cell for {SHEET}.yaml."
    assert [(written.label, written.untouched) for written in sheet.written] == [(path.name, False)]


@pytest.mark.parametrize("text", ["", "{", "[]", notebook(code="", sheet="", essay="")])
def test_a_notebook_alone_with_nothing_in_it(tmp_path, text):
    path = tmp_path / NAME
    path.write_text(text)
    with pytest.raises(SubmissionError, match="nothing to grade in"):
        load_submission(path, ASSIGNMENTS, NAME)


def test_another_name_is_read_if_it_is_the_only_notebook(load):
    found = load({}, notebook(code=WORK), name="lesson (1).ipynb")
    assert found.files[0].label == "lesson (1).ipynb"
    assert '"lesson (1).ipynb" was read as the notebook lesson.ipynb' in found.notes


def test_several_notebooks_under_other_names_are_not_guessed_at(load, tmp_path):
    (tmp_path / "a.ipynb").write_text(notebook(code=WORK))
    found = load({f"{CODE}.py": WORK}, notebook(code=WORK), name="b.ipynb")
    assert found.files[0].label == f"{CODE}.py"
    (note,) = found.notes
    assert note.startswith("a.ipynb, b.ipynb were not read: expected one notebook, lesson.ipynb.")


def test_a_text_alone_is_something_to_grade(load):
    code, sheet = load({ESSAY: ESSAY_WORK}).files
    assert code.problem
    assert sheet.problem
    assert [(written.label, written.untouched) for written in sheet.written] == [(ESSAY, False)]


def test_line_ends_and_blanks_make_no_other_text(load, tmp_path):
    first = load({f"{CODE}.py": WORK, ESSAY: ESSAY_WORK}).files[1].written[0].sha256
    (tmp_path / ESSAY).write_bytes(ESSAY_WORK.replace("\n", " \r\n").encode() + b"\n\n")
    assert load({}).files[1].written[0].sha256 == first
    assert load({ESSAY: ESSAY_WORK + "More."}).files[1].written[0].sha256 != first


def test_an_empty_file_holds_no_work(load):
    found = load({f"{CODE}.py": " \n"}, notebook(code=WORK)).files[0]
    assert (found.label, found.notes) == (NAME, ())


def test_a_tagged_cell_that_writes_no_file_is_named(load):
    book = json.loads(notebook(sheet=""))
    book["cells"].append({"cell_type": "code", "metadata": {"tags": [SHEET]}, "source": SHEET_WORK})
    found = load({f"{CODE}.py": WORK}, json.dumps(book)).files[1]
    assert found.problem.endswith(
        f"Cell 4 of {NAME} has the tag {SHEET}, but does not begin with `%%writefile {SHEET}.yaml`; "
        "put that line first."
    )


def test_another_notebook_beside_it_is_said_to_be_unread(load, tmp_path):
    (tmp_path / "lesson-Copy1.ipynb").write_text(notebook(code=WORK))
    assert "lesson-Copy1.ipynb was not read: the notebook is lesson.ipynb" in load({}, notebook()).notes
