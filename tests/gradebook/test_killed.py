"""A gradebook is whole, whenever a process dies that writes it, and whatever other processes do meanwhile."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.command_line import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes to be killed are forks")


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What became of gradebooks in each way to die, as `killed.py` tells."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.gradebook.killed", tmp_path_factory.mktemp("killed")],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return {way["way"]: way for way in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("way", ["marks", "cards", "people"])
def test_of_what_is_written_together_all_is_there_or_nothing(ways: dict[str, Any], way: str) -> None:
    assert ways[way]["wrong"] == []
    assert ways[way]["killed"] == 24
    assert set(ways[way]["outcomes"]) <= {0, 4}


@pytest.mark.parametrize("way", ["newer", "made"])
def test_an_older_file_or_a_new_one_is_whole_in_the_end(ways: dict[str, Any], way: str) -> None:
    assert ways[way]["wrong"] == []
    assert ways[way]["killed"] == 24


def test_what_was_reported_as_written_is_there_after_any_death(ways: dict[str, Any]) -> None:
    assert ways["any"]["wrong"] == []


def test_processes_at_once_lose_nothing_and_write_nothing_twice(ways: dict[str, Any]) -> None:
    assert ways["two"]["wrong"] == []
    marks, attempts, log = ways["two"]["outcomes"]
    assert (marks, attempts) == (45, 15)
    assert log == 5 + 45 + 2 * 15


def test_without_room_nothing_is_changed_and_the_reason_is_said(ways: dict[str, Any]) -> None:
    by_pages, by_files, marks = ways["full"]["outcomes"]
    assert "the disk is full" in by_pages
    assert "See to disk and room" in by_files
    assert (ways["full"]["wrong"], marks) == ([], 0)
