"""The notebook: lesson and exercises as cells, the same bytes every time, and up to date in the repository."""

import ast
import json
import re
import sys
from pathlib import Path

import nbformat
import pytest

from graders.engine.author.notebook import SETUP, build_notebook
from graders.engine.errors import CourseError
from graders.engine.load.course import Course, find_course
from graders.engine.load.handed_out import as_record, stubs_now
from graders.engine.load.rubric import load_rubric

ROOT = Path(__file__).parents[2]
COURSE = find_course(ROOT)
RUBRIC = load_rubric(COURSE.rubric)
CHECK = re.compile(r'check\("(ex\d\d)"\)')

FILES = {
    "grading.yaml": """\
version: 1
limits: {seconds: 5, memory_mib: 512}
objectives: {implement: Implement things}
exercises:
  ex91_doubling: {title: Doubling, visible: {shape: 1}}
  ex92_words:
    title: Words
    kind: answers
    visible: {form: 1}
    person:
      long_text: {title: A text, objective: implement, points: 1, file: ex92_long_text.md, criteria: [It is long]}
""",
    "exercises/README.md": """\
# Twice

First [doubling](ex91_doubling.py), then [words](ex92_words.yaml).

## Why double?

```python
x = 2
print(x + x)  # -> 4
```

![Twice as high.](twice.svg)

Now [exercise 91](ex91_doubling.py); see also [the rubric](../grading.yaml).

```bash
make grade
```

```python
y = 3
```

## What is left

[Words](ex92_words.yaml) and [more of them](ex92_long_text.md).
""",
    "exercises/ex91_doubling.py": '''\
"""Exercise 91: double what comes in.

Pinned: ``double``.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex91_doubling"``.
"""

import math


def double(x: float) -> float:
    """The number, doubled."""
    # TODO 1 (about 1 line): double it.
    raise NotImplementedError("TODO 1: double it")
''',
    "exercises/ex92_words.yaml": "# Answer here.\nwhy:\n  answer: \n",
    "exercises/ex92_long_text.md": "# A long text\n",
}


@pytest.fixture
def course(tmp_path) -> Course:
    root = tmp_path / "course"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return Course(root)


def build(course):
    return build_notebook(course, load_rubric(course.rubric))


def cells_of(text):
    return {cell["id"]: cell for cell in json.loads(text)["cells"]}


def source(cell):
    return "".join(cell["source"])


# ------------------------------------------------------------ a small course


def test_the_cells_in_their_order(course):
    assert list(cells_of(build(course))) == [
        "lesson-twice",
        "setup",
        "lesson-why-double",
        "lesson-why-double-code",
        "lesson-why-double-2",
        "lesson-why-double-figure",
        "lesson-why-double-3",
        "lesson-why-double-code-2",
        "ex91-head",
        "ex91-code",
        "ex91-check",
        "lesson-what-is-left",
        "ex92-head",
        "ex92-words",
        "ex92-long-text",
        "ex92-check",
    ]


def test_the_lesson_is_words_and_code(course):
    cells = cells_of(build(course))
    assert source(cells["lesson-why-double"]) == "## Why double?"
    assert source(cells["lesson-why-double-code"]) == "x = 2\nprint(x + x)  # -> 4"
    assert source(cells["lesson-why-double-3"]).endswith("```bash\nmake grade\n```")
    assert {cell["cell_type"] for name, cell in cells.items() if name.endswith("-code")} == {"code"}


def test_a_figure_is_said_in_words_and_shown_by_code(course):
    cells = cells_of(build(course))
    assert source(cells["lesson-why-double-2"]) == "*Twice as high.*"
    assert source(cells["lesson-why-double-figure"]).endswith('SVG(filename="twice.svg")')


