"""The command `grade export`: exactly the format on the standard output, whatever that is, and without torch."""

import base64
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graders.engine.report.annotations import annotations
from graders.engine.report.gradescope import gradescope
from graders.engine.report.junit import junit
from graders.engine.report.markdown import MOST_SUMMARY_BYTES, card_markdown
from graders.engine.score.card import card_to_json
from tests.command_line import GRADERS_FAULT, NOTHING_GRADED, ROOT, CommandLine
from tests.report.situations import BUILT, check, exercise, graded, practice

FORMATS = ["gradescope", "junit", "classroom", "markdown", "annotations"]
CARD = practice(exercise("ex02_token_pos", "Zoë's √2", check(BUILT, got="π ≠ 3", points=2), hidden=9))
GOOD = "import sys; sys.argv[0] = 'grade'; from graders.engine.cli.app import main; main()"
BLOCKED = "import sys; sys.modules.update(dict.fromkeys(['torch', 'numpy', 'pytest', 'rich.console'])); " + GOOD


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "card.json"
    path.write_text(card_to_json(CARD), encoding="utf-8")
    return path


def export(program: str, card: Path, to: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program, "export", card, "--to", to],
        env=os.environ | {"PYTHONPATH": str(ROOT), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_each_format_is_what_its_report_says(card: Path, command_line: CommandLine) -> None:
    printed = {}
    for to in FORMATS:
        done = command_line.run(card.parent, "export", card, "--to", to)
        assert (done.returncode, done.stderr) == (0, "")
        printed[to] = done.stdout
    assert printed["gradescope"] == gradescope(CARD, "band")
    assert printed["junit"] == junit(CARD)
    assert printed["markdown"] == card_markdown(CARD, MOST_SUMMARY_BYTES)
    assert printed["annotations"].splitlines() == annotations(CARD)
    assert json.loads(base64.b64decode(printed["classroom"]))["max_score"] == 11


def test_gradescope_goes_by_the_policy_of_the_course(tmp_path: Path, command_line: CommandLine) -> None:
    rubric = "version: 1\nlimits: {seconds: 1, memory_mib: 1}\npost: {hidden: POLICY}\nobjectives: {a: A}\n"
    rubric += "exercises:\n  ex01_a:\n    title: A\n    visible: {b: 1}\n"
    (tmp_path / "card.json").write_text(card_to_json(graded(3)), encoding="utf-8")
    seen = {}
    for policy in ("band", "points"):
        (tmp_path / "grading.yaml").write_text(rubric.replace("POLICY", policy), encoding="utf-8")
        done = command_line.run(tmp_path, "export", "card.json", "--to", "gradescope", "--course", ".")
        seen[policy] = {test["visibility"] for test in json.loads(done.stdout)["tests"]}
    assert seen == {"band": {"visible", "after_published"}, "points": {"visible"}}


@pytest.mark.parametrize("to", ["junit", "markdown"])
def test_the_encoding_of_the_terminal_does_not_count_and_nothing_heavy_is_imported(card: Path, to: str) -> None:
    done = export(BLOCKED, card, to, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, b"")
    whole = {"junit": junit(CARD), "markdown": card_markdown(CARD, MOST_SUMMARY_BYTES)}[to]
    assert done.stdout == whole.encode("utf-8")
    assert "√2" in done.stdout.decode("utf-8")


def test_a_closed_pipe_is_no_fault(card: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-c", GOOD, "export", card, "--to", "markdown"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_told(card: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", GOOD, "export", card, "--to", "junit"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == NOTHING_GRADED
    assert "the standard output cannot be written: " in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_no_card_is_refused(tmp_path: Path, command_line: CommandLine) -> None:
    (tmp_path / "card.json").write_text("{}", encoding="utf-8")
    done = command_line.run(tmp_path, "export", "card.json", "--to", "junit")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "card.json is no score card" in done.stderr


def test_gradescope_needs_a_course(card: Path, tmp_path: Path, command_line: CommandLine) -> None:
    done = command_line.run(tmp_path, "export", card, "--to", "gradescope", "--course", "nowhere")
    assert (done.returncode, done.stdout) == (GRADERS_FAULT, "")


def test_what_is_printed_can_be_read_as_it_is(card: Path, command_line: CommandLine) -> None:
    done = command_line.run(card.parent, "export", card, "--to", "junit")
    parsed = ElementTree.parse(io.BytesIO(done.stdout.encode("utf-8")))
    assert parsed.getroot().tag == "testsuites"
