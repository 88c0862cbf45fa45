"""What happens meanwhile: a grading that is cancelled, a pull request that is closed or moves on, and none at all."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rehearsal.act import Event, Order, Watch, finish, run_workflow, started
from tests.rehearsal.events import pushed
from tests.rehearsal.secrecy import artifacts
from tests.rehearsal.stage import FEEDBACK, Release, Stage, staged
from tests.rehearsal.students import Student, leave, remove, solve

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can shut code in strictly")

ADA = Student("ada", "has solved everything", "push", "main", "My solutions", "Solve it", solve)
SECONDS = 30.0
ALL_WELL = {"resolve": "success", "grade": "success", "post": "success"}
POSTED = [("POST", "comments"), ("POST", "statuses")]


@pytest.fixture
def stage(tmp_path: Path, released: Release) -> Iterator[Stage]:
    with staged(tmp_path, released) as stage:
        yield stage
    assert stage.github.violations == []


def test_a_run_that_is_cancelled_posts_nothing_and_leaves_nothing_and_neither_does_one_that_is_overtaken(
    stage: Stage,
) -> None:
    """The second run also shows that the first one is in nobody's way: it does all there is to do, but for posting."""
    pull = stage.hand_in(ADA)
    with started(stage.machine, stage.grading(ADA, pull)) as process:
        wait_for(lambda: is_grading(processes(stage.scratch)))
        process.send_signal(signal.SIGINT)
        cancelled = finish(process)
    assert cancelled.results["grade"] == "failure"
    assert "post" not in cancelled.jobs or cancelled.jobs["post"].steps == ()
    assert artifacts(stage.machine) == []
    wait_for(lambda: processes(stage.scratch) == [])

    graded = pull.sha
    number, run = stage.grade(ADA, pull, when_grading(lambda: stage.push_again(pull, replace(ADA, work=leave))))
    assert run.results == ALL_WELL
    assert stage.whole_card(number).total == 100
    assert pull.sha != graded
    assert f"Nothing was posted: pull request 1 has moved on to {pull.sha[:12]} by now" in run.text
    assert (written(stage), run.summary) == ([], "")


def test_a_commit_that_holds_nothing_to_grade_is_told_so_and_not_once_it_is_closed(stage: Stage) -> None:
    student = replace(ADA, work=remove)
    pull = stage.hand_in(student)
    _, run = stage.grade(student, pull)
    assert run.results == ALL_WELL
    assert (written(stage), artifacts(stage.machine)) == (POSTED, [])
    assert run.summary.startswith(f"**Commit {pull.sha} was not graded.** Nothing in it could be graded.")
    assert [status.state for status in stage.github.statuses] == ["failure"]

    def close() -> None:
        pull.state = "closed"

    _, run = stage.grade(student, pull, when_grading(close))
    assert run.results == ALL_WELL
    assert "Nothing was posted: pull request 1 is closed by now." in run.text
    assert (written(stage), run.summary) == (POSTED, "")


def test_without_the_key_students_hear_that_it_is_no_fault_of_theirs(stage: Stage) -> None:
    """As where the environment has no secret, or one of an earlier term."""
    pull = stage.hand_in(ADA)
    order = stage.grading(ADA, pull)
    run = run_workflow(stage.machine, replace(order, secrets={**order.secrets, "GRADING_KEY": ""}))
    assert run.results == {**ALL_WELL, "grade": "failure"}
    assert (written(stage), artifacts(stage.machine)) == (POSTED, [])
    assert "That is no fault of yours" in stage.github.comments[0].body
    assert [status.state for status in stage.github.statuses] == ["error"]


def test_without_an_open_pull_request_nothing_is_graded(stage: Stage) -> None:
    """As for a run of one that was closed in the meantime."""
    pull = stage.hand_in(ADA)
    order = stage.grading(ADA, pull)
    pull.state = "closed"
    run = run_workflow(stage.machine, order)
    assert run.results == {"resolve": "success"}
    assert "Nothing to grade" in run.text
    assert written(stage) == []


def test_a_push_alone_is_graded_nowhere(stage: Stage) -> None:
    """Neither in the fork, which has the same workflows, nor in the course, whose own pushes are not practised."""
    pull = stage.hand_in(ADA)
    order = stage.grading(ADA, pull)
    payload = order.event.payload
    payload["workflow_run"]["event"] = "push"
    assert whether_anything_ran(stage, order) == (False, 0)

    push = pushed(pull, ADA.message)
    in_fork = replace(order.event, payload={**payload, "repository": push.payload["repository"]})
    assert whether_anything_ran(stage, replace(order, number=next(stage.numbers), event=in_fork)) == (False, 0)

    of_staff = Event("push", pull.to.full_name, "staff", {**push.payload, "repository": payload["repository"]})
    practice = Order(of_staff, order.checkout, FEEDBACK, next(stage.numbers))
    assert whether_anything_ran(stage, practice) == (False, 0)
    assert stage.github.requests == []


def whether_anything_ran(stage: Stage, order: Order) -> tuple[bool, int]:
    """Return whether a job has run, and the exit code."""
    run = run_workflow(stage.machine, order)
    return bool(run.results), run.exit_code


def when_grading(act: Callable[[], None]) -> Watch:
    """Return a watcher that lets something happen as soon as the pull request has been found and its grading begins."""
    waiting = [act]

    def watch(line: str) -> None:
        if waiting and '"jobID":"grade"' in line:
            waiting.pop()()

    return watch


def written(stage: Stage) -> list[tuple[str, str]]:
    """Return what was written on GitHub, in order: how, and where."""
    wrote = [request for request in stage.github.requests if request.method != "GET"]
    return [(request.method, "comments" if "/comments" in request.path else "statuses") for request in wrote]


def processes(scratch: Path) -> list[str]:
    """Return the command lines of all processes that have to do with this rehearsal: each names a file in it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " ")
            except OSError:  # it has ended meanwhile
                continue
            if str(scratch) in line:
                found.append(line)
    return found


def is_grading(lines: list[str]) -> bool:
    """Return whether a judge is at work, and beside the host, which workers come from, one of them."""
    return any("graders grade" in line for line in lines) and len([line for line in lines if "boot.py" in line]) > 1


def wait_for(happens: Callable[[], bool]) -> None:
    """Wait until something is so."""
    last = time.monotonic() + SECONDS
    while not happens():
        assert time.monotonic() < last, "it did not happen"
        time.sleep(0.05)