def test_links_to_exercises_lead_to_their_cells(course):
    cells = cells_of(build(course))
    assert source(cells["lesson-twice"]).endswith("First [doubling](#ex91_doubling), then [words](#ex92_words).")
    assert "[more of them](#ex92_words)" in source(cells["lesson-what-is-left"])
    assert "[the rubric](../grading.yaml)" in source(cells["lesson-why-double-3"]), "other links stay as they are"
    # A heading of one word without punctuation has the same anchor wherever a notebook is shown.
    assert source(cells["ex91-head"]).startswith(
        "### ex91_doubling\n\n**Exercise 91: double what comes in.**\n\nPinned"
    )


def test_a_stub_becomes_words_and_a_tagged_cell(course):
    cells = cells_of(build(course))
    assert "make grade" not in source(cells["ex91-head"])
    code = source(cells["ex91-code"])
    assert code.startswith("import math\n\n\ndef double(")
    assert code.endswith('raise NotImplementedError("TODO 1: double it")')
    assert cells["ex91-code"]["metadata"] == {"tags": ["ex91_doubling"]}
    assert source(cells["ex91-check"]) == 'check("ex91")'
    assert cells["ex91-check"]["metadata"] == {}


def test_what_a_stub_does_as_a_file_becomes_a_cell_of_its_own(course):
    runs = 'if __name__ == "__main__":\n    print(double(2))'
    with (course.exercises / "ex91_doubling.py").open("a") as stub:
        stub.write(f"\n\n{runs}\n")
    cells = cells_of(build(course))
    assert source(cells["ex91-code"]).endswith('raise NotImplementedError("TODO 1: double it")')
    assert source(cells["ex91-run"]).partition("\n")[2] == runs
    assert cells["ex91-run"]["metadata"] == {}
    assert list(cells).index("ex91-run") == list(cells).index("ex91-check") - 1


def test_a_sheet_becomes_cells_that_write_it(course):
    cells = cells_of(build(course))
    assert source(cells["ex92-words"]) == "%%writefile ex92_words.yaml\n# Answer here.\nwhy:\n  answer: "
    assert source(cells["ex92-long-text"]) == "%%writefile ex92_long_text.md\n# A long text"
    assert cells["ex92-words"]["metadata"] == cells["ex92-long-text"]["metadata"] == {"tags": ["ex92_words"]}


def test_the_same_course_gives_the_same_bytes(course):
    text = build(course)
    assert text == build(course)
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    assert str(course.root) not in text


def test_two_sections_of_one_name_are_told_apart(course):
    lesson = course.exercises / "README.md"
    lesson.write_text(FILES["exercises/README.md"].replace("What is left", "Why double? 2") + "\n## Why double?\n")
    names = list(cells_of(build(course)))
    assert len(set(names)) == len(names)
    assert names[-1] == "lesson-why-double-4"


def test_a_heading_in_any_letters_makes_an_id_that_is_allowed(course):
    lesson = course.exercises / "README.md"
    lesson.write_text(FILES["exercises/README.md"].replace("Why double?", "Größe & 位置, " + "very " * 20 + "long"))
    text = build(course)
    nbformat.validate(json.loads(text))
    names = list(cells_of(text))
    assert len(set(names)) == len(names)
    assert all(len(name) <= 64 for name in names)
    assert [name for name in names if name.startswith("lesson-gre-")], "by its first letters"


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("exercises/README.md", None, r"README\.md cannot be read .*expected the lesson there"),
        ("exercises/README.md", "No heading\n", r"README\.md:1: expected a heading"),
        (
            "exercises/README.md",
            "# T\n[w](ex92_words.yaml)\n",
            r"README\.md links to ex91_doubling\.py nowhere; link to",
        ),
        ("exercises/ex91_doubling.py", None, r"ex91_doubling\.py cannot be read .*the notebook needs it"),
        ("exercises/ex91_doubling.py", "x = 1\n", r"ex91_doubling\.py:1: expected a docstring"),
        ("exercises/ex92_long_text.md", None, r"ex92_long_text\.md cannot be read"),
    ],
)
def test_what_is_missing_is_named(path, text, says, course):
    (course.root / path).unlink()
    if text is not None:
        (course.root / path).write_text(text)
    with pytest.raises(CourseError, match=says):
        build(course)


