"""Tests of a class that is a list of commits: each is fetched once, when it is its turn, and fails alone."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.engine.cli.class_source import MOST_FAILURES
from graders.engine.deliver.github import clock
from graders.engine.score.class_folder import read_class
from tests.batch.small_class import COURSE, HONEST, SLUG
from tests.command_line import CommandLine, Ended
from tests.github.git_server import GitHost, commit, create, hosting
from tests.github.talk import Waits

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("git") is None, reason="the server is git's own, as others than Windows have it"
)
STUDENTS = ("ada", "bob", "carla", "dan", "eve")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitHost:
    served = tmp_path / "served"
    served.mkdir()
    monkeypatch.setattr(clock, "SYSTEM_CLOCK", Waits().clock)
    return GitHost(served)


@pytest.fixture
def address(host: GitHost) -> Iterator[str]:
    with hosting(host) as address:
        yield address


@pytest.fixture
def listed(tmp_path: Path, host: GitHost, address: str) -> Path:
    """A CSV of five commits: bob's has nothing in it, carla's is not there."""
    lines = ["student,url,sha"]
    for student in STUDENTS:
        create(host.folder, f"{student}/course")
        name = "README.md" if student == "bob" else f"exercises/{SLUG}.py"
        sha = commit(host.folder, f"{student}/course", {name: HONEST.encode()})
        lines.append(f"{student},{address}/{student}/course,{'0' * 40 if student == 'carla' else sha}")
    path = tmp_path / "class.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def grade(command_line: CommandLine, listed: Path, out: str = "out") -> Ended:
    return command_line.run(listed.parent, "class", listed.name, "--out", out, "-j", 1, "--course", COURSE)


def test_commits_are_fetched_once_and_fail_alone(
    listed: Path, host: GitHost, command_line: CommandLine, stand_ins: None
) -> None:
    done = grade(command_line, listed)
    assert done.returncode == 0, done.stderr
    out = listed.parent / "out"
    entries = {entry.student: entry for entry in read_class(out).entries}
    assert {name: entry.state.value for name, entry in entries.items()} == {
        "ada": "graded", "bob": "nothing", "carla": "nothing", "dan": "graded", "eve": "graded",
    }  # fmt: skip
    assert "has no commit 0000000000" in entries["carla"].said
    card = read_class(out).card_of("ada")
    assert card is not None
    assert card.grader.commit == entries["ada"].commit
    assert sorted(path.name for path in (out / "repositories").iterdir()) == ["ada", "bob", "dan", "eve"]
    host.requests.clear()
    grade(command_line, listed)
    assert {request.split("/")[1] for request in host.requests} == {"carla"}


def test_a_server_that_fails_is_not_asked_for_everybody(
    listed: Path, host: GitHost, command_line: CommandLine, stand_ins: None
) -> None:
    host.faults = [500] * 100
    done = grade(command_line, listed)
    assert done.returncode == 3
    asked = {request.split("/")[1] for request in host.requests}
    assert asked == set(STUDENTS[:MOST_FAILURES])
    states = {entry.student: entry.state.value for entry in read_class(listed.parent / "out").entries}
    assert states == dict.fromkeys(STUDENTS, "fault")
    host.faults = []
    assert grade(command_line, listed).returncode == 0


def test_the_token_is_for_its_own_server_alone(
    listed: Path,
    host: GitHost,
    command_line: CommandLine,
    stand_ins: None,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
) -> None:
    host.token = "ghs_neverElsewhere"
    monkeypatch.setenv("GITHUB_TOKEN", host.token)
    monkeypatch.setenv("GITHUB_SERVER_URL", "http://127.0.0.1:9")
    assert "0 of 5 students have a card" in grade(command_line, listed, "elsewhere").stdout
    monkeypatch.setenv("GITHUB_SERVER_URL", address)
    assert "3 of 5 students have a card" in grade(command_line, listed).stdout
