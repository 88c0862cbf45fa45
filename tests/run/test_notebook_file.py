"""Running what a notebook needs: alike to running all of it, each cell at its own risk, and said in plain words."""

import __future__

import ast
import inspect
import linecache
import re
import sys
import textwrap
import typing
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest
import torch

from graders.engine.run.worker.notebook.file import load_notebook
from graders.engine.run.worker.notebook.ipython_syntax import plain_python
from graders.engine.run.worker.student_file import StudentFile, describe_exception
from tests.run.conftest import LABEL as FILE_LABEL
from tests.run.conftest import Start
from tests.run.messy_notebooks import BOOKS, Book

NAME, LABEL = "ex00_demo", "exercises/demo.ipynb"

Load = Callable[..., StudentFile]


def joined(cells: Sequence[str], others: Sequence[int] = ()) -> tuple[bytes, list[list[int]]]:
    """Cells as the judge sends them; their numbers are even, and those of `others` belong to another exercise."""
    text, places = "", []
    for number, cell in enumerate(cells, start=1):
        text += f"# %% cell {2 * number}\n"
        places.append([2 * number, text.count("\n") + 1, int(2 * number not in others)])
        text += f"{cell}\n"
    return text.encode(), places


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """``load(cell, ...)``: a notebook of these cells, loaded here; the traces of it go with the test."""
    monkeypatch.setitem(sys.modules, NAME, ModuleType(NAME))
    monkeypatch.setitem(sys.modules, "builtins", sys.modules["builtins"])
    monkeypatch.setitem(linecache.cache, LABEL, (0, None, [], LABEL))

    def load_one(*cells: str, wanted: Sequence[str] = ("A",), others: Sequence[int] = ()) -> StudentFile:
        source, places = joined([textwrap.dedent(cell).strip("\n") for cell in cells], others)
        return load_notebook(source, NAME, LABEL, places, wanted)

    return load_one


def told(load: Load, *cells: str, **options: Any) -> dict[str, Any]:
    """How the exception that loading these cells raises is described."""
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - which one it is, the description tells
        load(*cells, **options)
    return describe_exception(caught.value, LABEL)


CLASS = """
class A:
    def f(self): return 1
"""


# Alike to a notebook that was run from top to bottom


def run_all(cells: Sequence[str], module: ModuleType) -> dict[str, Any]:
    """Run all cells in order, as Jupyter does; what waits or magic does is left out."""
    module.__dict__["TRAIN"] = lambda: 1
    flags = 0
    for cell in cells:
        plain = plain_python(cell)
        if plain is None:
            continue
        if "from __future__ import annotations" in plain:
            flags |= __future__.annotations.compiler_flag
        try:
            tree = ast.parse(plain)
            tree.body = [node for node in tree.body if not waits(node)]
            exec(compile(tree, "all cells", "exec", flags, dont_inherit=True), module.__dict__)
        except (Exception, SystemExit):
            continue
    return module.__dict__


def waits(node: ast.stmt) -> bool:
    functions = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    waiting = (ast.Await, ast.AsyncWith, ast.AsyncFor)
    return not isinstance(node, functions) and any(isinstance(inner, waiting) for inner in ast.walk(node))


