"""What an answer sheet is read as, what is refused in it, and the words in which a student is told."""

import contextlib
import time

import pytest
import yaml

from graders.engine.load.sheet import tree
from graders.engine.load.sheet.sheet import MAX_BYTES, SheetProblem, read_sheet


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def loader(request, monkeypatch):
    """Every test runs with both parsers of the library: the one in C is not everywhere."""
    if not hasattr(yaml, request.param):
        pytest.skip("this build of PyYAML has no parser in C")
    monkeypatch.setattr(tree, "_LOADER", getattr(yaml, request.param))
    return request.param


def written(text):
    return {
        name: (answer.text, answer.line)
        for name, answer in read_sheet(text.encode() if isinstance(text, str) else text).answers.items()
    }


def problem(text):
    with pytest.raises(SheetProblem) as caught:
        read_sheet(text.encode() if isinstance(text, str) else text)
    return caught.value


# ---------------------------------------------------------------- what is read

SHEET = """\
# a comment
first:
  question: What is it? Say so.
  answer: A text. It's long,
    and goes on here.

second:
  question: Which?
  options:
    a: this
    b: that
  answer: b

third:
  question: >-
    True or false: it
    is so.
  answer:
"""


def test_answers_and_their_lines_in_the_order_of_the_file():
    assert written(SHEET) == {
        "first": ("A text. It's long, and goes on here.", 4),
        "second": ("b", 12),
        "third": ("", 18),
    }


@pytest.mark.parametrize(
    "text", ["true", "True", "yes", "NO", "on", "null", "~", "1.0", "0x10", "2026-11-29", "1_000", ".inf", "=", "<<"]
)
def test_every_value_is_a_text(text):
    assert written(f"q:\n  answer: {text}\n") == {"q": (text, 2)}


@pytest.mark.parametrize(
    ("source", "text", "line"),
    [
        ("q:\n  answer: 'it''s'\n", "it's", 2),
        ('q:\n  answer: "a\\tb"\n', "a\tb", 2),
        ("q:\n  answer: >-\n    one: two # three\n    four\n", "one: two # three four", 2),
        ("q:\n  answer: |\n    one\n    two\n", "one\ntwo", 2),
        ("q:\n  answer:\n    below\n", "below", 3),
        ("q:\n  answer:\n    - one\n    - two\n", "one; two", 3),
        ("q:\n  answer: [b]\n", "b", 2),
        ("q: right here\n", "right here", 1),
        ("q:\n  - one\n  - two\n", "one; two", 2),
        ("q:\n  Answer: x\n", "x", 2),
        ("q:\n  question: only\n", "", 1),
        ("q:\n", "", 1),
        ("q:\n  answer: >-\n\n", "", 2),
        ("q:\n  answer: a\tb\n", "a b", 2),
        ("q:\n  answer:\tb\n", "b", 2),
        ("q:\r\n  answer: b\r\n", "b", 2),
        ("q:\r  answer: b\r", "b", 2),
        ("\ufeffq:\n  answer: b\n", "b", 2),
        ("q:\n\u00a0\u00a0answer:\u00a0b\n", "b", 2),
        ("q:\n  answer: one\u2028two\u0085three\n", "one two three", 2),
        ("q:\n  answer: grün 😀\n", "grün 😀", 2),
        ("---\nq:\n  answer: b\n", "b", 3),
    ],
)
def test_the_many_ways_to_write_an_answer(source, text, line):
    assert written(source) == {"q": (text, line)}


