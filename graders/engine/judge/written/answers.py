"""What a check may expect of a written answer: true or false, a letter, or a sentence that holds an idea.

The texts are a student's. What is said about one names the question, shows the text, and never the right answer.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from graders.engine.clean import clean
from graders.engine.judge.expect import Unexpected
from graders.engine.judge.written.closed_answers import read_letter, read_truth
from graders.engine.judge.written.english import plain
from graders.engine.judge.written.ideas import Idea, judge_idea
from graders.engine.load.sheet.sheet import Sheet, SheetProblem, SheetText, read_sheet

LONGEST_ANSWER = 3000
"""Characters of a short answer, signs and short forms written out: a page, where a sentence or two are asked for."""
SHOWN = 200

Kind = str | Mapping[str, str]
"""What a question asks for: TRUE_FALSE, TEXT, or the options by letter."""
TRUE_FALSE, TEXT = "true or false", "a sentence or two"
OVERRULED = "If your answer says it in other words, show it to the course staff: a person's mark replaces this one."
_LETTER, _SHORTER = "one letter", f"at most {LONGEST_ANSWER} characters"
_REMEDY = {
    TRUE_FALSE: "Write true or false.",
    TEXT: "Answer in words.",
    _LETTER: "Write one of the letters in front of the options.",
    _SHORTER: "Shorten the answer to what the question asks.",
}


class Unanswered(Exception):
    """Questions that have no answer yet."""

    def __init__(self, questions: tuple[str, ...]) -> None:
        super().__init__(", ".join(questions))
        self.questions = questions


class Answers:
    """The answers of one sheet. One that can't be read is the student's to mend: Unexpected, with its line."""

    def __init__(self, source: bytes) -> None:
        self._source = source

    @cached_property
    def sheet(self) -> Sheet:
        """The sheet; raises Unexpected where the file can't be read."""
        try:
            return read_sheet(self._source)
        except SheetProblem as problem:
            got = f"line {problem.line}: {problem.words}"
            raise Unexpected("a sheet that can be read", clean(got), clean(problem.remedy), problem.line) from None

    def require_readable(self) -> None:
        """Raise Unexpected where the file can't be read."""
        _ = self.sheet

    def written(self, question: str) -> SheetText:
        """Return what stands under a question; raises Unanswered where there is nothing."""
        answer = self.sheet.answers.get(question)
        if answer is None or not answer.text:
            raise Unanswered((question,))
        return answer


def expect_answered(answers: Answers, questions: Mapping[str, Kind]) -> None:
    """Expect an answer of its kind to each question, and nothing else; raises Unanswered for all that are open."""
    faults = list(_faults(answers, questions))
    written = answers.sheet.answers
    empty = tuple(question for question in questions if question not in written or not written[question].text)
    if faults:
        line, _, hint = faults[0]
        got = [f"line {number}: {words}" for number, words, _ in faults]
        got += [f"not answered yet: {', '.join(empty)}"] if empty else []
        raise Unexpected("for every question an answer of the kind that it asks for", "\n".join(got), hint, line)
    if empty:
        raise Unanswered(empty)


def _faults(answers: Answers, questions: Mapping[str, Kind]) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the words and the remedy for everything on the sheet that can't be taken as an answer."""
    for name, answer in answers.sheet.answers.items():
        if name not in questions:
            words = f"{_shown(name, 40)} is no question of this sheet"
            yield answer.line, words, "If it is part of an answer, indent it by four spaces, below `answer: >-`."
            continue
        if answer.comment:
            words = f"{name}: all that follows # is not read: {_shown(answer.comment, 60)}"
            yield answer.line, words, "Delete it, or write `answer: >-` and put the text on the lines below it."
        if answer.text and (wanted := _misfit(answer.text, questions[name])):
            yield answer.line, f"{name} asks for {wanted}, not {_shown(answer.text)}", _REMEDY[wanted]


def _misfit(text: str, kind: Kind) -> str:
    """Return what a question asks for where a text is not of that kind, else an empty text."""
    # Before anything reads it: what is looked for in a text may take long in a very long one.
    if len(text) > LONGEST_ANSWER:
        return _SHORTER
    if not isinstance(kind, str):
        return "" if read_letter(text, kind) else _LETTER
    if kind == TRUE_FALSE:
        return "" if read_truth(text) is not None else TRUE_FALSE
    if len(plain(text)) > LONGEST_ANSWER:
        return _SHORTER
    return "" if any(character.isalpha() for character in text) else TEXT


def expect_true_false(answers: Answers, question: str, value: bool, *, hint: str) -> None:
    """Expect `value` as the answer to a question."""
    answer = _of_kind(answers, question, TRUE_FALSE)
    if read_truth(answer.text) is not value:
        raise Unexpected(f"{question}: what the lesson says", _shown(answer.text), hint, answer.line)


def expect_choice(answers: Answers, question: str, letter: str, *, options: Mapping[str, str], hint: str) -> None:
    """Expect one of the options, named by its letter or its text."""
    answer = _of_kind(answers, question, options)
    if read_letter(answer.text, options) != letter:
        raise Unexpected(f"{question}: the option that the lesson names", _shown(answer.text), hint, answer.line)


def expect_idea(answers: Answers, question: str, ideas: Mapping[str, Idea], *, hint: str) -> None:
    """Expect a text that holds the idea of a question and nothing that contradicts it; `ideas` are those of the sheet.

    A text that also stands under another question, and holds that one's idea as well, was written for neither.
    """
    answer, idea = _of_kind(answers, question, TEXT), ideas[question]
    judgement = judge_idea(answer.text, idea)
    if judgement.fits:
        others = [
            name for name in _with_the_same_words(answers, question, ideas) if judge_idea(answer.text, ideas[name]).fits
        ]
        if not others:
            return
        names = ", ".join([question, *others])
        hint = f"The same text answers {len(others) + 1} questions ({names}); answer each by itself."
    elif judgement.against:
        hint = f'"{clean(judgement.against, 100)}" speaks against it. {hint}'
    elif judgement.is_list:
        hint = f"Write a sentence, not a list of words. {hint}"
    else:
        hint = f"{hint} {OVERRULED}"
    raise Unexpected(f"{question}: {idea.sought}", _shown(answer.text), hint, answer.line)


def _with_the_same_words(answers: Answers, question: str, names: Collection[str]) -> list[str]:
    """Return the other questions of these under which the same text stands: blanks, marks and capitals aside."""
    texts = {name: _words(answer.text) for name, answer in answers.sheet.answers.items() if name in names}
    return [name for name, words in texts.items() if name != question and words == texts[question]]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _of_kind(answers: Answers, question: str, kind: Kind) -> SheetText:
    answer = answers.written(question)
    if wanted := _misfit(answer.text, kind):
        raise Unexpected(f"{question}: {wanted}", _shown(answer.text), _REMEDY[wanted], answer.line)
    return answer


def _shown(text: str, limit: int = SHOWN) -> str:
    return f'"{clean(" ".join(text.split()), limit)}"'
