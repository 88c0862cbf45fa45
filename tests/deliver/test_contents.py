"""What a release consists of is a list: what lies about, and what students must not have, is never on it."""

import json
import re
import subprocess
import tomllib

import pytest

from graders.engine.deliver.release.contents import private_files, public_files
from graders.engine.errors import CourseError, UsageError
from graders.engine.load.course import Course
from graders.engine.load.rubric import load_rubric
from tests.deliver.small_upstream import FILES, PRIVATE, PUBLIC, SLUG, STUB, make_upstream

VISIBLE = f"graders/{SLUG}/visible.py"


@pytest.fixture
def root(tmp_path):
    return make_upstream(tmp_path)


def public(root):
    return public_files(Course(root), load_rubric(root / "grading.yaml"))


def private(root):
    return private_files(Course(root), load_rubric(root / "grading.yaml"))


def test_the_public_files(root):
    files = public(root)
    assert set(files) == PUBLIC
    assert list(files) == sorted(files)
    assert files["README.md"].decode() == FILES["graders/handout/README.md"]
    assert files[".gitignore"].decode() == FILES["graders/handout/gitignore"]
    assert files["grading.yaml"].decode().endswith("      shape: 1\n    hidden_points: 5\n")


def test_the_private_files(root):
    files = private(root)
    assert set(files) == PRIVATE
    assert files["grading.yaml"].decode() == FILES["grading.yaml"]


def test_a_stub_that_somebody_has_filled_in_stays_at_home(root):
    (root / f"exercises/{SLUG}.py").write_text("def double(x):\n    return 2 * x\n")
    assert public(root)[f"exercises/{SLUG}.py"].decode() == STUB
    assert private(root)[f"exercises/{SLUG}.py"].decode() == STUB


def test_the_record_of_stubs_has_to_be_there_and_whole(root):
    record = root / "graders/handed_out.json"
    record.write_text(json.dumps({"another.py": ""}))
    with pytest.raises(CourseError, match=rf"handed_out\.json has no {SLUG}.py; write it anew"):
        public(root)
    record.unlink()
    with pytest.raises(CourseError, match=r"handed_out\.json is missing"):
        public(root)


HANDED = {
    "README.md": "graders/handout/README.md",
    "Makefile": "graders/handout/Makefile",
    ".gitignore": "graders/handout/gitignore",
}
NEEDED = [path for path in sorted(PUBLIC) if not path.startswith("graders/engine/") and SLUG not in path]


@pytest.mark.parametrize("path", [*NEEDED, VISIBLE])
def test_a_file_that_is_missing_is_named(root, path):
    rubric = load_rubric(root / "grading.yaml")
    (root / HANDED.get(path, path)).unlink()
    with pytest.raises(CourseError, match=re.escape(HANDED.get(path, path))):
        public_files(Course(root), rubric)


def test_a_reference_that_is_missing_is_named(root):
    (root / f"reference/{SLUG}.py").unlink()
    with pytest.raises(CourseError, match=f"reference/{SLUG}.py"):
        private(root)


def test_the_notebook_is_one_of_them_if_the_rubric_names_one(root):
    rubric = root / "grading.yaml"
    rubric.write_text(rubric.read_text().replace("limits:", "notebook: book.ipynb\nlimits:"))
    (root / "exercises/book.ipynb").write_text("{}")
    (root / "exercises/other.ipynb").write_text("{}")
    assert set(public(root)) - PUBLIC == {"exercises/book.ipynb"}
    assert set(private(root)) == PRIVATE


