"""The table of wrong answers: what its entries make, and what is said about one that can't be used."""

import pytest

from graders.engine.author.answers import known_answer, wrong_answers
from graders.engine.errors import CourseError
from graders.engine.load.course import Course

WRONG = "graders/ex91_doubling/wrong.yaml"


def read(small, table=None):
    if table is not None:
        (small.root / WRONG).write_text(table)
    return wrong_answers(Course(small.root), "ex91_doubling")


def test_each_entry_is_the_reference_with_its_edits(small):
    reference = (small.root / "reference/ex91_doubling.py").read_text()
    answers, problems = read(small)
    assert problems == []
    assert [(answer.name, answer.says, answer.fails) for answer in answers] == [
        ("flat", "Keep the shape of the input.", ("shape",)),
        ("tripled", "Multiply by two, and not by three.", ("values",)),
    ]
    assert answers[0].source == reference.replace("2 * x", "(2 * x).flatten()")
    assert answers[1].source == reference.replace("2 * x", "3 * x")


def test_edits_are_made_one_after_the_other(small):
    table = (
        "a:\n  says: s\n  fails: [f]\n  edits:\n    - {replace: 2 * x, by: y}\n    - {replace: return y, by: pass}\n"
    )
    ((answer,), problems) = read(small, table)
    assert problems == []
    assert "pass" in answer.source
    assert "return" not in answer.source


def test_code_is_the_whole_file(small):
    ((answer,), problems) = read(small, "a:\n  says: s\n  fails: [f]\n  code: |\n    x = 1\n")
    assert problems == []
    assert answer.source == "x = 1\n"


def test_a_known_answer_is_a_submission_of_one_file():
    answer = known_answer("ex91_doubling", "right/added", "größer")
    (file,) = answer.files
    assert (file.slug, file.label, file.source) == ("ex91_doubling", "right/added.py", "größer".encode())
    assert answer.label == "right/added"
    assert known_answer("ex91_doubling", "x", b"\xff").files[0].source == b"\xff"


EDIT = "  edits:\n    - {replace: 2 * x, by: x}\n"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            "  says: s\n  fails: [f]\n  edits:\n    - {replace: 5 * x, by: x}\n",
            "replaces '5 * x', which stands 0 times",
        ),
        (
            "  says: s\n  fails: [f]\n  edits:\n    - {replace: torch, by: t}\n",
            "replaces 'torch', which stands 4 times",
        ),
        ("  says: s\n  fails: [f]\n", "must have either edits or code, and not both"),
        ("  says: s\n  fails: [f]\n  code: x = 1\n" + EDIT, "must have either edits or code, and not both"),
        ("  says: s\n" + EDIT, "must have says, fails, and either edits or code"),
        ("  fails: [f]\n" + EDIT, "must have says, fails, and either edits or code"),
        ("  says: s\n  fails: [f]\n  kills: [g]\n" + EDIT, "must have says, fails, and either edits or code"),
        ("  - says\n", "must have says, fails, and either edits or code"),
        ("  says: ''\n  fails: [f]\n" + EDIT, "needs a text under says, of at most 300 characters"),
        (f"  says: {'s' * 301}\n  fails: [f]\n" + EDIT, "needs a text under says, of at most 300 characters"),
        ("  says: 5\n  fails: [f]\n" + EDIT, "needs a text under says"),
        ("  says: s\n  fails: []\n" + EDIT, "needs a list of check names under fails"),
        ("  says: s\n  fails: f\n" + EDIT, "needs a list of check names under fails"),
        ("  says: s\n  fails: [5]\n" + EDIT, "needs a list of check names under fails"),
        ("  says: s\n  fails: [f]\n  edits: []\n", "needs a list of edits"),
        ("  says: s\n  fails: [f]\n  edits: {replace: 2 * x, by: x}\n", "needs a list of edits"),
        ("  says: s\n  fails: [f]\n  edits:\n    - {replace: 2 * x}\n", "needs a list of edits"),
        ("  says: s\n  fails: [f]\n  edits:\n    - {replace: 2 * x, by: 5}\n", "needs a list of edits"),
        ("  says: s\n  fails: [f]\n  edits:\n    - {replace: 2 * x, by: 2 * x}\n", "needs a list of edits"),
        ("  says: s\n  fails: [f]\n  edits:\n    - {replace: '', by: x}\n", "needs a list of edits"),
        ("  says: s\n  fails: [f]\n  code: [x]\n", "needs a text under code"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named_and_the_others_are_kept(small, entry, said):
    (answers, (problem,)) = read(small, f"good:\n  says: s\n  fails: [f]\n{EDIT}bad:\n{entry}")
    assert [answer.name for answer in answers] == ["good"]
    assert problem.startswith(f"{WRONG}:6: bad {said}")


@pytest.mark.parametrize("name", ["reference", "stub"])
def test_an_entry_may_not_be_called_like_another_answer(small, name):
    (answers, (problem,)) = read(small, f"{name}:\n  says: s\n  fails: [f]\n{EDIT}")
    assert answers == []
    assert problem == f"{WRONG}:1: {name} has the name of another answer; call it after its mistake"


@pytest.mark.parametrize("table", ["", "- a list\n", "a: [\n", "a: &b 1\n", "a: 1\na: 2\n"])
def test_a_table_that_cannot_be_read(small, table):
    with pytest.raises(CourseError, match=WRONG):
        read(small, table)
