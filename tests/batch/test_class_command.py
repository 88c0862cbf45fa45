"""Tests of the command `grade class`: hostile submissions beside honest ones, kills, and the same card everywhere."""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.engine.batch.living import Living
from graders.engine.score.class_folder import read_class
from tests.batch.small_class import COURSE, HONEST, ROOT, card_without_times, hand_in, make_course, without_times
from tests.command_line import CommandLine
from tests.run.conftest import all_gone, linux_only, lives

pytestmark = linux_only

HOSTILE = {
    "exits": "import os\nos._exit(0)\n",
    "kills": "import os, signal\nfor pid in (os.getppid(), -1, 0):\n    try:\n        os.kill(pid, signal.SIGKILL)\n"
    "    except OSError:\n        pass\n",
    "forks": "import os\nwhile True:\n    os.fork()\n",
    "bomb": "import torch\nheld = []\nwhile True:\n    held.append(torch.empty(64 << 20, dtype=torch.uint8))\n",
    "hangs": "while True:\n    pass\n",
    "breaks": "this is no Python\n",
}


# ------------------------------------------------------------ real judges, the strict sandbox


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, command_line: CommandLine) -> Path:
    """A class of six hostile students and three honest ones, graded by two judges; the folder around all."""
    folder = tmp_path_factory.mktemp("class")
    rubric = make_course(folder / "course") / "grading.yaml"
    # On a busy machine, what is honest or ends by itself must not run into the limit.
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("seconds: 1", "seconds: 5"), encoding="utf-8")
    hand_in(folder / "autumn", **HOSTILE, ada=HONEST, bob=HONEST.replace("+ self.bias", ""), zoe=HONEST)
    done = command_line.run(folder, "class", "autumn", "--out", "out", "-j", 2, "--seed", 7, "--course", "course")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "9 of 9 students have a card: 9 graded now, 0 kept as they are" in done.stdout
    return folder


def test_what_is_hostile_costs_itself_alone(graded: Path) -> None:
    found = read_class(graded / "out")
    totals = {entry.student: found.card_of(entry.student).total for entry in found.entries}  # type: ignore[union-attr]
    assert totals == {**dict.fromkeys(HOSTILE, 0), "ada": 8, "bob": 2, "zoe": 8}
    card = found.card_of("ada")
    assert card is not None
    assert (card.grader.mode, card.grader.hidden, card.grader.sandbox.missing) == ("strict", True, ())


