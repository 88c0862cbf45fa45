"""What is expected of written answers, and what a student is told about those that do not fit."""

import pytest

from graders.engine.judge.expect import Unexpected
from graders.engine.judge.written.answers import (
    LONGEST_ANSWER,
    OVERRULED,
    TEXT,
    TRUE_FALSE,
    Answers,
    Unanswered,
    expect_answered,
    expect_choice,
    expect_idea,
    expect_true_false,
)
from graders.engine.judge.written.closed_answers import read_letter, read_truth
from graders.engine.judge.written.ideas import Idea

OPTIONS = {"a": "a wooden box", "b": "the tin of 1912", "c": "a paper bag"}
KINDS = {"round": TRUE_FALSE, "which": OPTIONS, "why": TEXT}
IDEAS = {"why": Idea("a colour", wordings=("red",), denies=("blue",)), "what": Idea("a thing", wordings=("box",))}


def sheet(**texts):
    return Answers("".join(f"{name}:\n  answer: {text}\n" for name, text in texts.items()).encode())


def failure(expectation, *args, **kwargs):
    with pytest.raises(Unexpected) as caught:
        expectation(*args, **kwargs)
    return caught.value


# ---------------------------------------------------------------- reading closed answers


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        *((text, True) for text in ("true", "True.", "TRUE!", "t", "T.", "yes", "Y", "correct", "right", '"true"')),
        *((text, True) for text in ("It's true", "I think true", "The statement is correct.", "Yes, it is true")),
        *((text, True) for text in ("true: the lid is round", "True - as I said", "That is right")),
        *((text, False) for text in ("false", "False.", "f", "no", "N.", "wrong", "incorrect", "untrue", "not true")),
        *((text, False) for text in ("It is false", "isn't true", "No, it isn't", "False, because it is square")),
        *((text, None) for text in ("", "maybe", "true or false", "true/false", "both", "0", "?", "true, not false")),
        *((text, None) for text in ("sometimes true", "truth", "Falsehood")),
    ],
)
def test_truth(text, truth):
    assert read_truth(text) is truth


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        *((text, "b") for text in ("b", "B", "b.", "(b)", "b)", "[b]", "B:", "'b'", "b!", "option b", "Answer: B")),
        *((text, "b") for text in ("I think b", "it's b", "The answer is (b).", "letter b", "b because it is old")),
        *((text, "b") for text in ("b: the tin", "b - the tin of 1912", "b, the tin", "(b) the tin of 1912")),
        *((text, "b") for text in ("the tin of 1912", "The tin.", "1912", "the tin of 1912, of course", "b (the tin)")),
        *((text, "a") for text in ("a", "a.", "a wooden box", "A: a wooden box", "wooden", "Box")),
        *((text, "") for text in ("", "d", "ab", "a and b", "a or b", "a, b", "a/b", "a b", "both a and b", "b or c")),
        *((text, "") for text in ("b: a paper bag", "neither", "none", "maybe", "not a", "a bag or a box", "b, not a")),
    ],
)
def test_letters(text, letter):
    assert read_letter(text, OPTIONS) == letter


# ---------------------------------------------------------------- the whole sheet


def test_a_sheet_that_is_filled_in():
    expect_answered(sheet(round="yes", which="b", why="It is red."), KINDS)


def test_all_open_questions_are_named():
    with pytest.raises(Unanswered) as caught:
        expect_answered(sheet(round="true", why=""), KINDS)
    assert caught.value.questions == ("which", "why")


def test_what_can_not_be_taken_as_an_answer_is_named_with_its_line():
    found = failure(expect_answered, sheet(round="sometimes", which="a and b", why="'?!'"), KINDS)
    assert found.got.splitlines() == [
        'line 2: round asks for true or false, not "sometimes"',
        'line 4: which asks for one letter, not "a and b"',
        'line 6: why asks for a sentence or two, not "?!"',
    ]
    assert (found.hint, found.line) == ("Write true or false.", 2)


def test_open_questions_are_named_beside_faults():
    found = failure(expect_answered, sheet(round="sometimes", why=""), KINDS)
    assert found.got.splitlines()[1] == "not answered yet: which, why"


def test_a_text_that_became_a_question_is_named():
    answers = Answers(b"round: yes\nwhich: b\nwhy:\n  answer: red\nIn short: it is red\n")
    found = failure(expect_answered, answers, KINDS)
    assert found.got == 'line 5: "In short" is no question of this sheet'
    assert "indent it by four spaces" in found.hint


def test_what_a_comment_hides_is_named():
    found = failure(expect_answered, sheet(round="yes", which="b # I think", why="red"), KINDS)
    assert found.got == 'line 4: which: all that follows # is not read: "# I think"'
    expect_choice(sheet(which="b # I think"), "which", "b", options=OPTIONS, hint="")


def test_a_very_long_answer_is_sent_back():
    found = failure(expect_answered, sheet(round="yes", which="b", why="red " * LONGEST_ANSWER), KINDS)
    assert found.got.startswith(f"line 6: why asks for at most {LONGEST_ANSWER} characters")
    assert len(found.got) < 400
    assert failure(expect_idea, sheet(why="\ufdfa" * LONGEST_ANSWER), "why", IDEAS, hint="").hint.startswith("Shorten")


