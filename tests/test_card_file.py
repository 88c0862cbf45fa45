"""Where `--json` writes the card: never in the place of something else, and whoever reads the terminal."""

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, NoReturn

import pytest

from graders.engine.cli import files
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOTHING_GRADED, ROOT, CommandLine, grade
from tests.run.conftest import all_gone, linux_only

SHEET = (ROOT / "reference" / "ex07_knowledge_check.yaml").read_text(encoding="utf-8")
DISCUSSION = (ROOT / "reference" / "ex07_discussion.md").read_text(encoding="utf-8")
OLD_CARD = '{"version": 1, "grader": {}, "exercises": []}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A submission that needs no worker: the sheet of exercise 7, answered."""
    (tmp_path / "ex07_knowledge_check.yaml").write_text(SHEET, encoding="utf-8")
    (tmp_path / "ex07_discussion.md").write_text(DISCUSSION, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("held", ['{"version": 1, "marks": []}', "version: 1\n", "[]", "import torch\n"])
def test_a_file_that_is_no_card_is_left_alone(folder: Path, command_line: CommandLine, held: str) -> None:
    (folder / "other").write_text(held, encoding="utf-8")
    done = command_line.grade(folder, ".", "-e", "ex07", "--json", "other")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "--json other: that file is no score card, and would be lost" in done.stderr
    assert (folder / "other").read_text(encoding="utf-8") == held


@pytest.mark.parametrize("held", ["", '{"version": 1, "grader": {}, "exercises": []}'])
def test_a_card_or_an_empty_file_is_written_anew(folder: Path, command_line: CommandLine, held: str) -> None:
    (folder / "card.json").write_text(held, encoding="utf-8")
    assert command_line.grade(folder, ".", "-e", "ex07", "--json", "card.json").returncode == ALL_PASSED
    assert json.loads((folder / "card.json").read_text(encoding="utf-8"))["exercises"]


@pytest.mark.skipif(os.name == "nt", reason="links and devices are those of Linux and macOS")
def test_a_link_and_a_device_stay_what_they_are(folder: Path, command_line: CommandLine) -> None:
    (folder / "link.json").symlink_to("real.json")
    assert command_line.grade(folder, ".", "-e", "ex07", "--json", "link.json").returncode == ALL_PASSED
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "real.json").read_text(encoding="utf-8"))["exercises"]
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["cat", "pipe"], cwd=folder, stdout=subprocess.PIPE) as reader:
        assert command_line.grade(folder, ".", "-e", "ex07", "--json", "pipe").returncode == ALL_PASSED
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


def test_a_name_cannot_speak_to_the_log_of_a_workflow(folder: Path, command_line: CommandLine) -> None:
    (folder / "x ##[error]pwn.ipynb").write_text("{", encoding="utf-8")
    done = command_line.grade(folder, ".", "-e", "ex07", "--json", "\n::error::x/card.json")
    assert not any(line.lstrip().startswith("::") for line in done.stderr.splitlines())
    done = command_line.grade(folder, ".", "-e", "ex07")
    assert "##[" not in done.stdout + done.stderr
    assert "## [error]pwn.ipynb was not read" in done.stdout


# The disk is full


def no_space(*arguments: object) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def open_full(path: Path, *arguments: object, **options: str) -> IO[bytes]:
    """Make the file, as a full disk still lets one, and lose what is written to it, as that does then."""
    path.touch()
    return open("/dev/full", "wb")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    ("target", "name", "full"),
    [(files, "open", open_full), (files.os, "fsync", no_space), (files.Path, "replace", no_space)],
    ids=["when it is written", "when it is to last", "when it takes its place"],
)
def test_a_full_disk_costs_neither_the_old_card_nor_the_report(
    folder: Path, command_line: CommandLine, target: object, name: str, full: object
) -> None:
    (folder / "card.json").write_text(OLD_CARD, encoding="utf-8")
    before = sorted(folder.iterdir())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, name, full, raising=False)
        done = command_line.grade(folder, ".", "-e", "ex07", "--json", "card.json")
    assert done.returncode == GRADERS_FAULT
    assert "The score card cannot be written to card.json: No space left on device" in done.stderr
    assert "ex07" in done.stdout
    assert (folder / "card.json").read_text(encoding="utf-8") == OLD_CARD
    assert sorted(folder.iterdir()) == before
    assert command_line.grade(folder, ".", "-e", "ex07", "--json", "card.json").returncode == ALL_PASSED
    assert json.loads((folder / "card.json").read_text(encoding="utf-8"))["exercises"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_device_that_is_full_is_told(folder: Path, command_line: CommandLine) -> None:
    done = command_line.grade(folder, ".", "-e", "ex07", "--json", "/dev/full")
    assert done.returncode == GRADERS_FAULT
    assert "cannot be written to /dev/full: No space left on device" in done.stderr


# Whoever grades is killed


@linux_only
def test_a_grader_that_is_killed_leaves_no_process_and_no_half_card(folder: Path, command_line: CommandLine) -> None:
    """With a power cut's abruptness, while student code runs. The next run works."""
    (folder / "ex02_token_pos.py").write_text("print('loaded', flush=True)\nwhile True: pass\n", encoding="utf-8")
    (folder / "card.json").write_text(OLD_CARD, encoding="utf-8")
    before = sorted(folder.iterdir())
    grader = subprocess.Popen(
        [sys.executable, "-m", "graders", "grade", ".", "--json", "card.json"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    give_up = time.monotonic() + 60
    with grader:
        try:
            # Only student code takes a second of computing in a worker.
            while not (workers := [pid for pid in offspring(grader.pid, 2) if seconds_of(pid) > 0.5]):
                assert time.monotonic() < give_up
                assert grader.poll() is None
                time.sleep(0.02)
            pids = [*offspring(grader.pid, 1), *workers]
        finally:
            grader.kill()
    assert all_gone(pids)
    assert sorted(folder.iterdir()) == before
    assert (folder / "card.json").read_text(encoding="utf-8") == OLD_CARD
    assert command_line.grade(folder, ".", "-e", "ex07", "--json", "card.json").returncode == ALL_PASSED


def offspring(pid: int, generations: int) -> list[int]:
    """Return a process's children, or theirs."""
    pids = [pid]
    for _ in range(generations):
        pids = [int(child) for one in pids for child in read(f"/proc/{one}/task/{one}/children").split()]
    return pids


def seconds_of(pid: int) -> float:
    """Return the computing time of a process so far, in its own code."""
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def read(path: str) -> str:
    """Return what the system tells about a process; nothing, if that has ended."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""