def test_a_text_that_a_person_grades_is_one_of_them_and_our_own_version_is_private(root):
    rubric = root / "grading.yaml"
    item = "    person:\n      talk: {title: T, objective: implement, points: 1, file: talk.md, criteria: [c]}\n"
    rubric.write_text(rubric.read_text() + item)
    (root / "graders/handed_out.json").write_text(json.dumps({f"{SLUG}.py": STUB, "talk.md": "Say something.\n"}))
    (root / "reference/talk.md").write_text("What we would say.\n")
    assert public(root)["exercises/talk.md"] == b"Say something.\n"
    assert "reference/talk.md" not in public(root)
    assert set(private(root)) - PRIVATE == {"exercises/talk.md", "reference/talk.md"}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (f"import graders.{SLUG}.hidden\n", f"graders/{SLUG}/hidden.py is private, but visible checks import it"),
        (f"from graders.{SLUG} import hidden\n", f"graders/{SLUG}/hidden.py is private, but visible checks import it"),
        (f"from graders.{SLUG}.right import added\n", f"graders/{SLUG}/right/added.py is private"),
        (f"import reference.{SLUG}\n", f"{VISIBLE} imports reference.{SLUG}; visible checks have no reference"),
        ("def check_shape(student, reference):\n    pass\n", f"{VISIBLE} takes the fixture reference"),
        ("import importlib.util\n", f"{VISIBLE} uses importlib.util, which loads files that a release"),
        ("def check_shape():\n    from graders.engine.judge.course_files import import_file\n",
         f"{VISIBLE} uses graders.engine.judge.course_files, which loads files"),
    ],
)  # fmt: skip
def test_visible_checks_that_reach_private_files_are_refused(root, source, problem):
    (root / VISIBLE).write_text(source)
    with pytest.raises(CourseError, match=re.escape(problem)):
        public(root)


def test_a_released_course_is_not_released_again(root):
    (root / "grading.yaml").write_bytes(public(root)["grading.yaml"])
    for files in (public, private):
        with pytest.raises(UsageError, match="this is a released course: it counts its hidden checks"):
            files(root)


def test_a_released_course_is_known_by_its_record_too(root):
    """One of which no check is hidden has a rubric like any other."""
    (root / "graders/release.json").write_text("{}")
    with pytest.raises(UsageError, match="this is a released course"):
        public(root)


# ------------------------------------------------------------ strays and links


STRAYS = [
    "graders/engine/.venv/lib/module.py",
    "graders/engine/judge/.ipynb_checkpoints/draft.py",
    "graders/engine/judge/__pycache__/module.py",
    "graders/engine/judge/.hidden.py",
    "graders/engine/judge/.swap.ini",
    "graders/engine/judge/below/more.ini",
]


def add(root, *paths):
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")


def test_caches_and_what_has_a_dot_before_its_name_are_no_part_of_the_engine(root):
    add(root, *STRAYS)
    assert set(public(root)) == PUBLIC


def test_a_module_of_the_engine_is_one_of_them_however_deep_it_lies(root):
    add(root, "graders/engine/judge/below/deeper/module.py")
    assert set(public(root)) - PUBLIC == {"graders/engine/judge/below/deeper/module.py"}


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("graders/engine/notes.py", "reference"), ("graders/engine/more", "reference"), ("exercises/twice.svg", "file"),
        ("exercises/README.md", "file"), ("LICENSE", "file"), ("graders/handout", "graders/handed"),
        (VISIBLE, "file"), (f"graders/{SLUG}/sizes.py", "file"), (f"graders/{SLUG}", "graders/ex92"),
    ],
)  # fmt: skip
def test_nothing_is_released_through_a_link(root, path, target):
    (root / "file").write_text("")
    if (root / path).is_dir():
        (root / path).rename(root / target)
    (root / path).unlink(missing_ok=True)
    (root / path).symlink_to(root / target)
    with pytest.raises(CourseError, match=f"{re.escape(path)} is a link; expected a file of the course itself"):
        public(root)


def test_no_record_is_believed_through_a_link(root):
    (root / "graders/handed_out.json").rename(root / "record.json")
    (root / "graders/handed_out.json").symlink_to("../record.json")
    with pytest.raises(CourseError, match=r"graders/handed_out\.json is a link"):
        public(root)


def test_no_hidden_check_or_reference_is_sealed_through_a_link(root):
    for path in (f"graders/{SLUG}/rule.py", f"reference/{SLUG}.py"):
        (root / path).rename(root / "elsewhere")
        (root / path).symlink_to(root / "elsewhere")
        with pytest.raises(CourseError, match=f"{re.escape(path)} is a link"):
            private(root)
        (root / path).unlink()
        (root / "elsewhere").rename(root / path)