def test_a_long_answer_is_read_to_its_end():
    expect_idea(sheet(why="It is big. " * 200 + "It is red."), "why", IDEAS, hint="")


def test_a_sheet_that_can_not_be_read_is_the_students_to_mend():
    answers = sheet(round="yes: it is")
    for expectation in (
        lambda: expect_answered(answers, KINDS),
        lambda: expect_true_false(answers, "round", True, hint=""),
        lambda: answers.written("which"),
    ):
        found = failure(expectation)
        assert found.expected == "a sheet that can be read"
        assert found.got == "line 2: a colon with a space after it splits this answer in two"
        assert found.hint.startswith("Write `answer: >-`")
        assert found.line == 2


# ---------------------------------------------------------------- one answer


def test_texts():
    answers = sheet(why="  It is red.  ")
    assert answers.written("why").text == "It is red."
    for question in ("which", "absent"):
        with pytest.raises(Unanswered):
            answers.written(question)


def test_true_and_false():
    expect_true_false(sheet(round="Correct."), "round", True, hint="h")
    found = failure(expect_true_false, sheet(round="No way"), "round", True, hint="h")
    assert (found.expected, found.got, found.hint, found.line) == ("round: what the lesson says", '"No way"', "h", 2)
    found = failure(expect_true_false, sheet(round="perhaps"), "round", True, hint="h")
    assert (found.expected, found.hint) == ("round: true or false", "Write true or false.")
    with pytest.raises(Unanswered):
        expect_true_false(sheet(why="x"), "round", True, hint="h")


def test_choices():
    expect_choice(sheet(which="the tin"), "which", "b", options=OPTIONS, hint="h")
    found = failure(expect_choice, sheet(which="c"), "which", "b", options=OPTIONS, hint="h")
    assert (found.expected, found.got) == ("which: the option that the lesson names", '"c"')
    assert (found.hint, found.line) == ("h", 2)
    found = failure(expect_choice, sheet(which="a or b"), "which", "b", options=OPTIONS, hint="h")
    assert found.expected == "which: one letter"
    with pytest.raises(Unanswered):
        expect_choice(sheet(why="x"), "which", "b", options=OPTIONS, hint="h")


def test_ideas():
    expect_idea(sheet(why="It's red."), "why", IDEAS, hint="h")
    found = failure(expect_idea, sheet(why="It's big."), "why", IDEAS, hint="h")
    assert (found.expected, found.got, found.hint) == ("why: a colour", '"It\'s big."', f"h {OVERRULED}")
    found = failure(expect_idea, sheet(why="It's red or blue."), "why", IDEAS, hint="h")
    assert found.hint == '"it is red or blue" speaks against it. h'
    found = failure(expect_idea, sheet(why="red box wood tin paper bag"), "why", IDEAS, hint="h")
    assert found.hint == "Write a sentence, not a list of words. h"


SAME = ["It is a red box.", "it  is a RED\n    box", '"It is a red box!"']


@pytest.mark.parametrize("said", SAME)
def test_one_text_does_not_answer_two_questions(said):
    answers = sheet(why=SAME[0], what=said, which="b")
    for question, idea in IDEAS.items():
        found = failure(expect_idea, answers, question, IDEAS, hint="h")
        assert found.expected == f"{question}: {idea.sought}"
        assert found.hint.startswith("The same text answers 2 questions (")
        assert found.hint.endswith("answer each by itself.")
    expect_choice(answers, "which", "b", options=OPTIONS, hint="h")


@pytest.mark.parametrize("said", ["red", "I think it is red"])
def test_a_text_under_two_questions_that_answers_one_of_them_counts_there(said):
    answers = sheet(why=said, what=said)
    expect_idea(answers, "why", IDEAS, hint="h")
    assert failure(expect_idea, answers, "what", IDEAS, hint="h").hint == f"h {OVERRULED}"


def test_two_texts_may_share_words():
    answers = sheet(why="It is a red box.", what="A red box it is.")
    for question in IDEAS:
        expect_idea(answers, question, IDEAS, hint="h")


def test_what_is_shown_of_an_answer_is_short_and_harmless():
    long = failure(expect_idea, sheet(why="big " * 200), "why", IDEAS, hint="h")
    assert len(long.got) == 202
    odd = failure(expect_idea, Answers(b'why: "a\\e[31m\\u202eb ::error:: c"'), "why", IDEAS, hint="h")
    assert odd.got == '"a\\x1b[31m\\u202eb : :error:: c"'


LONG = ["a" + "\n" * 40_000 + "x", "a" + "\n    " * 10_000 + "b", "'" * 40_000, '"a b ' * 10_000, "- " * 20_000]


@pytest.mark.parametrize("text", LONG, ids=["empty lines", "blank lines", "quotes", "quoted", "dashes"])
def test_a_very_long_answer_is_refused_before_it_is_looked_at(text):
    lines = ["    " + line if line.strip() else line for line in text.split("\n")]
    answers = Answers(("which:\n  answer: |2\n" + "\n".join(lines) + "\n").encode())
    found = failure(expect_choice, answers, "which", "b", options=OPTIONS, hint="h")
    assert found.expected == f"which: at most {LONGEST_ANSWER} characters"
