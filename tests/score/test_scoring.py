"""Tests of scoring: the rubric is the denominator, and nothing that ran or did not run changes that."""

from dataclasses import replace

import pytest

from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.rubric import ExerciseRubric, Limits, PersonItem, Rubric
from graders.engine.load.submission import CellSpan, ExerciseFile, Written
from graders.engine.score.card import Grader, card_from_json, card_to_json
from graders.engine.score.results import Where
from graders.engine.score.scoring import score
from tests.made_by import PRACTICE, STRICT

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


@pytest.mark.parametrize("verdict", sorted(set(Verdict) - {Verdict.MARKED}))
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
    assert (check.where, check.seconds, check.output) == (Where(line=12, cell=None), 0.5, "hello")
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


# Bonus


FAR = ExerciseRubric(slug="ex03_far", title="Further", bonus=True, visible={"reach": 4})
BONUS = RUBRIC.model_copy(update={"exercises": {**RUBRIC.exercises, "ex03_far": FAR}})
FURTHER = ExerciseFile("ex03_far", "exercises/ex03_far.py", b"pass\n", "c" * 64)
REACH = outcome("ex03_far", "reach")


@pytest.mark.parametrize(("beyond", "total"), [(False, 15), (True, 17)])
def test_bonus_points_stand_apart_and_stay_within_the_maximum_unless_the_rubric_says_so(
    beyond: bool, total: int
) -> None:
    rubric = BONUS.model_copy(update={"bonus_beyond_maximum": beyond})
    ran = [BUILT, ROWS, DTYPE, replace(FAR_ROWS, verdict=Verdict.FAIL), outcome("ex02_table", "built"), REACH]
    card = score(rubric, [WAVES, TABLE, FURTHER], ran, STRICT)
    assert [exercise.bonus for exercise in card.exercises] == [False, False, True]
    assert (card.points, card.max_points) == (13, 15)
    assert (card.bonus.points, card.bonus.max_points) == (4, 4)
    assert (card.total, card.bonus_beyond_maximum) == (total, beyond)


def test_a_bonus_exercise_alone_counts_as_it_is() -> None:
    card = score(BONUS, [FURTHER], [REACH], PRACTICE)
    assert (card.points, card.max_points, card.bonus.points, card.bonus.max_points, card.total) == (0, 0, 4, 4, 4)


# Notebooks


@pytest.mark.parametrize(
    ("line", "where"), [(1, (1, 2)), (3, (3, 2)), (4, (1, 5)), (9, (6, 5)), (10, (1, 9)), (99, (90, 9))]
)
def test_a_line_of_joined_cells_is_a_line_of_one_of_them(line: int, where: tuple[int, int]) -> None:
    cells = (CellSpan(2, 1), CellSpan(5, 4), CellSpan(9, 10))
    failed = replace(BUILT, verdict=Verdict.ERROR, line=line)
    card = score(RUBRIC, [replace(WAVES, cells=cells)], [failed, ROWS], PRACTICE)
    assert card.exercises[0].checks[0].where == Where(line=where[0], cell=where[1])


def test_a_line_before_every_cell_is_no_line_of_a_cell() -> None:
    failed = replace(BUILT, verdict=Verdict.ERROR, line=1)
    card = score(RUBRIC, [replace(WAVES, cells=(CellSpan(2, 3),))], [failed, ROWS], PRACTICE)
    assert card.exercises[0].checks[0].where == Where(line=1, cell=None)


def test_what_was_left_out_of_a_submission_is_said_once() -> None:
    file = replace(WAVES, notes=("the file counts", "cell 3 was left out"))
    ran = [replace(BUILT, notes=("cell 3 was left out", "cell 7 raised")), replace(ROWS, notes=("cell 7 raised",))]
    card = score(RUBRIC, [file], [*ran], PRACTICE)
    assert card.exercises[0].notes == ("the file counts", "cell 3 was left out", "cell 7 raised")


def test_what_loading_the_file_for_hidden_checks_ran_into_is_not_on_a_card() -> None:
    hidden = [replace(outcome, notes=("cell 9 raised 1764462000",)) for outcome in (FAR_ROWS, DTYPE)]
    assert score(RUBRIC, [WAVES], [BUILT, ROWS, *hidden], STRICT).exercises[0].notes == ()


# Texts that a person grades


TEXT = PersonItem(
    title="argued", objective="implement", points=2, file="ex01_words.md", criteria=["a side", "a reason"]
)
ARGUED = RUBRIC.model_copy(
    update={"exercises": {"ex01_waves": RUBRIC.exercises["ex01_waves"].model_copy(update={"person": {"words": TEXT}})}}
)


