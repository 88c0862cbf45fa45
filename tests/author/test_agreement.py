"""What stub and reference promise: names, signatures and docstrings, and nothing else."""

import pytest

from graders.engine.author.agreement import disagreements, promises

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