def answer(question: str, names: dict[str, Any]) -> str:
    torch.manual_seed(0)
    told = repr(eval(question, {**names, "torch": torch, "typing": typing}))
    return re.sub(rf" at 0x\w+|\b{NAME}\.|__main__\.", "", told)


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS.keys())
def test_a_definition_behaves_as_if_all_cells_had_run(
    load: Load, book: Book, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = re.split(r"^# %%\n", book.text.strip("\n"), flags=re.MULTILINE)
    with monkeypatch.context() as context:
        main = ModuleType("__main__")
        context.setitem(sys.modules, "__main__", main)
        expected = answer(book.question, run_all(cells, main))
    capsys.readouterr()
    source, places = joined(cells)
    file = load_notebook(source, NAME, LABEL, places, book.wanted)
    assert answer(book.question, vars(file.module)) == expected
    assert [note for note in file.notes if "raised" in note or "parse" in note] == []
    assert capsys.readouterr().out == ""


# What does not run


def test_what_nothing_needs_does_not_run_and_is_said(load: Load) -> None:
    file = load(
        "!pip install torch",
        "import math\nimport matplotlib_missing as plt\nplt.plot([1])\n\nK = math.pi",
        f"{CLASS}\nmodel = A()\nfor step in range(10**9):\n    step + 1\n",
        "# only words",
        "class B:\n    def f(self): return K\n@print\ndef g(): pass\nprint(1)",
        wanted=["A", "B"],
    )
    assert file.notes == (
        "left out, since no definition needs it: cell 2, parts of cell 4, lines 4 to 6 of cell 6 "
        "and lines 3 to 5 of cell 10",
    )
    assert not hasattr(file.module, "model")


def test_a_notebook_of_which_all_is_needed_has_no_notes(load: Load) -> None:
    assert load("import math", "K = math.pi\n# %matplotlib", "class A:\n    K = K").notes == ()


def test_a_text_that_does_nothing_is_not_told(load: Load) -> None:
    assert load("'Setup'", f"'''What A is.'''\n{CLASS}\n'end'", "# only words").notes == ()


def test_many_cells_are_not_listed(load: Load) -> None:
    assert load(CLASS, *["print(1)"] * 30).notes == ()
    (note,) = load(f"{CLASS}\nprint(2)", *["print(1)"] * 30).notes
    assert note.startswith("left out, since no definition needs it: line ")


def test_an_await_that_matters_is_said(load: Load) -> None:
    file = load(
        "import asyncio\nx = 1\nK = await asyncio.sleep(0)\nawait asyncio.sleep(1)",
        "class A:\n    def f(self): return K",
    )
    assert file.notes == (
        "cell 2 has an await in line 3, which does not run here: left out",
        "left out, since no definition needs it: cell 2",
    )


def test_cells_that_are_no_python_are_said(load: Load) -> None:
    file = load(
        "%%bash\nclass A: pass",
        "%%html\n<b>",
        "%%time\nK = 1",
        "\n%%capture\n\nclass A:\n    K = K",
        "%%writefile a.py\nclass A:",
        "%%bash\nls",
        "%%writefile answers.yaml\nwhy: it is so",
    )
    assert file.module.A.K == 1
    assert file.notes == (
        "cells 2 and 12 begin with %%bash, which is no Python of this notebook: left out",
        "cell 4 begins with %%html, which is no Python of this notebook: left out",
        "cell 10 begins with %%writefile, which is no Python of this notebook: left out",
    )


# A cell that fails costs itself


def test_a_cell_that_does_not_parse_costs_itself_only(load: Load) -> None:
    file = load("K = 1", "def f(:\n    pass", CLASS.replace("1", "K"), "x = 'a\0'", "def g():\nreturn 1", "return 3")
    assert file.module.A().f() == 1
    assert file.notes[0] == "cell 4 does not parse (invalid syntax in `def f(:`, line 1): left out"
    assert file.notes[1].startswith("cell 8 does not parse (source code string cannot contain null bytes")
    assert "cell 10 does not parse (expected an indented block" in file.notes[2]
    assert file.notes[2].endswith("in `return 1`, line 2): left out")
    assert file.notes[3] == "cell 12 does not parse ('return' outside function in `return 3`, line 1): left out"


def test_marks_of_a_merge_conflict_in_a_cell(load: Load) -> None:
    file = load(CLASS, "<<<<<<< HEAD\nK = 1\n=======\nK = 2\n>>>>>>> main")
    assert file.notes == ("cell 4 does not parse (invalid syntax in `<<<<<<< HEAD`, line 1): left out",)


def test_a_cell_that_raises_ends_there(load: Load) -> None:
    file = load(
        "K = 1\nprint(undefined)\nK = 2\nL = K / 0\nK = 3\nM = 4", "class A:\n    def f(self): return K, L, M", "N = 1"
    )
    assert vars(file.module)["K"] == 2
    assert "M" not in vars(file.module)
    assert file.notes[0] == (
        "cell 2 raised ZeroDivisionError: division by zero (line 4); what it defines before that line counts"
    )
    assert file.notes[1:] == ("left out, since no definition needs it: cell 6 and parts of cell 2",)


@pytest.mark.parametrize(
    "raised", ["SystemExit", "SystemExit('bye')", "RecursionError", "MemoryError", "type('Odd', (Exception,), {})"]
)
def test_whatever_a_cell_raises_it_ends_alone(load: Load, raised: str) -> None:
    file = load(f"def stop(): raise {raised}\nK = 1\nK = stop()", "class A:\n    def f(self): return K")
    assert file.module.A().f() == 1
    assert "cell 2 raised" in file.notes[0]
    assert "(line 1); what it defines" in file.notes[0]


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "GeneratorExit"])
def test_what_ends_a_process_comes_through(load: Load, raised: str) -> None:
    assert told(load, f"def stop(): raise {raised}\nK = stop()", "class A:\n    K = K")["type"] == raised