@pytest.mark.parametrize(
    ("source", "text", "comment"),
    [
        ("q:\n  answer: sum # tok + pos\n", "sum", "# tok + pos"),
        ("q:\n  answer: # none\n", "", "# none"),
        ("q:\n  answer: 'sum' # in quotes\n", "sum", "# in quotes"),
        ("q:\n  answer:\n    - one # two\n    - three # four\n", "one; three", "# two # four"),
        ("q:\n  answer: C#\n", "C#", ""),
        ("q:\n  answer: >- # a note\n    text # kept\n", "text # kept", ""),
        ("q:\n  answer: sum\n  # a line of its own\n", "sum", ""),
        ("q:\n  answer:\n\nr: x # elsewhere\n", "", ""),
    ],
)
def test_a_comment_behind_an_answer_is_told(source, text, comment):
    answer = read_sheet(source.encode()).answers["q"]
    assert (answer.text, answer.comment) == (text, comment)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("q:\n  answer: Because: it is\n", 2, "a colon with a space after it splits this answer in two"),
        ("q:\n  answer:\n    the reason: it is\n", 3, "a colon with a space after it splits this answer in two"),
        ("q:\n  answer: one\n    two: three\n", 3, "a colon with a space after it splits"),
        ("q:\n  answer: >-\ntext at the margin\nr:\n  answer: x\n", 3, "this line belongs to no answer and is no key"),
        ("q:\n  answer: >-\n  text at the key\n", 3, "this line belongs to no answer and is no key"),
        ("q:\n  answer: 'it's so'\n", 2, "text stands behind the quote that is closed in column 14"),
        ('q:\n  answer: "so" it is\n', 2, "text stands behind the quote that is closed in column 14"),
        ('q:\n  answer: "never closed\nr:\n  answer: x\n', 2, "the quote that opens here is never closed"),
        (
            "q:\n  answer: 'open\nr:\n  answer: it's\n",
            2,
            "the quote that opens here is closed no sooner than in line 4",
        ),
        ('q:\n  answer: "a \\+ b"\n', 2, "a backslash inside double quotes"),
        ("q:\n\tanswer: x\n", 2, "a tab stands at the beginning of this line"),
        ("q:\n  answer: >-\n\ttext\n", 3, "a tab stands at the beginning of this line"),
        ("q:\n  answer: > text\n", 2, "after > or | the text begins on the next line"),
        ("q:\n  answer: - text\n", 2, "a text that begins with a dash and a space is a list"),
        ("q:\n  answer: *bold*\n", 2, "a text that begins with & or *"),
        ("q:\n  answer: &x y\n", 2, "a text that begins with & or *"),
        ("q:\n  answer: !important\n", 2, "a text that begins with !"),
        ("q:\n  answer: !!python/name:os.system x\n", 2, "a text that begins with !"),
        ("q:\n  answer: `code`\n", 2, "an answer can't begin with this character"),
        ("q:\n  answer: @me\n", 2, "an answer can't begin with this character"),
        ("q:\n  answer: ? x\n", 2, "a text that begins with a question mark"),
        ("q:\n  answer: [open\nr: x\n", 2, "a text that begins with [ or {"),
        ("q:\n  answer: [b] it is\n", 2, "text stands behind a closing bracket"),
        ("q:\n  answer: {a: b}\n", 2, "a colon with a space after it splits"),
        ("q:\n  question: x\n  answer:x\n", 3, "there is no space after `answer:`"),
        ("q:\n  answer:x\n  question: y\n", 2, "there is no space after `answer:`"),
        ("q:\n  question: x\n   answer: y\n", 3, "`answer:` stands further to the right than it did"),
        ("q:\n  question: x\n answer: y\n", 3, "this line stands further left or right than its neighbours"),
        ("q:\n  answer: |\n    one\n   two\n", 4, "this line stands further left than the text above it"),
        (" q: x\nr: y\n", 2, "this line stands further left or right than the lines above it"),
        ("q:\n  answer: x\n  reason: y\n", 3, '"reason" is none of question, options, answer'),
        ("q:\n  answer: x\n  answer: y\n", 3, '"answer" stands here again, first in line 2'),
        ("q:\n  answer: x\n  Answer: y\n", 3, "q has a second answer here"),
        ("q:\n  answer: x\nr: y\nq: z\n", 4, '"q" stands here again, first in line 1'),
        ("q: x\n---\nr: y\n", 2, "--- ends the sheet before its end"),
        ("q:\n  answer: [[[[[[x]]]]]]\n", 2, "nested too deep"),
        ("q:\n  answer: \x01\n", 2, "an invisible character (code 1)"),
        ("", 1, "the file holds no questions"),
        ("# nothing\n", 1, "the file holds no questions"),
        ("one long text\n", 1, "the file holds no questions"),
        ("- a\n- b\n", 1, "the file holds no questions"),
        (b"q:\n  answer: gr\xfcn\n", 2, "the file is not UTF-8"),
        ("q: " + "x" * MAX_BYTES, 1, f"a sheet has {MAX_BYTES} at most"),
    ],
)
def test_a_problem_has_a_line_and_words(source, line, said):
    found = problem(source)
    assert (found.line, said) == (line, said if said in found.words else found.words)
    assert found.remedy.endswith(".")
    assert len(str(found)) < 300


def test_a_sheet_of_the_largest_size_is_read():
    assert read_sheet(b"q: " + b"x" * (MAX_BYTES - 3)).answers["q"].text == "x" * (MAX_BYTES - 3)


# ---------------------------------------------------------------- what is made to hurt


def full(unit, head=""):
    return head + unit * ((MAX_BYTES - len(head.encode())) // len(unit.encode()))


HOSTILE = {
    "brackets": full("["),
    "braces": full("{"),
    "brackets and braces": full("[{", "q: "),
    "keys": "".join(f"k{number}: x\n" for number in range(6000)),
    "keys in braces": "q: {" + "".join(f"k{number}: x, " for number in range(4500)) + "}",
    "items": full("b,", "q: ["),
    "quoted items": full('"b",', "q: ["),
    "dashes": full("-\n"),
    "items below": full("- b\n", "q:\n"),
    "one word": full("x", "q: "),
    "words": full("x ", "q: "),
    "lines": full("  x\n", "q:\n"),
    "lines in quotes": full("  x\n", "q: '"),
    "open quotes": full("\n", 'q: "'),
    "escapes": full("\\n", 'q: "') + '"',
    "colons": full(": "),
    "question marks": full("? "),
    "steps": "".join(f"{' ' * depth}q:\n" for depth in range(350)),
    "block of steps": "q: >\n" + "".join(f"{' ' * depth}x\n" for depth in range(1, 350)),
    "documents": full("---\n"),
    "comments": full("#\n"),
    "aliases": full("*a ", "q: "),
    "laughs": "a: &a [x]\n" + full("b: [*a, *a]\n"),
    "tags": full("!a ", "q: "),
    "tabs": full("\t"),
    "nothing": full("\0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_sheet_takes_long(name):
    started = time.process_time()
    with contextlib.suppress(SheetProblem):
        read_sheet(HOSTILE[name].encode())
    assert time.process_time() - started < 1
