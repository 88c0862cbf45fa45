"""What tests of a release share."""

from pathlib import Path

import pytest

from tests.command_line import CommandLine
from tests.deliver.small_upstream import Release


@pytest.fixture
def small(tmp_path: Path, command_line: CommandLine) -> Release:
    """A small staff repository, nothing released yet."""
    return Release(tmp_path, command_line)
