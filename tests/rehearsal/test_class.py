"""A whole class by `class.yml`: swept, graded in shards, merged, and kept for the staff alone."""

import json
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from graders.engine.deliver.packed_folder import unpack_folder
from graders.engine.deliver.seal import unseal
from graders.engine.score.class_folder import read_class
from tests.command_line import ROOT
from tests.github.state import Artifact, Push
from tests.github.storage import storing
from tests.rehearsal.act import Event, Order, run_workflow
from tests.rehearsal.secrecy import artifacts, leaks, published, secrets
from tests.rehearsal.stage import COURSE, NAME, TOKEN, Release, Stage, staged
from tests.rehearsal.students import Student, edit_the_grader, leave

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can shut code in strictly")

CLASS = ".github/workflows/class.yml"
DEADLINE, BEFORE, AFTER = "2026-11-30T23:59:00+01:00", "2026-11-30T12:00:00Z", "2026-12-01T12:00:00Z"


@pytest.fixture
def stage(tmp_path: Path, released: Release) -> Iterator[Stage]:
    with staged(tmp_path, released) as stage, storing(stage.github):
        yield stage
    assert stage.github.violations == []


def solve_one(checkout: Path) -> None:
    """Hand in the reference of one exercise."""
    name = next(path.name for path in sorted((ROOT / "reference").glob("ex01*.py")))
    (checkout / "exercises" / name).write_bytes((ROOT / "reference" / name).read_bytes())


def push(stage: Stage, login: str, time: str, work: Student) -> str:
    """Let a student push to a fork, without a pull request."""
    pull = stage.hand_in(work)
    stage.github.pulls.remove(pull)
    fork = stage.github.repository(f"{login}/{NAME}")
    fork.parent = stage.github.repository(COURSE)
    fork.pushes.append(Push("main", "0" * 40, pull.sha, time))
    return pull.sha


def test_a_class(stage: Stage) -> None:
    ada = Student("ada", "has solved one", "push", "main", "", "Solve it", solve_one)
    head = stage.checkout(COURSE, "main")
    released = (head / ".git" / "refs" / "heads" / "main").read_text(encoding="utf-8").strip()
    stage.github.repository(COURSE).pushes.append(Push("main", "0" * 40, released, "2026-09-01T12:00:00Z"))
    shas = {
        "ada": push(stage, "ada", BEFORE, ada),
        "trudy": push(stage, "trudy", BEFORE, replace(ada, login="trudy", work=edit_the_grader)),
        "zoe": push(stage, "zoe", AFTER, replace(ada, login="zoe", work=leave)),
    }
    stage.github.repository(f"ada/{NAME}").runs.append((shas["ada"], BEFORE))
    stage.github.repository(f"trudy/{NAME}").artifacts.append(Artifact(77, shas["trudy"], b"no archive"))
    found = secrets(stage)
    payload = {
        "inputs": {"course": COURSE, "deadline": DEADLINE},
        "repository": {"full_name": COURSE, "fork": False, "default_branch": "main"},
    }
    event = Event("workflow_dispatch", COURSE, "staff", payload)
    keys = {"GRADING_KEY": stage.release.key, "GITHUB_TOKEN": TOKEN}
    number = next(stage.numbers)
    run = run_workflow(stage.machine, Order(event, stage.checkout(COURSE, "main"), CLASS, number, keys))
    assert run.results == {"sweep": "success", "grade": "success", "merge": "success"}, run.text[-3000:]

    kept = stage.machine.artifacts / str(number)
    assert sorted(path.relative_to(kept).as_posix() for path in artifacts(stage.machine)) == [
        "class/class.age",
        "part-1/part-1.age",
        "sweep/sweep.age",
    ]
    result = stage.scratch / "result"
    unpack_folder(unseal((kept / "class" / "class.age").read_bytes(), stage.release.key), result)
    folder = read_class(result / "class")
    entries = {entry.student: entry for entry in folder.entries}
    assert {student: entry.state.value for student, entry in entries.items()} == {
        "ada": "graded",
        "trudy": "graded",
        "zoe": "nothing",
    }
    card, forged = folder.card_of("ada"), folder.card_of("trudy")
    assert card is not None
    assert forged is not None
    assert (card.grader.commit, card.grader.hidden, card.grader.mode) == (shas["ada"], True, "strict")
    assert (forged.total, card.total > 0) == (0, True)
    told = {finding.kind.value for finding in entries["trudy"].findings}
    assert {"workflow_edited", "other"} <= told
    assert {finding.kind.value for finding in entries["zoe"].findings} == {"late_work"}
    with sqlite3.connect(result / "gradebook.sqlite") as book:
        assert book.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert "ada" in (result / "report" / "index.html").read_text(encoding="utf-8")

    texts = list(published(stage, [run]))
    assert leaks(found, texts) == []
    said = [line for line in run.text.splitlines() if '"raw_output":true' in line]
    printed = "".join(json.loads(line)["msg"] for line in said)
    assert [student for student in shas if student in printed] == [], "the log names nobody"
    assert "Students: 3, with a commit: 2, without: 1, work after it: 1" in printed
    assert {request.headers.get("authorization") for request in stage.github.requests} == {f"Bearer {TOKEN}"}