def test_a_wanted_name_that_a_cell_should_have_defined_raises_what_it_raised(load: Load) -> None:
    described = told(load, "x = 1", "K = 1\n\nclass A:\n    size = K / 0")
    assert (described["type"], described["line"], described["frames"]) == (
        "ZeroDivisionError",
        7,
        [[6, "<module>"], [7, "A"]],
    )


@pytest.mark.parametrize(
    ("cell", "kind", "line", "words"),
    [
        ("class A:\n    def f(self)\n        pass", "SyntaxError", 5, "expected ':' in `def f(self)`"),
        ("if True:\n    class A:\n    pass", "IndentationError", 6, "expected an indented block"),
        ("x = 1\nA = make(\n", "SyntaxError", 5, "'(' was never closed in `A = make(`"),
        ("import A as\n", "SyntaxError", 4, "invalid syntax"),
        ("class A: pass\nreturn 1", "SyntaxError", 5, "'return' outside function in `return 1`"),
        ("class A: pass\nx = '\0'", None, None, "null bytes"),
    ],
)
def test_a_wanted_name_in_a_cell_that_does_not_parse_raises_why(
    load: Load, cell: str, kind: str | None, line: int | None, words: str
) -> None:
    described = told(load, "x = 1", cell, "y = 2")
    assert words in described["message"]
    if kind is not None:
        assert (described["type"], described["line"]) == (kind, line)


def test_the_first_cause_is_told_where_a_name_is_missing_because_of_it(load: Load) -> None:
    described = told(load, "class Base(object:\n    pass", "class A(Base):\n    pass")
    assert (described["type"], described["line"]) == ("SyntaxError", 2)
    described = told(load, "def stop(): return 1 / 0\nBase = stop()", "class A(Base):\n    pass")
    assert (described["type"], described["line"]) == ("ZeroDivisionError", 2)
    described = told(load, "import no_such_module as nsm", "class A(nsm.Base):\n    pass")
    assert (described["type"], described["line"]) == ("ModuleNotFoundError", 2)
    described = told(load, "class A(Base): pass")
    assert (described["type"], described["line"]) == ("NameError", 2)


def test_a_name_that_nobody_defines_raises_nothing(load: Load) -> None:
    file = load("class B: pass\ndef c(): pass\n_d = lambda: 1", "x = 1 / 0")
    assert (file.names, hasattr(file.module, "A")) == (("B", "c"), False)


def test_an_earlier_definition_stays_where_a_later_one_fails(load: Load) -> None:
    file = load(CLASS, "class A:\n    size = 1 / 0", "class A(:")
    assert file.module.A().f() == 1
    assert [note.split(" (")[0] for note in file.notes] == [
        "cell 6 does not parse",
        "cell 4 raised ZeroDivisionError: division by zero",
    ]


def test_what_is_not_here_does_not_end_a_cell(load: Load) -> None:
    file = load(
        """
        import no_such_plots as plt, math
        plt.rcParams["size"] = 3
        words = open("no such file").read()
        class A:
            def f(self): return math.floor(2.5)
            def show(self): plt.plot(words)
        """
    )
    assert file.module.A().f() == 2
    assert file.notes == (
        "cell 2 asks for what is not here (ModuleNotFoundError: No module named 'no_such_plots', line 1): "
        "it went on without",
        "cell 2 asks for what is not here (FileNotFoundError: [Errno 2] No such file or directory: 'no such file', "
        "line 3): it went on without",
    )


def test_an_exception_that_does_not_work_is_noted_all_the_same(load: Load) -> None:
    file = load(
        """
        class Odd(Exception):
            __class__ = property(lambda self: 1 / 0)
            def __str__(self): raise KeyError
        class Named(NameError):
            name = property(lambda self: 1 / 0)
        K = 1
        def stop(kind): raise kind
        """,
        "K = stop(Odd)",
        "K = stop(Named)",
        "error = NameError()\nerror.name = []\nK = stop(error)",
        "class A:\n    def f(self): return K",
    )
    assert file.module.A().f() == 1
    assert [note.split(" (")[0][:18] for note in file.notes] == [
        "cell 4 raised Odd:",
        "cell 6 raised Name",
        "cell 8 raised Name",
    ]


# Cells of other exercises


def test_another_exercises_cell_gives_only_what_no_other_does(load: Load) -> None:
    file = load(
        "def helper(): return 'theirs'\nK = 'theirs'\nonly = 'theirs'\nprint(1 / 0)",
        "def helper(): return 'mine'",
        "class A:\n    def f(self): return helper(), K, only",
        "K = 'mine'",
        "helper = K = None\nclass A: pass",
        others=[2, 10],
    )
    assert file.module.A().f() == ("mine", "mine", "theirs")
    assert file.notes == ()


