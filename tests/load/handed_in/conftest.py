"""What tests of a class that was handed in share."""

import pytest

from graders.engine.load.roster import read_roster
from tests.load.handed_in.layouts import ROSTER


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text(ROSTER, encoding="utf-8")
    return read_roster(path)
