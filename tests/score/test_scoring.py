"""Tests of scoring: the rubric is the denominator, and nothing that ran or did not run changes that."""

from dataclasses import replace

import pytest

from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.rubric import ExerciseRubric, Limits, Rubric
from graders.engine.load.submission import ExerciseFile
from graders.engine.score.card import Grader, Where, card_from_json, card_to_json
from graders.engine.score.scoring import score

RUBRIC = Rubric(
    version=1,
    limits=Limits(seconds=5.0, memory_mib=1024),
    objectives={"implement": "Write the module."},
    exercises={
        "ex01_waves": ExerciseRubric(
            slug="ex01_waves",
            title="Waves",
            visible={"built": 1, "rows": 3},
            hidden={"far_rows": 2, "dtype": 4},
        ),
        "ex02_table": ExerciseRubric(slug="ex02_table", title="A table", visible={"built": 5}),
    },
)
PRACTICE = Grader(version="0.1.0", seed=7, torch="2.13.0", python="3.11.7", hidden=False, mode="practice")
STRICT = Grader(version="0.1.0", seed=7, torch="2.13.0", python="3.11.7", hidden=True, mode="strict")
WAVES = ExerciseFile("ex01_waves", "exercises/ex01_waves.py", b"pass\n", "a" * 64)
TABLE = ExerciseFile("ex02_table", "exercises/ex02_table.py", b"pass\n", "b" * 64)


def outcome(slug: str, check: str, verdict: Verdict = Verdict.PASS, visibility: str = "visible") -> Outcome:
    return Outcome(slug, check, f"the title of {check}", "implement", visibility, verdict)


BUILT = outcome("ex01_waves", "built")
ROWS = outcome("ex01_waves", "rows")
FAR_ROWS = outcome("ex01_waves", "far_rows", visibility="hidden")
DTYPE = outcome("ex01_waves", "dtype", visibility="hidden")


def test_practice_counts_against_the_whole_rubric() -> None:
    card = score(RUBRIC, [WAVES], [BUILT, ROWS], PRACTICE)
    assert (card.points, card.max_points) == (4, 10)
    assert [check.id for check in card.exercises[0].checks] == ["built", "rows"]


def test_a_hidden_run_lists_hidden_checks_after_the_visible_ones() -> None:
    card = score(RUBRIC, [WAVES], [DTYPE, BUILT, FAR_ROWS, ROWS], STRICT)
    assert (card.points, card.max_points) == (10, 10)
    assert [(check.id, check.visibility) for check in card.exercises[0].checks] == [
        ("built", "visible"),
        ("rows", "visible"),
        ("dtype", "hidden"),
        ("far_rows", "hidden"),
    ]


def test_checks_keep_the_order_in_which_they_ran() -> None:
    card = score(RUBRIC, [WAVES], [ROWS, BUILT], PRACTICE)
    assert [check.id for check in card.exercises[0].checks] == ["rows", "built"]


def test_exercises_keep_the_order_of_the_files() -> None:
    card = score(RUBRIC, [TABLE, WAVES], [BUILT, ROWS, outcome("ex02_table", "built")], PRACTICE)
    assert [exercise.slug for exercise in card.exercises] == ["ex02_table", "ex01_waves"]
    assert (card.points, card.max_points) == (9, 15)


def test_exercises_that_were_not_selected_do_not_count() -> None:
    card = score(RUBRIC, [TABLE], [outcome("ex02_table", "built", Verdict.FAIL)], PRACTICE)
    assert (card.points, card.max_points) == (0, 5)


@pytest.mark.parametrize("verdict", Verdict)
def test_only_a_pass_and_a_fault_of_ours_earn_points(verdict: Verdict) -> None:
    card = score(RUBRIC, [WAVES], [BUILT, replace(ROWS, verdict=verdict)], PRACTICE)
    earned = 3 if verdict in {Verdict.PASS, Verdict.BROKEN} else 0
    assert card.points == 1 + earned
    assert card.max_points == 10


def test_words_and_facts_are_carried_over() -> None:
    ran = replace(
        ROWS,
        verdict=Verdict.FAIL,
        expected="row 0",
        got="row 1",
        hint="Count from 0.",
        line=12,
        seconds=0.5,
        output="hello",
    )
    card = score(RUBRIC, [WAVES], [BUILT, ran], PRACTICE)
    exercise = card.exercises[0]
    assert (exercise.title, exercise.file, exercise.sha256) == ("Waves", WAVES.label, WAVES.sha256)
    check = exercise.checks[1]
    assert (check.title, check.objective) == ("the title of rows", "implement")
    assert (check.expected, check.got, check.hint) == ("row 0", "row 1", "Count from 0.")
    assert (check.where, check.seconds, check.output) == (Where(line=12), 0.5, "hello")
    assert card_from_json(card_to_json(card)) == card


def test_a_check_without_an_outcome_is_broken_and_costs_nothing() -> None:
    card = score(RUBRIC, [WAVES], [ROWS, FAR_ROWS], STRICT)
    assert [(check.id, check.verdict) for check in card.exercises[0].checks] == [
        ("rows", "pass"),
        ("built", "broken"),
        ("far_rows", "pass"),
        ("dtype", "broken"),
    ]
    assert card.exercises[0].checks[1].got == "the grader did not run this check"
    assert card.points == 10


def test_checks_of_a_file_that_could_not_be_read_earn_nothing() -> None:
    missing = ExerciseFile("ex01_waves", "exercises/ex01_waves.py", b"", "", problem="there is no such file")
    card = score(RUBRIC, [missing, TABLE], [outcome("ex02_table", "built")], PRACTICE)
    waves = card.exercises[0]
    assert (waves.points, waves.max_points, waves.sha256) == (0, 10, None)
    assert {check.verdict for check in waves.checks} == {Verdict.ERROR}
    assert {check.got for check in waves.checks} == {"there is no such file"}


def test_a_submission_of_which_nothing_could_be_read_has_no_points() -> None:
    missing = ExerciseFile("ex02_table", "exercises/ex02_table.py", b"", "", problem="there is no such file")
    assert score(RUBRIC, [missing], [], PRACTICE).points == 0


def test_without_any_outcome_there_is_no_card() -> None:
    with pytest.raises(ValueError, match="no check ran"):
        score(RUBRIC, [WAVES, TABLE], [], PRACTICE)


def test_without_files_there_is_no_card() -> None:
    with pytest.raises(ValueError, match="at least 1 item"):
        score(RUBRIC, [], [], PRACTICE)


@pytest.mark.parametrize(
    ("stranger", "message"),
    [
        (outcome("ex01_waves", "colums"), "checks that this run does not know: colums"),
        (FAR_ROWS, "checks that this run does not know: far_rows"),
        (outcome("ex02_table", "built"), "exercises that were not selected: ex02_table"),
        (outcome("ex09_lost", "built"), "exercises that were not selected: ex09_lost"),
        (BUILT, "two outcomes came for the check built"),
    ],
)
def test_an_outcome_that_nobody_asked_for_is_our_fault(stranger: Outcome, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(RUBRIC, [WAVES], [BUILT, ROWS, stranger], PRACTICE)


def test_visibility_is_the_rubrics_word() -> None:
    with pytest.raises(ValueError, match="rows ran as hidden, the rubric has it as visible"):
        score(RUBRIC, [WAVES], [BUILT, replace(ROWS, visibility="hidden")], STRICT)


def test_a_file_of_an_unknown_exercise_is_our_fault() -> None:
    with pytest.raises(ValueError, match="does not know: ex09_lost"):
        score(RUBRIC, [replace(WAVES, slug="ex09_lost")], [BUILT], PRACTICE)