@pytest.fixture
def repository(root, monkeypatch):
    """The same, committed."""
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", root, *arguments], check=True, timeout=60)
    monkeypatch.setenv("GIT_DIR", str(root / "nowhere"))  # as for a hook of another repository
    return root


def test_in_a_repository_what_git_does_not_know_is_named_and_nothing_released(repository):
    assert set(public(repository)) == PUBLIC
    add(repository, "graders/engine/private_notes.py", "graders/engine/judge/more.ini", *STRAYS)
    with pytest.raises(CourseError) as refused:
        public(repository)
    names = "\n  graders/engine/judge/more.ini\n  graders/engine/private_notes.py"
    assert (
        str(refused.value)
        == f"git does not know these files in graders/engine; commit or move them, and repeat:{names}"
    )


def test_a_great_many_strays_are_not_all_named(repository):
    add(repository, *(f"graders/engine/stray{number}.py" for number in range(15)))
    with pytest.raises(CourseError, match=r"stray4\.py\n  and 5 more$"):
        public(repository)


def test_a_repository_that_git_refuses_is_told(repository):
    (repository / ".git/HEAD").write_text("damaged")
    with pytest.raises(CourseError, match="git can't list the files of graders/engine: fatal: not a git repository"):
        public(repository)


def test_without_git_the_folder_is_taken_as_it_is(repository, monkeypatch):
    add(repository, "graders/engine/more.py")
    monkeypatch.setenv("PATH", "")
    assert set(public(repository)) - PUBLIC == {"graders/engine/more.py"}


# ------------------------------------------------------------ stubs, their record, and the project


def test_the_record_that_is_released_has_the_stubs_of_the_rubric_and_nothing_else(root):
    (root / "graders/handed_out.json").write_text(json.dumps({"ex00_secret.py": "not yet", f"{SLUG}.py": STUB}))
    for files in (public(root), private(root)):
        assert json.loads(files["graders/handed_out.json"]) == {f"{SLUG}.py": STUB}


def test_a_recorded_stub_with_work_in_it_is_not_released(root):
    solved = STUB.replace('raise NotImplementedError("TODO 1: double x")', "return x + x")
    (root / "graders/handed_out.json").write_text(json.dumps({f"{SLUG}.py": solved}))
    for files in (public, private):
        with pytest.raises(
            CourseError, match=rf"exercises/{SLUG}.py is no stub: no NotImplementedError is left in it\nPut"
        ):
            files(root)


PROJECT = """\
# of the build
[build-system]
requires = ["setuptools"]

[project]
name = "course"
dependencies = [
    "torch",  # [the largest]
]

# for some
[project.optional-dependencies]
test = [
    "check",
]
# to seal
staff = ["pyrage"]
# to find
fuzz = ["fuzz"]

[project.scripts]
grade = "graders:main"

[tool.setuptools.package-data]
"graders.engine.judge" = ["*.ini"]

# secret habits
[tool.ruff]
line-length = 120

[[tool.mypy.overrides]]
module = ["tests.*"]
"""


def test_the_project_says_what_installing_needs_and_nothing_of_tests(root):
    (root / "pyproject.toml").write_text(PROJECT)
    text = public(root)["pyproject.toml"].decode()
    assert text == (
        PROJECT.partition("\n# secret")[0]
        .replace('test = [\n    "check",\n]\n# to seal\n', "")
        .replace('# to find\nfuzz = ["fuzz"]\n', "")
    )
    assert tomllib.loads(text)["project"]["optional-dependencies"] == {"staff": ["pyrage"]}


def test_a_project_without_the_extra_loses_the_section(root):
    (root / "pyproject.toml").write_text(PROJECT.replace("staff =", "more ="))
    assert "optional" not in public(root)["pyproject.toml"].decode()


@pytest.mark.parametrize(
    ("old", "new"),
    [("[tool.ruff]", " [tool.ruff]"), ("[project.scripts]", ' ["project" . scripts]'), ("staff =", " staff =")],
)
def test_a_project_that_cannot_be_cut_is_refused(root, old, new):
    (root / "pyproject.toml").write_text(PROJECT.replace(old, new))
    with pytest.raises(CourseError, match=r"what students need of pyproject\.toml can't be taken out of its text"):
        public(root)
