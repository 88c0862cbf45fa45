"""`check("ex02")` in a notebook: what it hands to the command, what it prints, and what it says if no cell has run."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from graders.engine import kernel
from graders.engine.errors import UsageError
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric

ROOT = Path(__file__).parents[1]
RUBRIC = load_rubric(find_course(ROOT).rubric)
STUB = "import torch\n\n\nclass TokenPosEmbedding(torch.nn.Module):\n    pass\n"


@pytest.fixture
def notebook(monkeypatch):
    """Pretend to be in a notebook that has run the inputs given."""

    def ran(*inputs):
        shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", *inputs]))
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))

    return ran


class Asked:
    """Stands in for the command: keeps what it was asked, and answers in two lines."""

    def __call__(self, command, **options):
        self.command, self.options = command, options
        self.folder = Path(options["cwd"])
        self.files = [path.name for path in self.folder.iterdir()]
        self.notebook = json.loads((self.folder / self.files[0]).read_text(encoding="utf-8"))
        return SimpleNamespace(stdout="ex02_token_pos\n  12 of 25 points\n")


@pytest.fixture
def asked(monkeypatch):
    command = Asked()
    monkeypatch.setattr(subprocess, "run", command)
    return command


def test_cell_n_is_input_n_as_it_was_typed(notebook, asked, capsys):
    inputs = ["%matplotlib inline", "", STUB, "1 / 0", 'check("ex02")']
    notebook(*inputs)
    kernel.check("ex02")
    assert capsys.readouterr().out == "ex02_token_pos\n  12 of 25 points\n"
    assert [cell["source"] for cell in asked.notebook["cells"]] == inputs
    assert {cell["cell_type"] for cell in asked.notebook["cells"]} == {"code"}
    assert (asked.notebook["nbformat"], asked.notebook["nbformat_minor"]) == (4, 5)


def test_of_a_long_session_the_latest_inputs_count(notebook, asked):
    notebook(*["x = 1"] * 1500, STUB)
    kernel.check("ex02")
    sources = [cell["source"] for cell in asked.notebook["cells"]]
    assert (len(sources), sources[-1], sources[500:502]) == (1501, STUB, ["", "x = 1"])


def test_it_is_the_command_that_grades_files(notebook, asked):
    notebook(STUB)
    kernel.check("ex02")
    assert asked.command[0] == sys.executable
    assert asked.command[1:] == ["-m", "graders", "grade", "--isolation=practice", RUBRIC.notebook, "-e", "ex02"]
    assert asked.files == [RUBRIC.notebook], "nothing else lies in the folder"
    assert not asked.folder.exists(), "nothing is left behind"


def test_the_command_finds_the_graders_and_answers_without_colours(notebook, asked, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("SOMETHING", "kept")
    notebook(STUB)
    kernel.check("ex02")
    environment = asked.options["env"]
    assert environment["PYTHONPATH"].startswith(str(ROOT))
    assert environment["PYTHONPATH"].endswith("elsewhere")
    assert (environment["COLUMNS"], environment["NO_COLOR"], environment["SOMETHING"]) == ("100", "1", "kept")
    assert not {"FORCE_COLOR", "CLICOLOR_FORCE"} & set(environment)


@pytest.mark.parametrize("inputs", [['check("ex02")'], ["import torch", 'check("ex02")'], ["print(TokenPosEmbedding)"]])
def test_what_is_to_be_run_first(inputs, notebook, asked, capsys):
    notebook(*inputs)
    kernel.check("ex02")
    assert capsys.readouterr().out == (
        "No cell that defines TokenPosEmbedding has run yet: "
        "run the cell of ex02_token_pos first, then this one again.\n"
    )
    assert not hasattr(asked, "command")


def test_a_sheet_of_answers_has_to_be_written_first(notebook, asked, capsys):
    (sheet,) = (exercise for exercise in RUBRIC.exercises.values() if exercise.kind == "answers")
    notebook(STUB, "%%writefile other.yaml\na: 1\n")
    kernel.check(sheet.slug)
    assert capsys.readouterr().out.startswith(f"No cell that writes {sheet.file} has run yet")
    notebook(STUB, f"%%writefile {sheet.file}\na: 1\n")
    kernel.check(sheet.slug)
    assert asked.command[-1] == sheet.slug


@pytest.mark.parametrize("name", ["ex0", "ex99", "token"])
def test_a_name_that_is_none_is_left_to_the_command(name, notebook, asked, capsys):
    notebook(STUB)
    kernel.check(name)
    assert asked.command[-1] == name
    assert capsys.readouterr().out


def test_the_command_itself_answers_a_name_that_is_none(notebook, capsys):
    notebook(STUB)
    kernel.check("ex02_tokenpos")
    out = capsys.readouterr().out
    assert out == 'Nothing was done: there is no exercise "ex02_tokenpos"; did you mean "ex02_token_pos"?\n'


def test_half_a_character_is_handed_on(notebook, asked):
    notebook(STUB, "text = '\ud800'")
    kernel.check("ex02")
    assert asked.notebook["cells"][1]["source"] == "text = '\ud800'"


@pytest.mark.parametrize("ipython", [None, SimpleNamespace(get_ipython=lambda: None)], ids=["absent", "no notebook"])
def test_outside_a_notebook(ipython, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    with pytest.raises(UsageError, match="this is none; for files, run `make grade`"):
        kernel.check("ex02")
