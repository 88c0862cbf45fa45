"""Bad input gets a clear verdict, never a stack trace of ours, and never stops the other checks."""

import hashlib
from collections.abc import Sequence

import pytest

from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.assignment import Assignment
from graders.engine.load.reading import load_submission
from graders.engine.load.submission import ExerciseFile, Submission
from graders.engine.run.isolation import Mode
from graders.engine.run.supply import WorkerSupply
from tests.judge.bad_input import (
    ANSWERS,
    CHECKS,
    DECEPTIONS,
    ENDLESS,
    EXITS,
    NOT_PYTHON,
    NOT_THE_CLASS,
    ODD_BUT_RIGHT,
    RAISING,
    REFERENCE,
    REFUSED,
    SLOW_BUT_RIGHT,
    SLUG,
    TOO_MUCH,
    Case,
    at_import,
    in_forward,
    returning,
    with_member,
)

LETTERS = {
    Verdict.PASS: ".",
    Verdict.FAIL: "F",
    Verdict.ERROR: "E",
    Verdict.TODO: "D",
    Verdict.TIMEOUT: "T",
    Verdict.CRASHED: "C",
    Verdict.BLOCKED: "b",
    Verdict.BROKEN: "X",
}
CASES = [*NOT_PYTHON, *NOT_THE_CLASS, *EXITS, *ENDLESS, *TOO_MUCH, *RAISING, *ANSWERS, *DECEPTIONS]


def submission(source: str | bytes) -> Submission:
    """Return a submission of one file."""
    data = source.encode() if isinstance(source, str) else source
    return Submission("ann", (ExerciseFile(SLUG, f"exercises/{SLUG}.py", data, hashlib.sha256(data).hexdigest()),), ())


HONEST = submission(REFERENCE)


def letters(outcomes: Sequence[Outcome]) -> str:
    """Return the verdicts, a letter each."""
    return "".join(LETTERS[outcome.verdict] for outcome in outcomes)


def judge_before_honest(judged, bad: Submission, **options) -> tuple[Outcome, ...]:
    """Return the outcomes of a submission; an honest one after it must get full marks, and no word must be of ours."""
    outcomes, honest = judged(bad, HONEST, **options)
    assert set(letters(honest)) == {"."}, "an honest submission paid for the one before it"
    for outcome in outcomes:
        text = words(outcome) + outcome.output
        for ours in ("Traceback", "graders/engine", "graders.engine"):
            assert ours not in text, text
        assert len(text) < 8000
    return outcomes


def words(outcome: Outcome) -> str:
    """Return all that an outcome says."""
    return f"{outcome.expected}\n{outcome.got}\n{outcome.hint}"


