"""What the author of a check may say, in one place: a file of checks imports all it needs from here."""

from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import (
    Unexpected,
    expect,
    expect_close,
    expect_equal,
    expect_refusal,
    expect_tensor,
)
from graders.engine.judge.marks import needs, objective
from graders.engine.judge.module import Module
from graders.engine.judge.placement import (
    expect_all_learn,
    expect_parameter_count,
    expect_placement,
    expect_registered,
)
from graders.engine.judge.properties import (
    expect_arguments_untouched,
    expect_calls_leave_nothing,
    expect_length_limit,
    expect_nothing_shared,
    expect_randomness_untouched,
    expect_same_answer_twice,
)
from graders.engine.judge.rows import expect_rows
from graders.engine.judge.student import Given, Student
from graders.engine.judge.training import expect_dropout, expect_gradient
from graders.engine.judge.words import dtype_name
from graders.engine.judge.written.answers import (
    TEXT,
    TRUE_FALSE,
    Answers,
    Kind,
    expect_answered,
    expect_choice,
    expect_idea,
    expect_true_false,
)
from graders.engine.judge.written.ideas import Idea
from graders.engine.run.raised import Raised
from graders.engine.run.values import Generator, RemoteTensor

__all__ = [
    "TEXT",
    "TRUE_FALSE",
    "Answers",
    "Draw",
    "Generator",
    "Given",
    "Idea",
    "Kind",
    "Module",
    "Raised",
    "RemoteTensor",
    "Student",
    "Unexpected",
    "dtype_name",
    "expect",
    "expect_all_learn",
    "expect_answered",
    "expect_arguments_untouched",
    "expect_calls_leave_nothing",
    "expect_choice",
    "expect_close",
    "expect_dropout",
    "expect_equal",
    "expect_gradient",
    "expect_idea",
    "expect_length_limit",
    "expect_nothing_shared",
    "expect_parameter_count",
    "expect_placement",
    "expect_randomness_untouched",
    "expect_refusal",
    "expect_registered",
    "expect_rows",
    "expect_same_answer_twice",
    "expect_tensor",
    "expect_true_false",
    "needs",
    "objective",
]
