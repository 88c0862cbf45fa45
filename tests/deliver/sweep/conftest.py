"""What tests of a sweep share: a course with forks on this machine, and the command in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github.world import World, a_world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A course without forks; the working folder is another one, and empty."""
    (tmp_path / "served").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with a_world(tmp_path / "served") as world:
        yield world
    assert world.github.violations == []