def first_failure(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the first outcome that is no pass."""
    return next(outcome for outcome in outcomes if outcome.verdict is not Verdict.PASS)


def assert_says(outcome: Outcome, phrases: str) -> None:
    """Assert that an outcome has these phrases, which semicolons separate."""
    for phrase in phrases.split("; "):
        assert phrase in words(outcome)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_gets_the_verdict_it_deserves(case: Case, judged):
    outcomes = judge_before_honest(judged, submission(case.source))
    assert tuple(outcome.check for outcome in outcomes) == CHECKS
    assert letters(outcomes) == case.verdicts, words(first_failure(outcomes))
    assert_says(first_failure(outcomes), case.says)
    lines = case.source.count("\n") + 1
    assert all(outcome.line is None or 1 <= outcome.line <= lines for outcome in outcomes)


@pytest.mark.parametrize("name", ODD_BUT_RIGHT)
def test_right_code_with_odd_habits_gets_full_marks(name: str, judged):
    outcomes = judge_before_honest(judged, submission(ODD_BUT_RIGHT[name]), hidden=True)
    assert set(letters(outcomes)) == {"."}, words(first_failure(outcomes))


@pytest.mark.parametrize("name", SLOW_BUT_RIGHT)
def test_right_code_that_takes_its_time_gets_full_marks(name: str, judged):
    outcomes = judge_before_honest(judged, submission(SLOW_BUT_RIGHT[name]), seconds=20.0)
    assert set(letters(outcomes)) == {"."}, words(first_failure(outcomes))


@pytest.mark.parametrize("case", REFUSED, ids=[case.name for case in REFUSED])
def test_what_the_sandbox_refuses_is_an_exception_with_advice(case: Case, judged, supply: WorkerSupply):
    if supply.isolation.mode is not Mode.STRICT:
        pytest.skip("this machine lacks a layer of the sandbox, and `grade probe` shows which")
    outcomes = judge_before_honest(judged, submission(case.source))
    assert letters(outcomes) == case.verdicts, words(first_failure(outcomes))
    assert_says(first_failure(outcomes), case.says)


# Where a fault is to be seen


def line_of(source: str, text: str) -> int:
    """Return the number of the first line that has a text."""
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (at_import("import positional_magic"), "positional_magic"),
        (at_import("x = (\n"), "x = ("),
        (in_forward("raise ValueError"), "raise ValueError"),
        (with_member("def tokens(self): return 1 / 0").replace("self.tok(token_ids)", "self.tokens()"), "1 / 0"),
        (REFERENCE.replace("vocab_size: int", "size: int"), "def __init__"),
        (returning("None"), "def forward"),
    ],
)
def test_the_line_is_the_students_own(source: str, text: str, judged):
    (outcomes,) = judged(submission(source))
    assert first_failure(outcomes).line == line_of(source, text)


# Files that are not read


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A submission folder in which exercise 1 is there and exercise 2 is not."""
    monkeypatch.chdir(tmp_path)
    exercises = tmp_path / "exercises"
    exercises.mkdir()
    (exercises / "ex01_sinusoidal.py").write_text("import torch\n", encoding="utf-8")
    return exercises


def judge_folder(judged, folder) -> tuple[Outcome, ...]:
    """Return the outcomes of exercise 2, as a folder holds it."""
    loaded = load_submission(folder, [Assignment(slug, f"{slug}.py") for slug in ("ex01_sinusoidal", SLUG)])
    outcomes = judge_before_honest(judged, loaded)
    assert first_failure(outcomes).slug == "ex01_sinusoidal"
    return tuple(outcome for outcome in outcomes if outcome.slug == SLUG)


def make_nothing(path):
    pass


def make_folder(path):
    path.mkdir()


def make_link(path):
    path.with_name("mine.txt").write_text(REFERENCE, encoding="utf-8")
    path.symlink_to("mine.txt")


def make_huge(path):
    path.write_bytes(REFERENCE.encode() + b"#" * 5_000_000)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (make_nothing, f"no file exercises/{SLUG}.py; Copy the stub"),
        (make_folder, "is a folder; expected a file"),
        (make_link, "is a link to another place; Put a copy there"),
        (make_huge, "is too large (5.0 MB); expected 1 MB at most"),
    ],
)
def test_a_file_that_is_not_read_is_an_error_of_its_exercise_alone(make, says: str, folder, judged):
    make(folder / f"{SLUG}.py")
    outcomes = judge_folder(judged, folder)
    assert letters(outcomes) == "Ebbbbbbb"
    assert_says(outcomes[0], says)


def test_bytes_that_are_not_utf8(folder, judged):
    (folder / f"{SLUG}.py").write_bytes(REFERENCE.replace("Exercise 2", "Übung 2").encode("latin-1"))
    outcomes = judge_folder(judged, folder)
    assert letters(outcomes) == "Ebbbbbbb"
    assert_says(outcomes[0], "'utf-8' codec can't decode byte 0xdc; Save the file as UTF-8")