# ------------------------------------------------------------ the set-up cell


def run_setup(monkeypatch, capsys, folder):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.path", [])
    monkeypatch.setattr("os.chdir", lambda path: None)
    namespace = {}
    exec(SETUP.read_text(encoding="utf-8"), namespace)
    return namespace, capsys.readouterr().out


@pytest.mark.parametrize("start", [".", "exercises", "exercises/deeper", ".."])
def test_setup_finds_the_course_around_it_or_just_below(start, course, monkeypatch, capsys):
    (course.exercises / "deeper").mkdir()
    namespace, out = run_setup(monkeypatch, capsys, course.root / start)
    assert namespace["course"] == course.root
    assert "check" in namespace, "the graders are those of this repository, which is imported already"
    assert out.startswith("Ready")


def test_setup_says_what_to_do_in_colab(tmp_path, monkeypatch, capsys):
    namespace, out = run_setup(monkeypatch, capsys, tmp_path)
    assert "check" not in namespace
    assert "!git clone" in out
    assert "%pip install" in out


def test_setup_says_what_is_not_installed(course, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "graders.engine.kernel", None)
    namespace, out = run_setup(monkeypatch, capsys, course.root)
    assert "check" not in namespace
    assert out.startswith("This notebook's Python has no graders.engine.kernel.")
    assert f'--editable "{course.root}"' in out


# ------------------------------------------------------------ the notebook of the repository


@pytest.fixture(scope="module")
def real():
    return build_notebook(COURSE, RUBRIC)


def test_the_real_one_is_valid(real):
    notebook = json.loads(real)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    nbformat.validate(notebook)
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)
    for cell in notebook["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)


def test_the_real_one_has_every_exercise(real):
    cells = list(cells_of(real).values())
    tagged = [tag for cell in cells for tag in cell["metadata"].get("tags", [])]
    assert list(dict.fromkeys(tagged)) == list(RUBRIC.exercises)
    checks = [CHECK.fullmatch(source(cell))[1] for cell in cells if source(cell).startswith("check(")]
    assert [[slug for slug in RUBRIC.exercises if slug.startswith(short)] for short in checks] == [
        [slug] for slug in RUBRIC.exercises
    ]


def test_the_code_of_the_real_one_compiles(real):
    for name, cell in cells_of(real).items():
        if cell["cell_type"] == "code" and not source(cell).startswith("%%"):
            assert ast.parse(source(cell)).body, name


def test_a_cell_says_what_the_stub_says(real):
    cells = cells_of(real)
    for slug, exercise in RUBRIC.exercises.items():
        first = next(cell for cell in cells.values() if slug in cell["metadata"].get("tags", []))
        stub = (COURSE.exercises / exercise.file).read_text(encoding="utf-8")
        if exercise.kind == "code":
            runs = cells.get(f"{slug.partition('_')[0]}-run", {"source": ""})
            body = ast.parse(stub).body[1:]
            assert ast.dump(ast.parse(f"{source(first)}\n{source(runs)}")) == ast.dump(ast.Module(body, []))
        else:
            assert source(first) == f"%%writefile {exercise.file}\n{stub.rstrip()}"


def test_the_record_of_the_stubs_is_up_to_date():
    now = as_record(stubs_now(COURSE, RUBRIC.exercises.values()))
    assert COURSE.handed_out.read_text(encoding="utf-8") == now, "a stub has changed; write it anew: grade notebook"


def test_the_real_one_is_up_to_date(real):
    path = COURSE.exercises / RUBRIC.notebook
    assert path.is_file(), "write it with: grade notebook"
    assert path.read_text(encoding="utf-8") == real, "the lesson or a stub has changed; write it anew: grade notebook"
