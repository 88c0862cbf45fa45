"""What stub and reference promise: names, signatures and docstrings, and nothing else."""

import pytest

from graders.engine.author.agreement import disagreements, promises, sheet_disagreements

BASE = '''
class A(B):
    """An A."""
    def __init__(self, n: int = 3, *, flag=True) -> None:
        """Make one."""
    def forward(self, x: "Tensor") -> "Tensor":
        """Return x."""
def helper(x):
    """Help."""
'''


def test_all_that_is_public_is_a_promise():
    assert promises(BASE) == {
        "A": ("class (B)", "An A."),
        "A.__init__": ("(self, n: int=3, *, flag=True) -> None", "Make one."),
        "A.forward": ("(self, x: 'Tensor') -> 'Tensor'", "Return x."),
        "helper": ("(x)", "Help."),
    }


def test_the_same_promises_in_other_words_and_order_agree():
    other = BASE.replace("def helper(x):", "import os\ndef helper( x ):  # a comment")
    other = other.replace('"""Return x."""', '"""Return x."""\n        return self._private(x)')
    other += "def _private(y):\n    pass\nclass _Hidden:\n    def shown(self): pass\n"
    assert disagreements(other, BASE, "ex91_doubling") == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("n: int = 3", "n: int = 4", "ex: A.__init__ is (self, n: int=4, *, flag=True) -> None in the stub, but "),
        ('x: "Tensor")', "x)", "ex: A.forward is (self, x) -> 'Tensor' in the stub, but "),
        ("-> None", "-> int", "ex: A.__init__ is "),
        ("class A(B)", "class A(C)", "ex: A is class (C) in the stub, but class (B) in the reference"),
        ('"""Help."""', '"""Helps."""', "ex: the docstrings of helper differ between stub and reference"),
        ('"""Help."""', "pass", "ex: the docstrings of helper differ between stub and reference"),
        (
            "def helper(x):",
            "async def helper(x):",
            "ex: helper is async (x) in the stub, but (x) in the reference",
        ),
    ],
)
def test_a_promise_that_differs(old, new, said):
    assert BASE.count(old) == 1
    (line,) = disagreements(BASE.replace(old, new), BASE, "ex")
    assert line.startswith(said)


def test_a_promise_that_only_one_of_them_makes():
    shorter = BASE.partition("def helper")[0]
    assert disagreements(shorter, BASE, "ex") == ["exercises/ex.py lacks helper, which reference/ex.py defines"]
    assert disagreements(BASE, shorter, "ex") == ["exercises/ex.py defines helper, which reference/ex.py lacks"]


def test_a_file_that_python_cannot_read():
    assert disagreements("def f(:\n", "x = '\n", "ex") == [
        "reference/ex.py can't be read by Python: unterminated string literal (detected at line 1) (line 1)",
        "exercises/ex.py can't be read by Python: invalid syntax (line 1)",
    ]


# ------------------------------------------------------------ sheets of answers

SHEET = """\
why:
  question: Why?
  answer: {why}
which:
  question: Which?
  options:
    a: This
    b: That
  answer: {which}
"""
EMPTY, FULL = SHEET.format(why="", which=""), SHEET.format(why="Because.", which="b")


def test_a_sheet_and_its_answers_agree():
    assert sheet_disagreements(EMPTY, FULL, "ex93_sheet") == []


@pytest.mark.parametrize(
    ("stub", "reference", "complaint"),
    [
        (EMPTY.replace("Why?", "How?"), FULL, "ex93_sheet: why is asked differently in stub and reference"),
        (EMPTY.replace("b: That", "b: Those"), FULL, "ex93_sheet: which is asked differently in stub and reference"),
        (EMPTY.replace("which:", "what:"), FULL, "exercises/ex93_sheet.yaml lacks which, which reference/"),
        (EMPTY, FULL.replace("which:", "what:"), "exercises/ex93_sheet.yaml asks which, which reference/"),
        (FULL, FULL, "exercises/ex93_sheet.yaml: why has an answer; a stub leaves it empty"),
        (EMPTY, EMPTY, "reference/ex93_sheet.yaml: why has no answer"),
        ("- why", FULL, "exercises/ex93_sheet.yaml must hold questions by name"),
        ("why: [", FULL, "exercises/ex93_sheet.yaml can't be read as YAML"),
    ],
)
def test_a_sheet_that_asks_something_else(stub, reference, complaint):
    assert any(found.startswith(complaint) for found in sheet_disagreements(stub, reference, "ex93_sheet"))
