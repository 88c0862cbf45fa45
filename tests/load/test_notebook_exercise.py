"""Which cells are an exercise's, whether they say more than its stub does, and which sheet a cell writes."""

import time
from pathlib import Path

import pytest

import graders
from graders.engine.load.notebook.cells import Notebook, NotebookCell
from graders.engine.load.notebook.exercise import exercise_source, same_code, sheet_source
from graders.engine.load.submission import CellSpan

FIRST, SECOND = "ex01_first_step", "ex02_second_one"
SLUGS = {FIRST, SECOND}
STUB = '''"""Exercise 1: the first step.

# A heading and "quotes".
"""

import torch
from torch import nn  # layers


class First(nn.Module):
    """One step.

    Shapes: ``x`` is ``(batch, 3)``.
    """

    def __init__(self, size: int = 3) -> None:
        super().__init__()
        # TODO 1 (about 1 line): make the layer.
        raise NotImplementedError("TODO 1: make the layer")

    def forward(self, x):
        raise NotImplementedError("TODO 2: use it")
'''
# As the generated notebook has it: without the docstring, which stands in the cell above.
CELL = STUB.partition('quotes".\n"""\n')[2].strip("\n")
WORK = CELL.replace('raise NotImplementedError("TODO 1: make the layer")', "self.layer = nn.Linear(size, size)")
NAMES = ("First",)


def notebook(*cells):
    """Cells by their texts, or by pairs of text and tags."""
    pairs = [cell if isinstance(cell, tuple) else (cell, ()) for cell in cells]
    return Notebook(tuple(NotebookCell(2 * place, text, tuple(tags)) for place, (text, tags) in enumerate(pairs, 1)))


def find(*cells, names=NAMES, stub=STUB):
    return exercise_source(notebook(*cells), FIRST, SLUGS, stub, names)


# The joined source


def test_all_cells_are_joined_and_each_has_its_place():
    found = find("import torch", (WORK, [FIRST]), "print(1)\n", ("class B: pass", [SECOND]), "x = 1")
    lines = found.source.decode().split("\n")
    assert [(cell.number, cell.mine) for cell in found.cells] == [
        (2, True),
        (4, True),
        (6, True),
        (8, False),
        (10, True),
    ]
    firsts = [lines[cell.first_line - 1] for cell in found.cells]
    assert firsts == ["import torch", "import torch", "print(1)", "class B: pass", "x = 1"]
    assert [lines[cell.first_line - 2] for cell in found.cells] == [f"# %% cell {n}" for n in (2, 4, 6, 8, 10)]


def test_a_cell_with_tags_of_two_exercises_is_its_own():
    found = find((WORK, [SECOND, FIRST]), ("x = 1", [SECOND, "hide"]), ("y = 1", ["hide"]))
    assert [cell.mine for cell in found.cells] == [True, False, True]


@pytest.mark.parametrize(
    "source", ["make," * 200_000, "make:" + "x" * 900_000, "make" * 200_000, "a, " * 300_000 + "make", "@a(" * 300_000]
)
def test_no_text_takes_long(source):
    exercise_source(notebook(source), FIRST, SLUGS, STUB, ("make", "Thing"))


# Where tags were lost


@pytest.mark.parametrize(
    "text",
    [
        "class First(nn.Module):\n    pass",
        "import torch\n\nclass  First :\n    pass",
        "if True:\n    class First: pass",
        "def First(): pass",
        "async def First(): pass",
        "First = make()",
        "First: type = make()",
        "a, First , b = make()",
        "First.forward = forward",
        "@add_to_class(First)\ndef forward(self, x): return x",
        "@d2l.add_to_class( First )\ndef forward(self, x): return x",
        "setattr(First, 'forward', forward)",
        "%%time\nclass First: pass",
    ],
)
def test_a_cell_without_a_tag_is_found_by_what_it_defines(text):
    assert find("x = 1", text, "print(2)") is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model = First(3)",
        "First(3).forward(x)",
        "First == 1",
        "a, First",
        "class FirstStep: pass",
        "class TheFirst: pass",
        "# class First: pass",
        "print('class First')",
        "def other(First=1): pass",
        "class Other:\n    def First(self): pass",
        "class Other:\n    def First( cls, x): pass",
        "from other import First",
    ],
)
def test_a_cell_that_only_uses_a_name_does_not_hold_the_exercise(text):
    assert find("x = 1", text) is None


def test_without_names_only_the_tag_counts():
    assert find(WORK, names=()) is None
    assert find((WORK, [FIRST]), names=()) is not None


def test_a_name_that_a_cell_of_another_exercise_defines_is_found_last():
    """Cells that were merged keep the tags of the first."""
    found = find((f"class B: pass\n{WORK}", [SECOND]))
    assert [cell.mine for cell in found.cells] == [False]
    assert not found.untouched


# Work, or only the stub


@pytest.mark.parametrize(
    "text",
    [
        CELL,
        STUB,
        f"\n\n{CELL}\n\n",
        CELL.replace("\n", "  \n"),
        CELL.replace("        # TODO 1 (about 1 line): make the layer.\n", ""),
        CELL.replace("  # layers", "   # of torch"),
        CELL.replace("\n\n", "\n"),
        f"# My notes\n{CELL}  # end",
        f"# Über mich\n{STUB}",
        "",
        "# nothing yet",
        CELL.partition("\n\n")[0],
    ],
)
def test_a_stub_that_says_the_same_is_untouched(text):
    assert find((text, [FIRST])).untouched


