"""The public rubric says everything but the names of hidden checks, in the words of its author."""

import pytest
import yaml

from graders.engine.deliver.release.public_rubric import public_rubric
from graders.engine.errors import CourseError

HEAD = "version: 1\nobjectives:\n  implement: Implement\nexercises:\n  ex01_a:\n    title: A\n"


@pytest.mark.parametrize(
    ("block", "public"),
    [
        ("    visible:\n      a: 1\n    hidden:\n      b: 2\n      c: 3\n",
         "    visible:\n      a: 1\n    hidden_points: 5\n"),
        ("    hidden:\n      b: 2\n\n  ex02_b: # next\n    visible: {a: 1}\n    hidden: {c: 1}\n",
         "    hidden_points: 2\n\n  ex02_b: # next\n    visible: {a: 1}\n    hidden_points: 1\n"),
        ("    # of the exercise\n\n    # of these\n    # too\n    hidden: # these\n      # first\n      b: 2 # two\n"
         "    # between\n      c: 3\n      # last\n    # after\n",
         "    # of the exercise\n\n    hidden_points: 5\n    # after\n"),
        ("    visible: # of these\n      a: 1 # one\n      # last\n    hidden:\n      b: 2\n",
         "    visible: # of these\n      a: 1 # one\n      # last\n    hidden_points: 2\n"),
        ("    # of these\r\n    hidden:\r\n      b: 2\r\n", "    hidden_points: 2\r\n"),
        ("    hidden: {b: 2, c: 3} # these\n      # more\n    visible: {a: 1}\n",
         "    hidden_points: 5\n    visible: {a: 1}\n"),
        ("    hidden: {\n      b: 2, # two\n      c: 3,\n    }\n    visible: {a: 1}\n",
         "    hidden_points: 5\n    visible: {a: 1}\n"),
        ('    hidden:\n      "b": 0x10\n    visible: {a: 1}', "    hidden_points: 16\n    visible: {a: 1}"),
        ("    hidden:\n      b: 2", "    hidden_points: 2"),
        ("    visible: {hidden: 1}\n    hidden:\n      b: 2\n", "    visible: {hidden: 1}\n    hidden_points: 2\n"),
        ("    hidden: {}\n    visible: {a: 1}\n", "    hidden: {}\n    visible: {a: 1}\n"),
        ("    visible: {a: 1}\n", "    visible: {a: 1}\n"),
        ("    hidden:\r\n      b: 2\r\n    visible: {a: 1}\r\n", "    hidden_points: 2\r\n    visible: {a: 1}\r\n"),
        ("    ünïcode: Ä — 💡\n    hidden:\n      b: 2\n", "    ünïcode: Ä — 💡\n    hidden_points: 2\n"),
    ],
)  # fmt: skip
def test_lists_become_sums(block, public):
    assert public_rubric(HEAD + block) == HEAD + public


def test_an_exercise_within_braces():
    text = "objectives: {}\nexercises: {ex01_a: {visible: {a: 1}, hidden: {b: 2, c: 1}, bonus: true}} # all\n"
    assert public_rubric(text) == text.replace("hidden: {b: 2, c: 1}", "hidden_points: 3")


def test_what_being_late_costs_is_public():
    late = "late: {deadline: 2026-12-18T23:59:00+01:00, percent_per_day: 10} # for all\n"
    assert public_rubric(HEAD + "    hidden: {b: 2}\n" + late) == HEAD + "    hidden_points: 2\n" + late


def test_what_cannot_be_cut_out_is_refused():
    with pytest.raises(CourseError, match="can't be taken out of its text"):
        public_rubric(HEAD + "    ? hidden\n    : b: 2\n    visible: {a: 1}\n")


def test_a_comment_that_names_a_hidden_check_is_refused_with_its_line():
    text = HEAD + "    # long_input is not for students\n\n    hidden:\n      long_input: 1\n"
    with pytest.raises(CourseError, match=r"name the hidden check long_input in its line 7: # long_input is not"):
        public_rubric(text)


def test_a_name_that_is_visible_elsewhere_may_be_named():
    text = HEAD + "    hidden:\n      long_input: 1\n  ex02_b:\n    visible:\n      long_input: 1\n"
    assert "long_input" in yaml.safe_load(public_rubric(text))["exercises"]["ex02_b"]["visible"]