def test_another_exercises_cell_may_fail_unheard(load: Load) -> None:
    assert load(CLASS, "class B(:", "%%bash\nls", "from nowhere import *", others=[4, 6, 8]).notes == ()


def test_a_definition_that_stands_in_another_exercises_cell_counts(load: Load) -> None:
    """Cells that were merged keep the tags of the first."""
    assert load(f"class B: pass\n{CLASS}", "x = 1", others=[2]).module.A().f() == 1
    assert told(load, "class B: pass\nclass A(:", "x = 1", others=[2])["type"] == "SyntaxError"


# TODOs, lines and source code


def test_open_todos_of_the_definitions_in_use_are_found(load: Load) -> None:
    todo = 'raise NotImplementedError("TODO {}: x")'
    stub = f"class A:\n    def f(self):\n        {todo.format(1)}\n    def g(self):\n        {todo.format(2)}"
    assert load("x = 1", stub).todos == {1: (6, 4), 2: (8, 4)}
    assert load(stub, stub.replace(todo.format(1), "pass")).todos == {2: (12, 8)}
    assert load(stub, CLASS, f"def other(): {todo.format(3)}").todos == {}
    assert load(stub, f"def g(self): {todo.format(2)}\nA.g = g").todos == {1: (4, 2), 2: (6, 2)}


def test_lines_are_those_of_the_joined_source(load: Load) -> None:
    file = load("import torch\n%matplotlib inline", "!ls\n\nclass A:\n    def f(self):\n        return 1 / 0")
    with pytest.raises(ZeroDivisionError) as caught:
        file.module.A().f()
    assert describe_exception(caught.value, LABEL)["line"] == 9


def test_source_code_can_be_looked_up(load: Load) -> None:
    file = load(
        "x = 1\n!ls",
        "def (:\n'''",
        "    %time\n    class A:\n        def f(self):\n            return 1  # ä",
        "%%bash\n'''",
    )
    assert inspect.getsource(file.module.A.f) == "    def f(self):\n        return 1  # ä\n"
    assert inspect.getsource(file.module.A).startswith("class A:\n    def f")


def test_a_future_import_counts_from_its_cell_on(load: Load) -> None:
    file = load(
        "def a(x: int): ...",
        "from __future__ import annotations",
        "def b(x: int): ...\nclass A: pass",
        wanted=["A", "a", "b"],
    )
    assert (file.module.a.__annotations__, file.module.b.__annotations__) == ({"x": int}, {"x": "int"})


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_cells_of_windows_with_tabs_and_form_feeds(load: Load, end: str) -> None:
    cell = "class A:\n\tdef f(self):\n\t\treturn K\n\x0c\nK = 3;\n\x0c%time x = 4".replace("\n", end)
    assert load(cell).module.A().f() == 3


def test_names_in_strings_do_not_shift_lines(load: Load) -> None:
    assert load("x = 'a\u2028b\x85c'\nK = 2", "class A:\n    K = K").module.A.K == 2


def test_builtins_are_the_notebooks_own(load: Load) -> None:
    load("import builtins\nbuiltins.len = None", "class A:\n    import builtins\n    builtins.sum = None")
    assert (len([]), sum([])) == (0, 0)


# In a worker


def test_a_notebook_in_a_worker(start: Start) -> None:
    import torch

    cells = [
        "!pip install x\nK = 3",
        "print('no')\nclass A:\n    def f(self): return 1",
        "def make(): return A().f() + K",
        "class Mispelt: pass",
    ]
    source, places = joined(cells)
    worker = start()
    held = torch.frombuffer(bytearray(source), dtype=torch.uint8)
    loaded = worker.order("load", source=held, name=NAME, label=LABEL, cells=places, wanted=["A", "make"])
    assert loaded["names"] == ["K", "A", "make", "Mispelt"]
    assert loaded["notes"] == [
        "left out, since no definition needs it: cell 8, parts of cell 2 and line 1 of cell 4",
    ]
    assert worker.make("make") == 4
    assert worker.connection.take_output() == b""


def test_a_file_has_no_notes(start: Start) -> None:
    assert start().load("x = 1\nclass A: pass") == {"names": ["x", "A"], "notes": []}


def test_a_notebook_that_fails_to_load_is_told_with_its_line(start: Start) -> None:
    source, places = joined(["x = 1", "class A(:\n    pass"])
    held = torch.frombuffer(bytearray(source), dtype=torch.uint8)
    told = start().order("load", source=held, name=NAME, label=FILE_LABEL, cells=places, wanted=["A"])
    assert (told.type_name, told.line) == ("SyntaxError", 4)
