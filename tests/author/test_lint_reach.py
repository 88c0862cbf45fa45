"""Lint says so where visible checks can't do without what students never get."""

from tests.author.conftest import SmallCourse

VISIBLE = "graders/ex91_doubling/visible.py"


def test_visible_checks_that_import_hidden_ones(small: SmallCourse) -> None:
    small.edit(VISIBLE, "from graders", "import graders.ex91_doubling.hidden  # noqa: F401\nfrom graders")
    assert small.lint().problems == ("graders/ex91_doubling/hidden.py is private, but visible checks import it",)


def test_visible_checks_that_use_the_reference(small: SmallCourse) -> None:
    small.edit(VISIBLE, "def check_shape(student, rng)", "def check_shape(student, rng, reference)")
    assert small.lint().problems == (f"{VISIBLE} takes the fixture reference, which only hidden checks have",)