@pytest.mark.parametrize(
    "text",
    [
        WORK,
        f"{CELL}\nx = 1",
        CELL.replace('raise NotImplementedError("TODO 2: use it")', "return x"),
        CELL.replace('        raise NotImplementedError("TODO 1: make the layer")\n', ""),
        CELL.replace("= 3", "= 4"),
        CELL.replace("        super", "    super"),
        CELL.replace('"TODO 2: use it"', '"TODO 2: use it # now"'),
        "class First: pass",
        "%%writefile x\n" + CELL,
    ],
)
def test_a_stub_that_says_anything_else_is_work(text):
    assert not find((text, [FIRST])).untouched


def test_a_stub_in_parts_is_untouched():
    head, _, tail = CELL.partition("class First")
    assert find((head, [FIRST]), (f"class First{tail}", [FIRST])).untouched
    assert find(head, f"class First{tail}").untouched
    assert find((CELL, [FIRST]), (CELL, [FIRST])).untouched


def test_work_in_a_new_cell_counts_beside_the_stub():
    assert not find((CELL, [FIRST]), WORK).untouched
    assert not find((CELL, [FIRST]), "First.forward = lambda self, x: x").untouched


def test_what_others_cells_do_is_no_work_on_it():
    assert find((CELL, [FIRST]), (f"{CELL}\nclass Second: pass", [SECOND]), "x = First(3)").untouched


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_same_code_in_a_file(end):
    text = STUB.replace("\n", end)
    assert same_code(text, STUB)
    assert same_code("\ufeff" + text, STUB)
    assert same_code(CELL, STUB)
    assert same_code(f"\n# by me\nr'''Of my own.{end}# More.{end}'''{end}{CELL}", STUB)
    assert not same_code(WORK.replace("\n", end), STUB)
    assert not same_code(CELL.partition("\n\n")[0], STUB)


def test_a_docstring_that_does_not_end_is_code():
    assert not same_code('"""' + CELL, STUB)
    assert not same_code("\0" + CELL, STUB)


@pytest.mark.parametrize("path", sorted((Path(graders.__file__).parents[1] / "exercises").glob("ex*.py")), ids=str)
def test_every_stub_without_its_docstring_is_untouched(path):
    stub = path.read_text(encoding="utf-8")
    body = stub.split('"""', 2)[2].strip("\n")
    assert same_code(body, stub)
    assert same_code(stub, stub)
    assert not same_code(body.replace("raise NotImplementedError", "return ", 1), stub)


@pytest.mark.parametrize(
    "text",
    ["#" * 1_000_000 + "'", " " * 1_000_000, '"' * 999_999, "x = " * 250_000, "#'\n" * 300_000, "a,a." * 250_000],
)
def test_no_text_takes_long_to_compare(text):
    begin = time.perf_counter()
    assert not same_code(text + "\nx", STUB)
    assert find((text, [FIRST])) is not None
    assert time.perf_counter() - begin < 5


# Sheets


@pytest.mark.parametrize(
    "first",
    [
        "%%writefile sheet.yaml",
        "%%writefile exercises/sheet.yaml",
        "%%writefile   ../exercises/sheet.yaml  ",
        "%%writefile -a sheet.yaml",
        "%%writefile --append sheet.yaml",
        "%%writefile sheet.yaml -a",
        '%%writefile "sheet.yaml"',
        "%%writefile '/content/my drive/sheet.yaml'",
        "%%writefile C:\\course\\sheet.yaml",
        "%%file sheet.yaml",
        "\n \n%%writefile sheet.yaml",
    ],
)
def test_a_cell_writes_a_sheet(first):
    assert sheet_source(notebook("x = 1", f"{first}\na: 1\n# b\n", "y = 1"), "sheet.yaml").source == b"a: 1\n# b\n"


@pytest.mark.parametrize(
    "text",
    [
        "%%writefile other.yaml\na: 1",
        "%%writefile sheet.yaml.txt\na: 1",
        "%%writefilesheet.yaml\na: 1",
        "%writefile sheet.yaml\na: 1",
        "x = 1\n%%writefile sheet.yaml\na: 1",
        "%%bash\ncat sheet.yaml",
        "%%writefile",
    ],
)
def test_a_cell_that_does_not_write_it(text):
    assert sheet_source(notebook(text), "sheet.yaml") is None


def test_the_last_cell_that_writes_a_sheet_counts():
    cells = notebook("%%writefile s.yaml\na: 1", "%%writefile s.yaml\na: ü", "%%writefile t.yaml\nb: 1")
    assert sheet_source(cells, "s.yaml").source == "a: ü".encode()
    assert sheet_source(notebook("%%writefile s.yaml"), "s.yaml").source == b""


@pytest.mark.parametrize(("above", "first_line"), [("", 0), ("\n\n", -2)])
def test_a_sheet_begins_below_the_first_line_of_its_cell(above, first_line):
    found = sheet_source(notebook("x = 1", f"{above}%%writefile s.yaml\na: 1\nb: 2"), "s.yaml")
    assert found.span == CellSpan(4, first_line)
