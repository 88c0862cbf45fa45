"""A stub that somebody has worked in is told from one that nobody has, and from what the course gives away."""

import json

import pytest

from graders.engine.errors import CourseError
from graders.engine.load.course import Course
from graders.engine.load.rubric import load_rubric
from graders.engine.load.stubs import require_stubs
from tests.command_line import ROOT

CODE, SHEET, TEXT = "ex91_a.py", "ex92_b.yaml", "talk.md"
STUB = '''\
"""Double, and halve."""


class Doubling:
    """Twice."""

    def __init__(self):
        # TODO 1 (about 1 line): make the factor.
        raise NotImplementedError("TODO 1: make the factor")

    def forward(self, x):
        """Twice x."""
        # TODO 2 (about 1 line): double it.
        raise NotImplementedError("TODO 2: double it")


def half(x):
    """Given."""
    return x / 2


async def last(x):
    # TODO 3 (about 1 line): wait.
    raise NotImplementedError("TODO 3: wait")
'''
REFERENCE = '''\
"""As we would write it."""


class Doubling:
    def __init__(self):
        self.factor = 2

    def forward(self, x):
        """In other words."""
        return self.factor * x


def half(x):
    return x / 2  # in the same ones


async def last(x):
    return x
'''
SHEET_STUB, SHEET_REFERENCE = "why:\n  question: Why?\n  answer:\n", "why:\n  question: Why?\n  answer: so\n"
TEXT_STUB, TEXT_REFERENCE = "# Talk\n\nSay something.\n", "# Talk\n\nSomething.\n"
STUBS = {CODE: STUB, SHEET: SHEET_STUB, TEXT: TEXT_STUB}
TODOS = {
    1: ('raise NotImplementedError("TODO 1: make the factor")', "self.factor = 2"),
    2: ('raise NotImplementedError("TODO 2: double it")', "return self.factor * x"),
    3: ('raise NotImplementedError("TODO 3: wait")', "return x"),
}


@pytest.fixture
def course(tmp_path):
    text = """\
version: 1
limits: {seconds: 5, memory_mib: 512}
objectives: {implement: Implement}
exercises:
  ex91_a: {title: A, visible: {a: 1}}
  ex92_b:
    title: B
    kind: answers
    visible: {a: 1}
    person:
      talk: {title: T, objective: implement, points: 1, file: talk.md, criteria: [c]}
"""
    (tmp_path / "grading.yaml").write_text(text)
    (tmp_path / "reference").mkdir()
    for name, ours in {CODE: REFERENCE, SHEET: SHEET_REFERENCE, TEXT: TEXT_REFERENCE}.items():
        (tmp_path / "reference" / name).write_text(ours)
    return Course(tmp_path)


def require(course, stubs, former=None):
    require_stubs(course, load_rubric(course.rubric), stubs, former or {})


def solved(*numbers, comments=True):
    """The stub with these TODOs done."""
    text = STUB
    for number in numbers:
        blank, work = TODOS[number]
        assert blank in text
        text = text.replace(blank, work)
        if not comments:
            text = "\n".join(line for line in text.split("\n") if f"# TODO {number}" not in line)
    return text


def test_stubs_pass_whatever_is_known_of_others(course):
    require(course, STUBS)
    require(course, STUBS, former=STUBS)
    require(course, {CODE: STUB}, former={"other.py": "x"})
    for path in course.references.iterdir():
        path.unlink()
    require(course, STUBS, former=STUBS)


def test_the_stubs_of_this_course_pass():
    course = Course(ROOT)
    stubs = json.loads(course.handed_out.read_text(encoding="utf-8"))
    require(course, stubs, former=stubs)


@pytest.mark.parametrize("comments", [True, False])
@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([1, 2, 3], "no NotImplementedError is left in it"), ([1], "TODO 1 has no NotImplementedError"),
        ([2], "TODO 2 has no NotImplementedError"), ([1, 2], "TODO 1 has no NotImplementedError"),
    ],
)  # fmt: skip
def test_a_stub_with_a_todo_that_is_done_is_none(course, numbers, words, comments):
    with pytest.raises(CourseError, match=f"exercises/{CODE} is no stub: {words}\nPut back what students are to begin"):
        require(course, {CODE: solved(*numbers, comments=comments)})


def test_the_last_todo_done_is_seen_by_its_comment_by_the_reference_or_by_the_former_stub(course):
    with pytest.raises(CourseError, match="TODO 3 has no NotImplementedError"):
        require(course, {CODE: solved(3)})
    as_ours = solved(3, comments=False)
    require(course, {CODE: as_ours})  # as far as anybody can tell, it is given
    with pytest.raises(
        CourseError, match=r"last has no TODO any more, against what graders/handed_out\.json has; if that"
    ):
        require(course, {CODE: as_ours}, former=STUBS)
    with pytest.raises(CourseError, match="last has no TODO, and is not what the reference has"):
        require(course, {CODE: as_ours.replace("return x\n", "return x + 0\n")})


def test_what_is_given_is_given_as_the_reference_has_it(course):
    with pytest.raises(CourseError, match="half has no TODO, and is not what the reference has"):
        require(course, {CODE: STUB.replace("x / 2", "0.5 * x")})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (CODE, REFERENCE, "it is the reference"), (CODE, STUB + "  (", "Python can't read it"),
        (SHEET, "why:\n  question: Why?\n  answer: because\n", "it answers why"),
        (SHEET, SHEET_REFERENCE, "it is the reference"), (SHEET, "why: [", "it can't be read as a sheet"),
        (TEXT, TEXT_REFERENCE + "\n", "it is the reference"),
        (TEXT, TEXT_STUB + "Well.\n", "something was written below what graders/handed_out.json has; if that is meant"),
    ],
)  # fmt: skip
def test_other_work_is_told(course, name, text, words):
    with pytest.raises(CourseError) as refused:
        require(course, {name: text}, former=STUBS)
    assert str(refused.value).startswith(f"exercises/{name} is no stub: {words}")


def test_a_text_that_was_rewritten_is_one_still(course):
    require(course, {TEXT: "# Talk\n\nSay what you think.\n"}, former=STUBS)


def test_all_are_named_at_once(course):
    with pytest.raises(CourseError, match=rf"(?s)^exercises/{CODE} is no.*\nexercises/{SHEET} is no.*\nPut back"):
        require(course, {CODE: REFERENCE, SHEET: SHEET_REFERENCE, TEXT: TEXT_STUB})
