"""Tests of the marks that people give: a book that keeps one of each, and what a mark does to a card."""

import datetime
import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from graders.engine.errors import CourseError
from graders.engine.judge.outcome import Verdict
from graders.engine.load.rubric import PersonItem
from graders.engine.load.submission import ExerciseFile, Written
from graders.engine.score.card import Card, card_from_json, card_to_json
from graders.engine.score.marks import (
    NO_MARKS,
    Entry,
    MarksBook,
    book_from_json,
    book_to_json,
    look_up,
    mark_card,
    marks_of,
    record,
)
from graders.engine.score.scoring import score
from tests.score.test_scoring import BUILT, FAR_ROWS, PRACTICE, ROWS, RUBRIC, WAVES

SLUG = "ex01_waves"
DAY = datetime.date(2026, 12, 1)
TEXT_DIGEST = "c" * 64
WORDS = PersonItem(
    title="the choice, argued",
    objective="limits",
    points=2,
    file="ex01_words.md",
    criteria=["1 point: takes a side", "1 point: gives a reason"],
)
COURSE = RUBRIC.model_copy(
    update={
        "objectives": {"limits": "Know the limits", "implement": "Write the module."},
        "exercises": {
            **RUBRIC.exercises,
            SLUG: RUBRIC.exercises[SLUG].model_copy(update={"person": {"words": WORDS}}),
        },
    }
)
WRITTEN = replace(WAVES, written=(Written("words", "exercises/ex01_words.md", TEXT_DIGEST),))


def entry(check: str = "words", points: int = 1, **changes: Any) -> Entry:
    known = {"student": "ann", "exercise": SLUG, "note": "Half of it.", "date": DAY, "sha256": TEXT_DIGEST}
    return Entry(check=check, points=points, **{**known, **changes})


def card_with(*entries: Entry, file: ExerciseFile = WRITTEN, rows: Verdict = Verdict.PASS) -> Card:
    """Ann's card for practice, with these marks."""
    book = MarksBook(version=1, marks=entries)
    return score(COURSE, [file], [BUILT, replace(ROWS, verdict=rows)], PRACTICE, "ann", marks_of(book, "ann", COURSE))


# The book


def test_a_book_survives_the_way_through_json_in_an_order_of_its_own() -> None:
    names = ["Zoë", "a/b", "ann lee", "ann", "李"]
    book = NO_MARKS
    for name in names:
        book = record(book, entry(student=name, note='two\nlines, "quoted"'))
    text = book_to_json(book)
    assert [mark.student for mark in book_from_json(text).marks] == sorted(names)
    assert book_to_json(book_from_json(text)) == text
    assert "Zoë" in text
    assert '"date": "2026-12-01"' in text


def test_marking_again_replaces_one_mark_and_keeps_the_others() -> None:
    book = record(record(record(NO_MARKS, entry()), entry(student="bob")), entry("rows", 3))
    changed = record(book, entry(points=2, note=""))
    assert len(changed.marks) == 3
    assert look_up(book, "ann", SLUG, "words") == entry()
    assert look_up(changed, "ann", SLUG, "words") == entry(points=2, note="")
    assert look_up(changed, "bob", SLUG, "words") == entry(student="bob")
    assert look_up(changed, "bob", SLUG, "rows") is None


SOUND: dict[str, Any] = json.loads(book_to_json(record(NO_MARKS, entry())))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "Input should be 1"),
        ({"version": True}, "Input should be 1"),
        ({"owner": "x"}, "Extra inputs"),
        ({"marks": SOUND["marks"] * 2}, f"ann, {SLUG}, words: marked twice in one book"),
        ({"marks": [{**SOUND["marks"][0], "points": "2"}]}, "valid integer"),
        ({"marks": [{**SOUND["marks"][0], "points": 1.5}]}, "valid integer"),
        ({"marks": [{**SOUND["marks"][0], "points": -1}]}, "greater than or equal to 0"),
        ({"marks": [{**SOUND["marks"][0], "sha256": "abc"}]}, "match pattern"),
        ({"marks": [{**SOUND["marks"][0], "note": "x" * 1001}]}, "at most 1000"),
        ({"marks": [{**SOUND["marks"][0], "note": "\x1b"}]}, "control character"),
        ({"marks": [{**SOUND["marks"][0], "student": "ann\u202e"}]}, "invisible characters"),
        ({"marks": [{**SOUND["marks"][0], "date": "1 December"}]}, "valid date"),
        ({"marks": [{"student": "ann"}]}, "Field required"),
        ({"marks": {}}, "valid array"),
    ],
)
def test_a_book_that_is_not_sound_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        book_from_json(json.dumps({**SOUND, **change}))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 1}', b"\xff\xfe", "[" * 100_000, "1" * 10_000])
def test_text_that_is_no_book_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        book_from_json(text)


