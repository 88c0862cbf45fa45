"""Where `--json` writes the card: never in the place of something else, and whoever reads the terminal."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judge.test_cli_bad_input import ALL_PASSED, NOTHING_GRADED, ROOT, grade

SHEET = (ROOT / "reference" / "ex07_knowledge_check.yaml").read_text(encoding="utf-8")
DISCUSSION = (ROOT / "reference" / "ex07_discussion.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A submission that needs no worker: the sheet of exercise 7, answered."""
    (tmp_path / "ex07_knowledge_check.yaml").write_text(SHEET, encoding="utf-8")
    (tmp_path / "ex07_discussion.md").write_text(DISCUSSION, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("held", ['{"version": 1, "marks": []}', "version: 1\n", "[]", "import torch\n"])
def test_a_file_that_is_no_card_is_left_alone(folder: Path, held: str) -> None:
    (folder / "other").write_text(held, encoding="utf-8")
    done = grade(folder, ".", "-e", "ex07", "--json", "other")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "--json other: that file is no score card, and would be lost" in done.stderr
    assert (folder / "other").read_text(encoding="utf-8") == held


@pytest.mark.parametrize("held", ["", '{"version": 1, "grader": {}, "exercises": []}'])
def test_a_card_or_an_empty_file_is_written_anew(folder: Path, held: str) -> None:
    (folder / "card.json").write_text(held, encoding="utf-8")
    assert grade(folder, ".", "-e", "ex07", "--json", "card.json").returncode == ALL_PASSED
    assert json.loads((folder / "card.json").read_text(encoding="utf-8"))["exercises"]


@pytest.mark.skipif(os.name == "nt", reason="links and devices are those of Linux and macOS")
def test_a_link_and_a_device_stay_what_they_are(folder: Path) -> None:
    (folder / "link.json").symlink_to("real.json")
    assert grade(folder, ".", "-e", "ex07", "--json", "link.json").returncode == ALL_PASSED
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "real.json").read_text(encoding="utf-8"))["exercises"]
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["cat", "pipe"], cwd=folder, stdout=subprocess.PIPE) as reader:
        assert grade(folder, ".", "-e", "ex07", "--json", "pipe").returncode == ALL_PASSED
        assert json.loads(reader.communicate(timeout=60)[0])["exercises"]
    assert (folder / "pipe").is_fifo()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other pipes")
def test_a_reader_that_goes_away_costs_neither_card_nor_exit_code(folder: Path) -> None:
    command = [sys.executable, "-m", "graders", "grade", ".", "-e", "ex07", "--json", "card.json"]
    with subprocess.Popen(
        command, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (ALL_PASSED, b"")
    assert json.loads((folder / "card.json").read_text(encoding="utf-8"))["exercises"]


def test_python_without_asserts_is_refused_with_the_reason(folder: Path) -> None:
    done = grade(folder, ".", "-e", "ex07", PYTHONOPTIMIZE="1")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "Unset PYTHONOPTIMIZE" in done.stderr


def test_a_name_cannot_speak_to_the_log_of_a_workflow(folder: Path) -> None:
    (folder / "x ##[error]pwn.ipynb").write_text("{", encoding="utf-8")
    done = grade(folder, ".", "-e", "ex07", "--json", "\n::error::x/card.json")
    assert not any(line.lstrip().startswith("::") for line in done.stderr.splitlines())
    done = grade(folder, ".", "-e", "ex07")
    assert "##[" not in done.stdout + done.stderr
    assert "## [error]pwn.ipynb was not read" in done.stdout
