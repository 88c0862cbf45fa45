"""lint: whatever is wrong with an exercise is said, and nothing is said where nothing is wrong."""

import re

import pytest

from graders.engine.judge.outcome import Verdict
from tests.command_line import ROOT

STUB, REFERENCE = "exercises/ex91_doubling.py", "reference/ex91_doubling.py"
VISIBLE, HIDDEN = "graders/ex91_doubling/visible.py", "graders/ex91_doubling/hidden.py"
WRONG, RIGHT = "graders/ex91_doubling/wrong.yaml", "graders/ex91_doubling/right/added.py"


def test_a_consistent_exercise_has_no_problems(small):
    found = small.lint()
    assert found.problems == ()
    assert found.checks == ("shape", "values")
    assert {row.name: [row.verdicts[check] for check in found.checks] for row in found.rows} == {
        "reference": [Verdict.PASS, Verdict.PASS],
        "stub": [Verdict.TODO, Verdict.BLOCKED],
        "right/added": [Verdict.PASS, Verdict.PASS],
        "flat": [Verdict.FAIL, Verdict.BLOCKED],
        "tripled": [Verdict.PASS, Verdict.FAIL],
    }


def problem_rows(found):
    return {row.name: row.problem for row in found.rows if row.problem}


# ------------------------------------------------------------ answers that do what they should not


def test_a_stub_that_passes_something(small):
    small.edit(STUB, 'raise NotImplementedError("TODO 1: double every value")', "return x")
    found = small.lint()
    assert problem_rows(found) == {"stub": "passes shape, and should pass nothing"}
    assert found.problems == ("ex91_doubling: stub passes shape, and should pass nothing",)


def test_a_reference_that_fails(small):
    small.edit(VISIBLE, "(3, 5), ", "(3, 6), ")
    assert re.fullmatch(
        r"fails shape: expected the result: a tensor of shape \(3, 6\), float32; got a tensor .*",
        problem_rows(small.lint())["reference"],
    )


def test_a_right_answer_that_fails(small):
    small.edit(RIGHT, "x + x", "x + x + 1")
    (problem,) = small.lint().problems
    assert problem.startswith("ex91_doubling: right/added fails values: expected the result: ")


def test_a_wrong_answer_that_passes(small):
    small.edit(WRONG, "by: 3 * x", "by: x + x")
    assert small.lint().problems == ("ex91_doubling: tripled fails [], but wrong.yaml names [values]",)


def test_a_wrong_answer_that_fails_another_check_than_the_one_named(small):
    small.edit(WRONG, "by: 3 * x", "by: 3 * x[0]")
    assert small.lint().problems == ("ex91_doubling: tripled fails [shape], but wrong.yaml names [values]",)


def test_a_wrong_answer_that_fails_more_than_it_names(small):
    small.edit(HIDDEN, '@needs("shape")\n', "")
    assert small.lint().problems == ("ex91_doubling: flat fails [shape, values], but wrong.yaml names [shape]",)


def test_a_wrong_answer_that_hangs_or_dies_fails(small):
    small.edit(WRONG, "by: return (2 * x).flatten()", "by: raise SystemExit")
    assert small.lint().problems == ()


# ------------------------------------------------------------ checks that are not what they should be


def test_a_check_that_nobody_fails(small):
    small.edit(WRONG, "  fails: [values]\n", "  fails: [shape]\n")
    assert small.lint().problems == (
        "ex91_doubling: tripled fails [values], but wrong.yaml names [shape]",
        "ex91_doubling: no wrong answer fails values; add one to wrong.yaml, or drop the check",
    )


def test_a_check_that_does_not_exist(small):
    small.edit(WRONG, "fails: [values]", "fails: [values, value]")
    assert "ex91_doubling: wrong.yaml names value, which is no check" in small.lint().problems


def test_a_check_that_raises_on_the_reference_is_broken(small):
    small.edit(HIDDEN, "x = rng.normal(3, 5)", "x = rng.abnormal(3, 5)")
    found = small.lint()
    error = "AttributeError: 'Draw' object has no attribute 'abnormal'"
    said = f"breaks the check values: the check itself failed: {error}"
    assert problem_rows(found) == dict.fromkeys(("reference", "right/added", "tripled"), said)


