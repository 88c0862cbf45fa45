"""Cells as plain Python: what only a notebook understands becomes `pass`, and Python that looks like it stays."""

import ast
import textwrap
import time

import pytest

from graders.engine.run.worker.notebook.ipython_syntax import cell_magic, plain_python


def plain(cell: str) -> str:
    """The Python of a cell that has some, with as many lines."""
    found = plain_python(cell)
    assert found is not None
    assert found.count("\n") == cell.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    return found


# What only a notebook understands


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%load_ext autoreload",
        "%pip install torch>=2",
        "%time",
        "%time -x",
        "%timeit f(x)",
        "% time",
        "!pip install -q torch",
        '!echo "it\'s"',
        "!echo '''",
        "!!ls",
        "!ls {path}",
        "?",
        "?torch.nn",
        "??torch.nn",
        "torch.nn?",
        "torch.nn.Linear??",
        "torch.nn.Linear?  # show me",
        "%time?",
        "x[0].y?",
        "files = !ls",
        "files= !ls *.py",
        "a, b = !ls",
        "here = %pwd",
        "x.y = %pwd",
        "x: list = !ls",
        "/print 1",
        ";print a b",
        ",print a b",
    ],
)
def test_a_line_that_is_no_python_becomes_pass(line: str) -> None:
    assert plain(line) == "pass"
    assert plain(f"x = 1\n{line}\ny = 2") == "x = 1\npass\ny = 2"
    assert plain(f"if x:\n    {line}\nelse:\n\t{line}") == "if x:\n    pass\nelse:\n\tpass"


@pytest.mark.parametrize("begin", ["!pip install", "%pip install", "files = !ls", "%%x"])
def test_a_line_goes_on_behind_a_backslash(begin: str) -> None:
    assert plain(f"x = 1\n{begin} \\\n   torch \\\n   numpy\ny = 2") == "x = 1\npass\n\n\ny = 2"


def test_what_time_is_told_to_run_is_python() -> None:
    assert (
        plain("x = 1\n  %time y = f(x)\nz = %time g(\n  1)\n%time %time k = 1")
        == "x = 1\n  y = f(x)\nz = g(\n  1)\nk = 1"
    )


# Python that looks like it


@pytest.mark.parametrize(
    "code",
    [
        "x = (7\n% 3)",
        "x = [\n  a\n  % b,\n]",
        "x = 7 \\\n% 3",
        "f(\n  '''a\n%b'''\n% c)",
        "x = '''\n%matplotlib inline\n!ls\nhelp?\n'''",
        'x = """\n%a\n\\"""\n!b\n"""',
        "x = r'''\\''''\ny = 1",
        "x = 'a\\\n%b'",
        "x = 'a\\\\'\nz = 1",
        "x = rb'\\''\ny = Rb'''\n%a'''",
        "x = f'{a!r:>{width}}'\ny = f'''{\na}\n%b'''",
        "x = f'{a:%Y-%m}' f\"{b['c']}\"",
        "x = f'{{' f'}}'\ny = 1",
        "x = f\"{d['a']:'^10}\"\ny = 1",
        "x = f'{(lambda: 1)()}'\ny = {1: 2}",
        "x = f'''{a:{\nb}}\n!c'''",
        "x = rf'\\{a}'\ny = f'\\N{EN DASH}'\nz = 1",
        "x = u'a' if b'a' else br'%'",
        "print('what?')",
        "# what?",
        "x = 1  # what?",
        "x = 1  # it's '''\ny = 2",
        "a %= 3\na = -1 % 3\nb = a != 2",
        "a == b\na <= b\na >= b\na != b",
        "f(x=1)\nassert x, '!'\nlambda x=1: x % 2",
        "d = {\n  'a': 1,\n  '%b': [\n  2]}\n",
        "x: int = 3\n@dec\ndef f(a: int = 3) -> 'x?': ...",
        "x = 1;\nplt.plot(x);",
        "class A:\n    '''Doc?\n\n    %s\n    ''' % 3\n\n    x = 1",
        "if x: y = '!'\nelse: y = '%'",
        "x = 'é' + \"“\" + '\u2028'\ny = 2",
        "await f()\nasync with g() as h: pass",
        "\x0cx = 1\x0c\n\x0c\ny = 2",
        "",
        "\n\n",
        "  \n\t\n",
    ],
)
def test_python_stays_as_it_is(code: str) -> None:
    assert plain(code) == code
    assert plain(f"!ls\n{code}\n!ls") == f"pass\n{code}\npass"
    ast.parse(plain(f"{code}\n%magic"))