def test_a_neighbour_that_is_no_part_of_the_submission(folder, judged):
    (folder / "helpers.py").write_text("SIZE = 3\n", encoding="utf-8")
    (folder / f"{SLUG}.py").write_text(at_import("from helpers import SIZE"), encoding="utf-8")
    outcomes = judge_folder(judged, folder)
    assert letters(outcomes) == "Ebbbbbbb"
    assert_says(outcomes[0], "Each file is graded alone: put what you need of helpers.py into this one")


def test_a_file_that_hides_torch(folder, judged):
    (folder / "torch.py").write_text("raise SystemExit\n", encoding="utf-8")
    (folder / f"{SLUG}.py").write_text(REFERENCE, encoding="utf-8")
    assert letters(judge_folder(judged, folder)) == "........"
    (note,) = load_submission(folder, [Assignment(SLUG, f"{SLUG}.py")]).notes
    assert "torch.py is not part of the submission" in note


# What only the hidden checks see, or only several calls


def test_a_default_dtype_of_its_own_shows_in_the_checks_of_dtype(judged):
    source = at_import("import torch; torch.set_default_dtype(torch.float64)")
    outcomes = judge_before_honest(judged, submission(source), hidden=True)
    failed = {outcome.check: outcome for outcome in outcomes if outcome.verdict is not Verdict.PASS}
    assert set(failed) == {"dropout", "dtype"}
    assert {outcome.verdict for outcome in failed.values()} == {Verdict.FAIL}
    assert_says(failed["dtype"], "float32; float64")


def test_another_dtype_is_seen(judged):
    outcomes = judge_before_honest(judged, submission(returning("self.drop(total).double()")), hidden=True)
    assert LETTERS[{outcome.check: outcome for outcome in outcomes}["dtype"].verdict] == "F"


def test_an_answer_that_is_right_only_the_first_time(judged):
    source = in_forward("""
        self.calls = getattr(self, "calls", 0) + 1
        if self.calls > 1: return torch.zeros(*token_ids.shape, self.tok.embedding_dim)
    """)
    outcomes = judge_before_honest(judged, submission(source), hidden=True)
    failed = {outcome.check for outcome in outcomes if outcome.verdict is Verdict.FAIL}
    assert {"longest", "state", "training_step"} <= failed
    assert "mode" in failed or "dropout" in failed
    assert not [outcome for outcome in outcomes if outcome.verdict is Verdict.BROKEN]


def test_an_object_that_exits_when_it_is_deleted(judged):
    source = with_member("def __del__(self):\n    import os; os._exit(0)")
    outcomes = judge_before_honest(judged, submission(source), hidden=True)
    assert letters(outcomes) == "." * (len(outcomes) - 1) + "C"
    assert_says(outcomes[-1], "ended by itself with exit code 0 while trying TokenPosEmbedding on an accelerator")


def test_complex_numbers_are_no_answer(judged):
    outcomes = judge_before_honest(judged, submission(returning("total.to(torch.complex64)")))
    assert letters(outcomes) == "....Fbbb"
    assert_says(outcomes[4], "complex64")


# What is printed


def test_what_is_printed_can_steer_neither_terminal_nor_log(judged):
    source = in_forward(r"""
        print("::error::you fail\n  ::add-mask::x\n##[error]old\n\x1b[2J\x1b]0;title\x07\r\u202e")
        raise ValueError("::error file=a::boo\n\x1b[31mred")
    """)
    outcomes = judge_before_honest(judged, submission(source))
    assert letters(outcomes) == "....Ebbb"
    assert outcomes[4].output == (
        ": :error::you fail\n  : :add-mask::x\n## [error]old\n\\x1b[2J\\x1b]0;title\\x07\\r\\u202e\n"
    )
    assert outcomes[4].got.startswith("ValueError: : :error file=a::boo\n\\x1b[31mred (while calling")


def test_what_is_printed_for_ever_is_cut(judged):
    outcomes = judge_before_honest(judged, submission(in_forward("while True: print('spam')")))
    assert outcomes[4].output.startswith("spam\nspam\n")
    assert len(outcomes[4].output) == 500
