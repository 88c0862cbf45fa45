"""The files that checks are made of are found by what they import, however that is written."""

import pytest

from graders.engine.errors import CourseError
from graders.engine.load.course import Course
from graders.engine.load.reach import reach, secrets_in

HERE = "graders/ex01_a"


@pytest.fixture
def reached(tmp_path):
    """``reached(visible, *others)``: the names of what a visible.py reaches in a folder with these modules."""

    def reached(visible, **others):
        folder = tmp_path / HERE
        folder.mkdir(parents=True)
        for name, source in {"visible": visible, "one": "", "two": "", **others}.items():
            (folder / f"{name}.py").write_text(source)
        (tmp_path / "graders/engine").mkdir()
        (tmp_path / "graders/engine/errors.py").write_text("")
        found = reach(Course(tmp_path), [folder / "visible.py"])
        return [path.removeprefix(f"{HERE}/").removesuffix(".py") for path in found]

    return reached


@pytest.mark.parametrize(
    "source",
    [
        "from graders.ex01_a.one import X", "from graders.ex01_a import one", "import graders.ex01_a.one as o",
        "from .one import X", "from . import one", "def check():\n    import graders.ex01_a.one",
        "if False:\n    from graders.ex01_a.one import *", "import os, graders.ex01_a.one",
    ],
)  # fmt: skip
def test_however_it_is_imported(reached, source):
    assert reached(source) == ["one", "visible"]


@pytest.mark.parametrize(
    "source",
    [
        "", "import os", "import graders", "from graders import engine", "import graders.ex01_a", "import one",
        "from graders.engine.errors import CourseError", "from graders.ex01_a.absent import X",
        "a = 'graders.ex01_a.one'",
    ],
)  # fmt: skip
def test_what_is_no_file_of_the_checks(reached, source):
    assert reached(source) == ["visible"]


def test_over_several_steps_and_in_a_circle(reached):
    assert reached("from . import one", one="from . import two", two="from . import visible") == [
        "one",
        "two",
        "visible",
    ]


def test_what_cannot_be_read(reached, tmp_path):
    with pytest.raises(CourseError, match=r"graders/ex01_a/one.py cannot be read by Python"):
        reached("from . import one", one="def (")
    with pytest.raises(CourseError, match=r"visible.py cannot be read"):
        reach(Course(tmp_path), [tmp_path / "visible.py"])


def test_public_files_have_no_secrets():
    assert (
        secrets_in({f"{HERE}/visible.py": b"import torch\nfrom graders.ex01_a import one\n", f"{HERE}/one.py": b""})
        == []
    )


def test_each_problem_is_told_once():
    files = {f"{HERE}/visible.py": b"import runpy, runpy\nimport reference\n", f"{HERE}/hidden.py": b"import runpy\n"}
    assert secrets_in(files) == [
        f"{HERE}/visible.py uses runpy, which loads files that a release does not know of",
        f"{HERE}/visible.py imports reference; visible checks have no reference",
        f"{HERE}/hidden.py is private, but visible checks import it",
    ]
