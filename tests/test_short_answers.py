"""Answers in plain English, held against the key of the knowledge check: right ones, and wrong ones of every kind.

The files in short_answers/ have an answer to a line. Add the one that was judged wrongly, then mend the key.
"""

import re
from pathlib import Path

import pytest
import yaml

import graders
from graders.engine.judge.expect import Unexpected
from graders.engine.judge.written.answers import TEXT, TRUE_FALSE, Answers, Unanswered
from graders.engine.judge.written.closed_answers import read_letter, read_truth
from graders.engine.judge.written.ideas import judge_idea
from graders.ex07_knowledge_check import hidden, visible

REPOSITORY = Path(graders.__file__).parents[1]
STUB = REPOSITORY / "exercises" / "ex07_knowledge_check.yaml"
REFERENCE = REPOSITORY / "reference" / "ex07_knowledge_check.yaml"
TABLES = Path(__file__).with_name("short_answers")
CHECKS = {name.removeprefix("check_"): check for name, check in vars(hidden).items() if name.startswith("check_")}


def answers_in(question, kind):
    return (TABLES / f"{question}.{kind}.txt").read_text(encoding="utf-8").splitlines()


def failure(check, answers):
    try:
        check(answers)
    except Unexpected as unexpected:
        return unexpected
    return None


@pytest.mark.parametrize("question", hidden.IDEAS)
def test_right_answers_are_accepted(question):
    answers = answers_in(question, "right")
    assert len(answers) >= 30
    assert [text for text in answers if not judge_idea(text, hidden.IDEAS[question]).fits] == []


@pytest.mark.parametrize("question", hidden.IDEAS)
def test_wrong_answers_are_not(question):
    answers = answers_in(question, "wrong")
    assert len(answers) >= 30
    assert [text for text in answers if judge_idea(text, hidden.IDEAS[question]).fits] == []


@pytest.mark.parametrize("question", hidden.IDEAS)
def test_an_answer_may_be_wrapped_in_small_talk(question):
    for text in answers_in(question, "right")[:12]:
        for said in (f"I think the answer is this: {text}", f"{text} At least that is how I understood it."):
            assert judge_idea(said, hidden.IDEAS[question]).fits, said


@pytest.mark.parametrize("question", hidden.IDEAS)
def test_the_question_itself_is_no_answer(question):
    asked = yaml.safe_load(STUB.read_text(encoding="utf-8"))[question]["question"]
    assert not judge_idea(asked, hidden.IDEAS[question]).fits
    for sentence in re.split(r"(?<=[.?:]) ", asked):
        assert not judge_idea(sentence, hidden.IDEAS[question]).fits, sentence


def test_options_and_kinds_are_those_of_the_sheet():
    sheet = yaml.safe_load(STUB.read_text(encoding="utf-8"))
    assert list(sheet) == list(visible.QUESTIONS)
    for name, kind in visible.QUESTIONS.items():
        if kind in (TRUE_FALSE, TEXT):
            assert "options" not in sheet[name]
            assert sheet[name]["question"].startswith("True or false?") is (kind == TRUE_FALSE)
        else:
            assert sheet[name]["options"] == kind


@pytest.mark.parametrize("name", [name for name, kind in visible.QUESTIONS.items() if isinstance(kind, dict)])
def test_an_option_may_be_named_by_its_words(name):
    options = visible.QUESTIONS[name]
    for letter, text in options.items():
        for said in (letter, f"{letter}: {text}", text, text.capitalize() + ".", f"({letter}) because of {text}"):
            assert read_letter(said, options) == letter, said


@pytest.mark.parametrize("name", [name for name, kind in visible.QUESTIONS.items() if kind == TRUE_FALSE])
def test_truth_may_be_told_with_a_reason(name):
    assert read_truth("True, that is what the lesson says.") is True
    assert read_truth("No. The lesson says something else.") is False


def test_an_open_sheet_passes_nothing():
    for check in (visible.check_form, *CHECKS.values()):
        with pytest.raises(Unanswered):
            check(Answers(STUB.read_bytes()))


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_what_a_hidden_check_says_gives_no_answer_away(check):
    """Every answer of the sheet is made wrong; nothing of the key may stand in what the student is told."""
    wrong = {"true": "false", "false": "true", "a": "b", "b": "c", "c": "a"}
    sheet = yaml.load(REFERENCE.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    for entry in sheet.values():
        entry["answer"] = wrong.get(entry["answer"], "Something else.")
    found = failure(check, Answers(yaml.safe_dump(sheet).encode()))
    said = f"{found.expected} {found.hint}"
    assert not [name for name, idea in hidden.IDEAS.items() if judge_idea(said, idea).fits]
    keys = {option for kind in visible.QUESTIONS.values() if isinstance(kind, dict) for option in kind.values()}
    assert not [option for option in keys if option in said]
    assert not re.search(r"\b(true|false|equivarian\w*|permut\w*|add\w*|sum|element)\b", said, re.IGNORECASE)


def test_hints_name_sections_that_the_lesson_has():
    lesson = REPOSITORY / "exercises" / "README.md"
    titles = re.findall(r"(?m)^## (.+)$", lesson.read_text(encoding="utf-8"))
    named = re.findall(r'reread\("(.+?)"\)', Path(hidden.__file__).read_text(encoding="utf-8"))
    assert named
    assert sorted(set(named) - set(titles)) == []