def test_an_answer_that_makes_the_check_itself_raise_fails_it(small):
    small.edit(VISIBLE, 'expect_tensor(got, (3, 5), "the result")', "assert got.values.shape == (3, 5)")
    found = small.lint()
    assert found.problems == ()
    (flat,) = (row for row in found.rows if row.name == "flat")
    assert flat.verdicts["shape"] is Verdict.FAIL


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        pytest.param(
            VISIBLE,
            '    """the result has the shape of the input"""\n',
            "",
            "graders/ex91_doubling/visible.py: check_shape has no docstring; its first line is what the student reads",
            id="no docstring",
        ),
        pytest.param(
            VISIBLE,
            '@objective("implement")',
            '@objective("implemant")',
            "graders/ex91_doubling/visible.py: check_shape names the objective 'implemant'; grading.yaml has implement",
            id="unknown objective",
        ),
        pytest.param(
            VISIBLE,
            '@objective("implement")\n',
            "",
            "graders/ex91_doubling/visible.py: check_shape names the objective 'nothing'; grading.yaml has implement",
            id="no objective",
        ),
        pytest.param(
            HIDDEN,
            '@needs("shape")',
            '@needs("shapes")',
            "graders/ex91_doubling/hidden.py: check_values needs 'shapes', "
            "which is no earlier check of this exercise (shape)",
            id="needs an unknown check",
        ),
        pytest.param(
            VISIBLE,
            '@objective("implement")',
            'from graders.engine.judge.vocabulary import needs\n\n\n@needs("values")\n@objective("implement")',
            "graders/ex91_doubling/visible.py: check_shape needs 'values', "
            "which is no earlier check of this exercise (it is the first)",
            id="needs a later check",
        ),
        pytest.param(
            VISIBLE,
            "def check_shape",
            "def check_form",
            "graders/ex91_doubling/hidden.py: check_values needs 'shape', "
            "which is no earlier check of this exercise (form)\n"
            "grading.yaml:9: exercises.ex91_doubling.visible.shape has points but graders/ex91_doubling/visible.py "
            "has no check_shape\n"
            "grading.yaml:8: exercises.ex91_doubling.visible gives no points to check_form of "
            'graders/ex91_doubling/visible.py; add "form: 1" or other points',
            id="rubric and checks differ",
        ),
        pytest.param(
            "grading.yaml",
            "values: 2",
            "value: 2",
            "grading.yaml:11: exercises.ex91_doubling.hidden.value has points but graders/ex91_doubling/hidden.py "
            'has no check_value; did you mean "check_values"?\n'
            "grading.yaml:10: exercises.ex91_doubling.hidden gives no points to check_values of "
            'graders/ex91_doubling/hidden.py; add "values: 1" or other points',
            id="misspelt in the rubric",
        ),
    ],
)
def test_checks_that_do_not_fit_together(small, path, old, new, said):
    small.edit(path, old, new)
    found = small.lint()
    assert found.problems == tuple(said.splitlines())
    assert found.rows == ()


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("def check_nothing(:", "SyntaxError: "),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("raise ValueError('at once')", "ValueError: at once"),
    ],
)
def test_a_file_of_checks_that_cannot_be_imported(small, new, said):
    small.edit(VISIBLE, '"""What students see: the shape."""', new)
    (problem,) = small.lint().problems
    assert problem.startswith("graders/ex91_doubling/visible.py can't be read as a file of checks: ")
    assert said in problem


def test_a_file_of_checks_that_holds_none(small):
    (small.root / VISIBLE).write_text('"""Nothing yet."""\n')
    (small.root / HIDDEN).unlink()
    assert small.lint().problems == (
        "grading.yaml:9: exercises.ex91_doubling.visible.shape has points but graders/ex91_doubling/visible.py "
        "has no check_shape",
        "grading.yaml:11: exercises.ex91_doubling.hidden.values has points but graders/ex91_doubling/hidden.py "
        "has no check_values",
    )


# ------------------------------------------------------------ files


@pytest.mark.parametrize("path", [STUB, REFERENCE, VISIBLE, WRONG])
def test_a_file_that_is_missing(small, path):
    (small.root / path).unlink()
    assert small.lint().problems == (f"{path} is missing",)


def test_all_files_that_are_missing_are_named(small):
    for path in (STUB, WRONG):
        (small.root / path).unlink()
    assert small.lint().problems == (f"{STUB} is missing", f"{WRONG} is missing")


def test_hidden_checks_that_are_missing(small):
    (small.root / HIDDEN).unlink()
    (problem,) = small.lint().problems
    assert problem.endswith("has points but graders/ex91_doubling/hidden.py has no check_values")


def test_an_exercise_may_have_no_hidden_checks(small):
    (small.root / HIDDEN).unlink()
    small.edit("grading.yaml", "    hidden:\n      values: 2\n", "")
    text = (small.root / WRONG).read_text()
    (small.root / WRONG).write_text(text.partition("tripled:")[0])
    found = small.lint()
    assert found.problems == ()
    assert found.checks == ("shape",)


