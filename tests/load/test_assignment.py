"""What students are to hand in, read from a course's rubric and stubs."""

import pytest

from graders.engine.errors import CourseError
from graders.engine.load.assignment import Assignment, Text, assignments
from graders.engine.load.course import Course
from graders.engine.load.handed_out import as_record, stubs_now
from graders.engine.load.rubric import load_rubric

GRADING = """\
version: 1
limits: {seconds: 1, memory_mib: 64}
objectives: {think: Think}
exercises:
  ex91_code:
    title: Code
    visible: {shape: 1}
  ex92_words:
    title: Words
    kind: answers
    visible: {form: 1}
    person:
      essay:
        title: An essay
        objective: think
        points: 2
        file: ex92_essay.md
        criteria: [it is good]
"""


@pytest.fixture
def course(tmp_path):
    (tmp_path / "exercises").mkdir()
    (tmp_path / "grading.yaml").write_text(GRADING)
    return Course(tmp_path)


def read(course):
    return assignments(course, load_rubric(course.rubric), ["ex91_code", "ex92_words"])


def test_files_stubs_and_names(course):
    code = "import torch\n\nclass Thing: ...\n\ndef make(): ...\n\ndef _helper(): ...\n\nLIMIT = 3\n"
    for name, text in {"ex91_code.py": code, "ex92_words.yaml": "why:\n", "ex92_essay.md": "# Essay\n"}.items():
        (course.exercises / name).write_text(text)
    assert read(course) == (
        Assignment("ex91_code", "ex91_code.py", code, ("Thing", "make")),
        Assignment("ex92_words", "ex92_words.yaml", "why:\n", (), (Text("essay", "ex92_essay.md", "# Essay\n"),)),
    )


def test_a_course_without_stubs_knows_its_files_all_the_same(course):
    assert [(found.file, found.stub, found.names) for found in read(course)] == [
        ("ex91_code.py", "", ()),
        ("ex92_words.yaml", "", ()),
    ]


@pytest.mark.parametrize("stub", [b"def (", b"\x00"])
def test_what_lies_there_instead_of_a_stub_may_be_a_students_work(course, stub):
    (course.exercises / "ex91_code.py").write_bytes(stub)
    assert (read(course)[0].stub, read(course)[0].names) == (stub.decode(), ())


def test_a_record_says_what_was_handed_out_whatever_lies_there_now(course):
    (course.exercises / "ex91_code.py").write_text("class Thing: ...\n")
    (course.exercises / "ex92_essay.md").write_text("# Essay\n")
    course.handed_out.parent.mkdir()
    course.handed_out.write_text(as_record(stubs_now(course, load_rubric(course.rubric).exercises.values())))
    (course.exercises / "ex91_code.py").write_text("class Thing: done = True\nclass Other: ...\n")
    (course.exercises / "ex92_essay.md").write_bytes(b"\xff written")
    code, words = read(course)
    assert (code.stub, code.names) == ("class Thing: ...\n", ("Thing",))
    assert (words.stub, words.texts[0].stub) == ("", "# Essay\n")


@pytest.mark.parametrize("record", ["", "{", "[]", '{"ex91_code.py": 3}', "[" * 100_000])
def test_a_record_that_is_broken_is_the_courses_fault(course, record):
    course.handed_out.parent.mkdir()
    course.handed_out.write_text(record)
    with pytest.raises(CourseError, match=r"handed_out\.json .*write it anew with `grade notebook`"):
        read(course)