@pytest.mark.parametrize(
    ("written", "verdict", "got", "digest"),
    [
        ((), "todo", "the text in ex01_words.md is not written yet", None),
        (
            (Written("words", "exercises/ex01_words.md"),),
            "todo",
            "the text in exercises/ex01_words.md is not written yet",
            None,
        ),
        (
            (Written("words", "exercises/ex01_words.md", "d" * 64, untouched=True),),
            "todo",
            "the text in exercises/ex01_words.md is not written yet",
            "d" * 64,
        ),
        ((Written("words", "exercises/ex01_words.md", problem="it is a folder"),), "error", "it is a folder", None),
        ((Written("words", "exercises/ex01_words.md", "d" * 64),), "waiting", "", "d" * 64),
    ],
)
@pytest.mark.parametrize("grader", [PRACTICE, STRICT], ids=["practice", "strict"])
def test_a_text_comes_after_the_checks_and_earns_nothing_by_machine(
    written: tuple[Written, ...], verdict: str, got: str, digest: str | None, grader: Grader
) -> None:
    ran = [BUILT, ROWS, DTYPE, FAR_ROWS] if grader.hidden else [BUILT, ROWS]
    card = score(ARGUED, [replace(WAVES, written=written)], ran, grader)
    text = card.exercises[0].checks[-1]
    assert (text.id, text.title, text.objective, text.visibility) == ("words", "argued", "implement", "person")
    assert (text.verdict, text.got, text.points, text.max_points) == (verdict, got, 0, 2)
    assert text.expected == "a side\na reason"
    assert text.answer is not None
    assert text.answer.file == (written[0].label if written else "ex01_words.md")
    assert text.answer.sha256 == digest
    assert (card.points, card.max_points) == (10 if grader.hidden else 4, 12)


def test_a_text_is_graded_though_the_exercises_file_cannot_be_read() -> None:
    missing = replace(WAVES, source=b"", sha256="", problem="there is no such file")
    file = replace(missing, written=(Written("words", "exercises/ex01_words.md", "d" * 64),))
    card = score(ARGUED, [file], [], PRACTICE)
    assert [check.verdict for check in card.exercises[0].checks] == ["error", "error", "waiting"]


def test_criteria_longer_than_a_card_takes_are_cut() -> None:
    long = TEXT.model_copy(update={"criteria": ["a reason"] * 500})
    waves = ARGUED.exercises["ex01_waves"].model_copy(update={"person": {"words": long}})
    card = score(ARGUED.model_copy(update={"exercises": {"ex01_waves": waves}}), [WAVES], [BUILT, ROWS], PRACTICE)
    expected = card.exercises[0].checks[-1].expected
    assert len(expected) == 2000
    assert expected.endswith("…")


def test_a_text_of_an_unknown_name_is_our_fault() -> None:
    with pytest.raises(ValueError, match="texts came that the rubric does not know: letters"):
        score(ARGUED, [replace(WAVES, written=(Written("letters", "x.md"),))], [BUILT, ROWS], PRACTICE)


# Objectives


def test_objectives_are_counted_by_the_checks_that_a_card_lists() -> None:
    objectives = {"explain": "Explain it.", "implement": "Write it.", "limits": "Know its limits."}
    rubric = RUBRIC.model_copy(update={"objectives": objectives})
    ran = [
        replace(BUILT, objective="limits"),
        replace(ROWS, verdict=Verdict.FAIL),
        replace(FAR_ROWS, verdict=Verdict.BLOCKED, objective="limits"),
        replace(DTYPE, verdict=Verdict.BROKEN, objective="limits"),
    ]
    card = score(rubric, [WAVES], ran, STRICT)
    assert [(o.name, o.title, o.passed, o.checks, o.undecided) for o in card.objectives] == [
        ("implement", "Write it.", 0, 1, 0),
        ("limits", "Know its limits.", 1, 2, 1),
    ]
    practice = score(rubric, [WAVES], ran[:2], PRACTICE)
    assert [(o.name, o.passed, o.checks) for o in practice.objectives] == [("implement", 0, 1), ("limits", 1, 1)]


def test_an_objective_that_the_rubric_does_not_know_is_our_fault() -> None:
    with pytest.raises(ValueError, match="objectives that are not listed: fly"):
        score(RUBRIC, [WAVES], [replace(BUILT, objective="fly"), ROWS], PRACTICE)


def test_the_student_is_on_the_card() -> None:
    assert score(RUBRIC, [WAVES], [BUILT, ROWS], PRACTICE).student is None
    assert score(RUBRIC, [WAVES], [BUILT, ROWS], PRACTICE, "Zoë").student == "Zoë"