def test_no_other_right_answer(small):
    (small.root / RIGHT).unlink()
    assert small.lint().problems == (
        "graders/ex91_doubling/right/ holds no other right answer; one at least must pass every check",
    )


def test_stub_and_reference_that_promise_different_things(small):
    small.edit(STUB, "def forward(self, x: torch.Tensor)", "def forward(self, y: torch.Tensor)")
    (problem,) = small.lint().problems
    assert problem == (
        "ex91_doubling: Doubling.forward is (self, y: torch.Tensor) -> torch.Tensor in the stub, "
        "but (self, x: torch.Tensor) -> torch.Tensor in the reference"
    )


@pytest.mark.parametrize("path", [STUB, REFERENCE])
def test_a_file_that_is_not_python(small, path):
    small.edit(path, "class Doubling(nn.Module):", "class Doubling(nn.Module)")
    assert f"{path} can't be read by Python: expected ':' (line 7)" in small.lint().problems


@pytest.mark.parametrize("path", [STUB, REFERENCE])
def test_a_file_that_is_not_text(small, path):
    (small.root / path).write_bytes(b"# \xff\n")
    assert small.lint().problems == (f"{path} is not UTF-8; save the file with that encoding",)


def test_a_right_answer_may_be_in_any_encoding_that_python_reads(small):
    (small.root / RIGHT).write_bytes(
        "# coding: latin-1\n# größer\n".encode("latin-1") + (small.root / RIGHT).read_bytes()
    )
    assert small.lint().problems == ()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "replace: 2 * x",
            "replace: x * 2",
            "replaces 'x * 2', which stands 0 times in ex91_doubling.py; it must be once",
        ),
        ("replace: 2 * x", "replace: x", "replaces 'x', which stands 2 times in ex91_doubling.py; it must be once"),
        ("  fails: [values]\n", "  fails: [values]\n  code: x = 1\n", "must have either edits or code, and not both"),
    ],
)
def test_an_entry_that_cannot_be_used_is_no_answer(small, old, new, said):
    small.edit(WRONG, old, new)
    found = small.lint()
    assert [row.name for row in found.rows] == ["reference", "stub", "right/added", "flat"]
    assert found.problems == (
        f"{WRONG}:8: tripled {said}",
        "ex91_doubling: no wrong answer fails values; add one to wrong.yaml, or drop the check",
    )


def test_a_table_of_wrong_answers_that_is_no_yaml(small):
    small.edit(WRONG, "fails: [values]", "fails: [values")
    (problem,) = small.lint().problems
    assert problem.startswith(f"{WRONG}:")
    assert "not valid YAML" in problem


def test_an_empty_table_of_wrong_answers(small):
    (small.root / WRONG).write_text("# none yet\n")
    (problem,) = small.lint().problems
    assert problem.startswith(f"{WRONG}:1: the file is empty")


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        (STUB, '"""Double what comes in."""', '"""TODO: what this is about."""', 1),
        (REFERENCE, "return 2 * x", "return 2 * x  # TODO", 12),
        (VISIBLE, '"""the result has', '"""TODO the result has', 8),
        (HIDDEN, '"""What students do not see: the values."""', '"""TODO"""', 1),
        (WRONG, "says: Keep the shape of the input.", "says: TODO", 2),
    ],
)
def test_something_that_is_still_to_be_written(small, path, old, new, line):
    small.edit(path, old, new)
    assert small.lint().problems == (f"{path} still has a TODO in line {line}; write what belongs there",)


def test_a_title_that_is_still_to_be_written(small):
    small.edit("grading.yaml", "title: Doubling", "title: TODO find a title")
    assert small.lint().problems == ("grading.yaml: the title of ex91_doubling is still to be written",)


# ------------------------------------------------------------ the command


def test_the_command_prints_the_matrix_and_ends_well(small, command_line):
    finished = command_line.run(ROOT, "lint", "--course", small.root)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "right/added" in finished.stdout
    assert finished.stdout.endswith("No problems: every answer does what it should.\n")
    assert finished.stderr == ""


def test_the_command_says_what_is_wrong(small, command_line):
    small.edit(WRONG, "by: 3 * x", "by: x + x")
    finished = command_line.run(small.root, "lint", "ex91_doubling", "--course", small.root)
    assert finished.returncode == 1, finished.stdout + finished.stderr
    assert finished.stdout.endswith(
        "problem: ex91_doubling: tripled fails [], but wrong.yaml names [values]\n1 problem\n"
    )