def test_code_that_does_not_parse_stays_so() -> None:
    for code in ("x = (\n%y", "x = 'a\n%y", 'x = f"{"\ny = 1', "x = )\n", "'''"):
        with pytest.raises(SyntaxError):
            ast.parse(plain(code))


def test_a_text_that_its_line_does_not_close_ends_there() -> None:
    assert plain("x = 'a\n!ls\ny = f'{a:b\n%time") == "x = 'a\npass\ny = f'{a:b\npass"


def test_all_of_the_standard_librarys_text_wrapping_stays() -> None:
    with open(textwrap.__file__, encoding="utf-8") as file:
        text = file.read()
    assert plain(text) == text


# Whole cells


@pytest.mark.parametrize(
    "cell",
    [
        "%%bash\nls",
        "%%html\n<b>",
        "%%writefile a.py\nx = 1",
        "%%timeit\nx = 1",
        "\n \n%%javascript\nx",
        "%%time?",
        "%%sql",
    ],
)
def test_a_cell_of_another_language_is_no_python(cell: str) -> None:
    assert plain_python(cell) is None
    assert plain_python(f"%%time\n{cell}") is None


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%%time\nx = 1", "\nx = 1"),
        ("%%capture output\n!ls\nx = 1", "\npass\nx = 1"),
        ("%%prun -s time\nx = 1", "\nx = 1"),
        ("\n\n%%capture\n\n%%time\n%matplotlib inline", "\n\n\n\n\npass"),
        ("%%time", ""),
        ("%%time\n", "\n"),
        ("%%time\n  if x:\n    y = 1", "\nif x:\n  y = 1"),
        ("  %%time\n  x = 1", "\nx = 1"),
    ],
)
def test_a_magic_that_runs_python_leaves_it(cell: str, python: str) -> None:
    assert plain(cell) == python


def test_a_magic_of_a_whole_cell_counts_at_the_top_only() -> None:
    assert plain("x = 1\n%%bash\ny = 2") == "x = 1\npass\ny = 2"


@pytest.mark.parametrize(
    ("cell", "name"), [("%%bash -s\nls", "bash"), ("\n%%html", "html"), ("x = 1\n%%bash", ""), ("", "")]
)
def test_the_name_of_a_cells_magic(cell: str, name: str) -> None:
    assert cell_magic(cell) == name


def test_code_may_be_indented_or_have_prompts() -> None:
    assert plain("    x = 1\n\n    if x:\n        y = '''\n    a'''") == "x = 1\n\nif x:\n    y = '''\na'''"
    assert (
        plain("\n>>> x = 1\n>>> def f():\n...     return x\n...\n>>> !ls") == "\nx = 1\ndef f():\n    return x\n\npass"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(end: str) -> None:
    assert plain(end.join(["!ls \\", "  -l", "x = '''", "%a'''", "\ty?"])) == "pass\n\nx = '''\n%a'''\n\tpass"


@pytest.mark.parametrize(
    "cell",
    [
        "%time " * 100_000,
        "%%time\n" * 100_000,
        "\\\n" * 300_000,
        "'" * 500_000,
        "f'{" * 100_000,
        "(" * 500_000,
        "x\n" * 300_000,
    ],
)
def test_no_cell_takes_long(cell: str) -> None:
    begin = time.perf_counter()
    plain(cell)
    assert time.perf_counter() - begin < 10