def test_a_card_is_the_same_however_it_was_made(graded: Path, command_line: CommandLine) -> None:
    """Alone; in a class with two judges; in shards, with one judge each."""
    for number in (1, 2):
        done = command_line.run(
            graded, "class", "autumn", "--out", f"part{number}", "-j", 1, "--seed", 7, "--course", "course",
            "--shard", f"{number}/2",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    assert command_line.run(graded, "merge", "part1", "part2", "--out", "merged").returncode == 0
    assert without_times(graded / "merged") == without_times(graded / "out")
    for student in ("ada", "bob", "exits"):
        alone = graded / f"{student}.json"
        command_line.run(
            graded, "grade", f"autumn/{student}", "--hidden", "--seed", 7, "--course", "course", "--json", alone
        )
        card = (graded / "out" / "cards" / f"{student}.json").read_text(encoding="utf-8")
        assert card_without_times(card) == card_without_times(alone.read_text(encoding="utf-8"))


def test_where_nothing_is_new_no_judge_is_started(
    graded: Path, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Living, "start", None)
    before = without_times(graded / "out")
    done = command_line.run(graded, "class", "autumn", "--out", "out", "--course", "course")
    assert "9 of 9 students have a card: 0 graded now, 9 kept as they are" in done.stdout
    assert "Changes" not in done.stdout
    assert without_times(graded / "out") == before


def test_a_mark_on_a_card_of_a_class_leaves_it_settled(
    graded: Path, tmp_path: Path, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Living, "start", None)  # nobody is to be graded again for a mark
    shutil.copytree(graded, tmp_path, dirs_exist_ok=True)
    done = command_line.run(
        tmp_path, "mark", "out/cards/bob.json", "ex01", "--check", "values", "--points", 1, "--note", "Half of it.",
        "--course", "course",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = read_class(tmp_path / "out")
    assert not found.unsettled
    assert found.card_of("bob").total == 3  # type: ignore[union-attr]
    done = command_line.run(tmp_path, "class", "autumn", "--out", "out", "--course", "course")
    assert "9 of 9 students have a card: 0 graded now, 9 kept as they are" in done.stdout


# ------------------------------------------------------------ words and exit codes


def test_the_summary_says_who_has_no_card_and_why(tmp_path: Path, command_line: CommandLine, stand_ins: None) -> None:
    source = hand_in(tmp_path / "autumn", ada=HONEST, eve="# dies always", bob=HONEST + "# mode is fail\n")
    (source / "zoe\N{RIGHT-TO-LEFT OVERRIDE}").mkdir()
    (source / "zoe").mkdir()
    arguments = ("class", "autumn", "--out", "out", "--course", COURSE, "-j", 2)
    done = command_line.run(tmp_path, *arguments)
    assert done.returncode == 3
    assert "One failed and is tried again at the end: the process that judged it was killed (SIGKILL)" in done.stderr
    assert "2 of 4 students have a card: 2 graded now, 0 kept as they are\nChanges: 2 new\n" in done.stdout
    assert 'Nothing to grade: 1\n  zoe: nothing to grade in "zoe": no file ex01_lookup.py;' in done.stdout
    assert "Expected exercises/" not in done.stdout
    assert "also at a second try; run the command again: 1\n  eve: the process that judged it was killed" in done.stdout
    assert "Next: grade report out --html" in done.stdout
    hand_in(source, eve=HONEST + "# values is broken\n", bob=HONEST)
    done = command_line.run(tmp_path, *arguments)
    assert done.returncode == 0
    assert "Changes: 1 tried again, 1 other files\n" in done.stdout
    assert "  bob     7 -> 8     other files" in done.stdout
    assert "earn their points until they are mended:\n  ex01_lookup values: 1 cards" in done.stdout
    (source / "ada" / "exercises" / "ex01_lookup.py").unlink()
    hand_in(source, bob=HONEST + "\n")
    done = command_line.run(tmp_path, *arguments, "--seed", 99)
    assert "The seed is 99, and was" in done.stderr
    assert "  ada     8 -> none  nothing to grade" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--isolation", "practice"), "--isolation=practice is for one's own code"),
        (("--shard", "3/2"), '--shard "3/2": expected I/N'),
        (("--shard", "0/2"), '--shard "0/2": expected I/N'),
        (("--shard", "x"), '--shard "x": expected I/N'),
        (("--regrade-only", "eve"), '--regrade-only "eve": no submission of such a student'),
        (("-e", "ex09"), 'there is no exercise "ex09"'),
        (("--roster", "roster.csv"), "roster.csv"),
        (("--marks", "marks.json"), "there is no such book of marks"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_before_anything_is_done(
    tmp_path: Path, command_line: CommandLine, arguments: tuple[str, ...], said: str
) -> None:
    hand_in(tmp_path / "autumn", ada=HONEST)
    done = command_line.run(tmp_path, "class", "autumn", "--out", "out", "--course", COURSE, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert list((tmp_path / "out").rglob("*.json")) == []


def test_a_disk_that_is_full_is_no_fault_of_the_grader(
    tmp_path: Path, command_line: CommandLine, stand_ins: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(tmp_path / "autumn", ada=HONEST)
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.parent.name == "cards":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        done = command_line.run(tmp_path, "class", "autumn", "--out", "out", "--course", COURSE)
    assert done.returncode == 3
    assert "Not all was graded: out/cards/ada.json cannot be written: No space left on device" in done.stderr
    assert command_line.run(tmp_path, "class", "autumn", "--out", "out", "--course", COURSE).returncode == 0


def test_one_submission_is_no_class(tmp_path: Path, command_line: CommandLine) -> None:
    hand_in(tmp_path, autumn=HONEST)
    done = command_line.run(tmp_path, "class", "autumn/exercises", "--out", "out", "--course", COURSE)
    assert done.returncode == 2
    assert "autumn/exercises holds ex01_lookup.py, as one submission does" in done.stderr


def test_a_folder_inside_the_source_is_refused(tmp_path: Path, command_line: CommandLine) -> None:
    hand_in(tmp_path / "autumn", ada=HONEST)
    done = command_line.run(tmp_path, "class", "autumn", "--out", "autumn/out", "--course", COURSE)
    assert done.returncode == 2
    assert "would be taken for a submission" in done.stderr
    assert not (tmp_path / "autumn" / "out").exists()


def test_two_at_once_on_one_folder_do_not_mix(tmp_path: Path, command_line: CommandLine) -> None:
    from graders.engine.cli.files import alone_with

    hand_in(tmp_path / "autumn", ada=HONEST)
    (tmp_path / "out").mkdir()
    with alone_with(tmp_path / "out" / "class.json"):
        done = command_line.run(tmp_path, "class", "autumn", "--out", "out", "--course", COURSE)
    assert done.returncode == 2
    assert "--out out is being written by another process" in done.stderr
    assert list((tmp_path / "out").rglob("*.json")) == []


# ------------------------------------------------------------ kills


@pytest.fixture
def killable(tmp_path: Path) -> Iterator["Killable"]:
    """A class of 40 that takes a while, and the command on it in a process of its own."""
    texts = {f"s{number}": f"{HONEST}# takes a while\n# {number}\n" for number in range(40)}
    hand_in(tmp_path / "autumn", **texts)
    killable = Killable(tmp_path)
    yield killable
    killable.end()


class Killable:
    """Starts `grade class`, finds what it started, and ends it in one way or another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, lines: int) -> subprocess.Popen[bytes]:
        """Start it, and wait for two judges and for the lines of so many students."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.batch.small_class", "class", "autumn", "--out", "out", "-j", "2", "--seed",
             "7", "--course", str(COURSE)],
            cwd=self.folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        while len(self.descendants()) < 2 or len(list(self.folder.glob("out/entries/s*.json"))) < lines:
            assert self._process.poll() is None, self._process.communicate()
            time.sleep(0.02)
        return self._process

    def descendants(self) -> list[int]:
        """The processes that it has started."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        threads = children.parents[1].glob("*/children")
        return [int(pid) for path in threads for pid in path.read_text().split()]

    def end(self) -> None:
        """See that nothing of it is left."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def undisturbed(self, command_line: CommandLine) -> dict[str, object]:
        """Return the folder that a run makes which nobody ends."""
        done = command_line.run(
            self.folder, "class", "autumn", "--out", "whole", "-j", 2, "--seed", 7, "--course", COURSE
        )
        assert done.returncode == 0, done.stderr
        return without_times(self.folder / "whole")


def test_killed_again_and_again_a_class_is_whole_in_the_end(
    killable: Killable, command_line: CommandLine, stand_ins: None
) -> None:
    whole = killable.undisturbed(command_line)
    chance = random.Random(os.urandom(8))
    for lines in (0, 4, 12):
        process = killable.start(lines)
        time.sleep(chance.uniform(0, 0.1))
        started = killable.descendants()
        process.kill()
        process.communicate()
        assert all_gone(started)
        seen = read_class(killable.folder / "out")
        assert len(seen.unsettled) <= 1
        assert not seen.settings.finished
    done = command_line.run(killable.folder, "class", "autumn", "--out", "out", "--course", COURSE)
    assert done.returncode == 0
    assert "The last run was interrupted: this one goes on" in done.stderr
    kept = int(done.stdout.rpartition(" kept as they are")[0].rpartition(" ")[2])
    assert 12 <= kept < 40
    assert without_times(killable.folder / "out") == whole


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"])
def test_asked_to_end_it_ends_all_that_it_started(killable: Killable, number: signal.Signals, code: int) -> None:
    process = killable.start(3)
    started = killable.descendants()
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code
    assert b"Traceback" not in errors
    assert not any(lives(pid) for pid in started)
    seen = read_class(killable.folder / "out")
    assert seen.unsettled == ()
    assert list((killable.folder / "out").rglob(".draft*")) == []
    assert 3 <= len(seen.entries) < 40


def test_a_judge_that_somebody_kills_costs_nobody_a_card(killable: Killable) -> None:
    process = killable.start(5)
    os.kill(killable.descendants()[0], signal.SIGKILL)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert b"40 of 40 students have a card" in printed
    assert b"tried again at the end: the process that judged it was killed (SIGKILL)" in errors
