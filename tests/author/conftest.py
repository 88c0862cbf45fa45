"""A small course of one exercise, green to begin with, for tests that break one thing in it."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from graders.engine.author.lint import LintResult, lint_exercise
from graders.engine.load.course import find_course
from graders.engine.load.rubric import load_rubric
from graders.engine.run.supply import WorkerSupply

SLUG = "ex91_doubling"
FILES = {
    "grading.yaml": """\
version: 1
limits: {seconds: 5, memory_mib: 512}
objectives:
  implement: Implement things
exercises:
  ex91_doubling:
    title: Doubling
    visible:
      shape: 1
    hidden:
      values: 2
""",
    "exercises/ex91_doubling.py": '''\
"""Double what comes in."""

import torch
from torch import nn


class Doubling(nn.Module):
    """Everything comes out twice as large."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Every value, doubled."""
        # TODO 1 (about 1 line): double every value.
        raise NotImplementedError("TODO 1: double every value")
''',
    "reference/ex91_doubling.py": '''\
"""Doubling, as we would write it."""

import torch
from torch import nn


class Doubling(nn.Module):
    """Everything comes out twice as large."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Every value, doubled."""
        return 2 * x
''',
    "graders/ex91_doubling/visible.py": '''\
"""What students see: the shape."""

from graders.engine.judge.vocabulary import expect_tensor, objective


@objective("implement")
def check_shape(student, rng):
    """the result has the shape of the input"""
    got = student.Doubling()(rng.normal(3, 5))
    expect_tensor(got, (3, 5), "the result")
''',
    "graders/ex91_doubling/hidden.py": '''\
"""What students do not see: the values."""

from graders.engine.judge.vocabulary import expect_close, needs, objective


@needs("shape")
@objective("implement")
def check_values(student, reference, rng):
    """every value is doubled"""
    x = rng.normal(3, 5)
    expect_close(student.Doubling()(x), reference.Doubling()(x), "the result", tolerance=1e-6)
''',
    "graders/ex91_doubling/wrong.yaml": """\
flat:
  says: Keep the shape of the input.
  fails: [shape]
  edits:
    - replace: return 2 * x
      by: return (2 * x).flatten()

tripled:
  says: Multiply by two, and not by three.
  fails: [values]
  edits:
    - replace: 2 * x
      by: 3 * x
""",
    "graders/ex91_doubling/right/added.py": '''\
"""Adding is doubling too."""

from torch import nn


class Doubling(nn.Module):
    def forward(self, x):
        return x + x
''',
}


@dataclass(frozen=True)
class SmallCourse:
    """The course's folder, and the two things that tests do with it."""

    root: Path
    supply: WorkerSupply

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace in one of the files what stands there exactly once."""
        text = (self.root / path).read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
        (self.root / path).write_text(text.replace(old, new))

    def lint(self, slug: str = SLUG) -> LintResult:
        course = find_course(self.root)
        return lint_exercise(course, load_rubric(course.rubric), slug, self.supply, seed=0)


@pytest.fixture
def small(tmp_path, supply, monkeypatch):
    """The small course. pytest keeps imported files of checks by name, so they are forgotten before and after."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    yield SmallCourse(tmp_path, supply)
    for name in set(sys.modules) - before:
        if name.startswith("graders.ex"):
            del sys.modules[name]