# What a book says of one student


def test_marks_are_those_of_one_student() -> None:
    book = record(record(NO_MARKS, entry()), entry("rows", 3, student="bob"))
    assert marks_of(book, "ann", COURSE) == {(SLUG, "words"): entry()}
    assert marks_of(book, "Ann", COURSE) == {}
    assert marks_of(book, None, COURSE) == {}


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (entry(points=3), f"ann has a mark of 3 points for words of {SLUG}, and grading.yaml gives 2 at most"),
        (entry("dtype", 5), f"ann has a mark of 5 points for dtype of {SLUG}, and grading.yaml gives 4 at most"),
        (entry("letters"), f"ann has a mark for letters of {SLUG}, and grading.yaml has no such check"),
        (entry(exercise="ex09_lost"), "ann has a mark for words of ex09_lost, and grading.yaml has no such check"),
    ],
)
def test_a_mark_that_the_rubric_has_no_place_for_is_for_the_course_to_mend(mark: Entry, message: str) -> None:
    with pytest.raises(CourseError, match=message):
        marks_of(record(NO_MARKS, mark), "ann", COURSE)
    assert marks_of(record(NO_MARKS, mark), "bob", COURSE) == {}


# On a card


def test_a_mark_stands_in_the_place_of_waiting() -> None:
    assert (card_with().points, card_with().exercises[0].checks[2].verdict) == (4, Verdict.WAITING)
    card = card_with(entry())
    check = card.exercises[0].checks[2]
    assert (check.verdict, check.points, card.points, card.total) == (Verdict.MARKED, 1, 5, 5)
    assert check.mark is not None
    assert (check.mark.note, check.mark.date, check.mark.answer_changed) == ("Half of it.", DAY, False)
    assert check.expected == "1 point: takes a side\n1 point: gives a reason"
    assert [(o.name, o.passed, o.checks, o.undecided) for o in card.objectives] == [
        ("limits", 0, 1, 0),
        ("implement", 2, 2, 0),
    ]


def test_full_marks_are_evidence() -> None:
    (limits, _) = card_with(entry(points=2)).objectives
    assert (limits.passed, limits.checks) == (1, 1)


def test_a_person_can_override_what_a_check_found_and_its_words_stay() -> None:
    card = card_with(entry("rows", 3, sha256=WAVES.sha256), rows=Verdict.FAIL)
    check = card.exercises[0].checks[1]
    assert (check.verdict, check.points, check.title) == (Verdict.MARKED, 3, "the title of rows")
    assert check.mark is not None
    assert not check.mark.answer_changed
    assert card.points == 4
    assert card_with(entry("built", 0, sha256=WAVES.sha256)).points == 3, "points can be taken as well"


@pytest.mark.parametrize(
    ("check", "digest", "file", "changed"),
    [
        ("words", TEXT_DIGEST, replace(WRITTEN, sha256="d" * 64), False),
        ("words", "d" * 64, WRITTEN, True),
        ("words", None, WRITTEN, True),
        ("words", TEXT_DIGEST, replace(WRITTEN, written=()), True),
        ("words", None, replace(WRITTEN, written=()), False),
        ("rows", WAVES.sha256, replace(WRITTEN, written=()), False),
        ("rows", "d" * 64, WRITTEN, True),
        ("rows", WAVES.sha256, replace(WRITTEN, sha256="", source=b"", problem="there is no such file"), True),
    ],
)
def test_a_mark_stands_and_says_whether_the_answer_is_another_one_by_now(
    check: str, digest: str | None, file: ExerciseFile, changed: bool
) -> None:
    card = card_with(entry(check, 1, sha256=digest), file=file)
    (marked,) = (result for result in card.exercises[0].checks if result.verdict is Verdict.MARKED)
    assert (marked.id, marked.points) == (check, 1)
    assert marked.mark is not None
    assert marked.mark.answer_changed is changed


def test_a_mark_of_a_hidden_check_or_another_exercise_waits_for_a_run_that_lists_it() -> None:
    assert card_with(entry("dtype", 4), entry("built", 5, exercise="ex02_table")) == card_with()


def test_marking_a_card_gives_the_card_that_grading_with_the_mark_gives() -> None:
    for mark in (entry(), entry("rows", 0, sha256=WAVES.sha256)):
        assert mark_card(card_with(), mark) == card_with(mark)
        assert card_from_json(card_to_json(card_with(mark))) == card_with(mark)


def test_marking_a_card_again_replaces_the_mark() -> None:
    again = entry(points=2, note="On a second look.")
    assert mark_card(card_with(entry()), again) == card_with(again)


def test_a_mark_for_what_the_card_does_not_list_changes_nothing() -> None:
    assert mark_card(card_with(), entry(FAR_ROWS.check, 2)) == card_with()
