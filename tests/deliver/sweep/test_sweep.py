"""A sweep of forks and pull requests: whose commit counts is what the server had received by the deadline."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graders.engine.deliver.github.api import session
from graders.engine.deliver.github.sweep import conduct, copies
from graders.engine.deliver.github.sweep.choosing import choose
from graders.engine.deliver.github.sweep.look import Lost
from tests.command_line import GRADERS_FAULT, NOTHING_GRADED, ROOT
from tests.github.git_server import commit, run_git
from tests.github.state import Artifact, Fault, Push
from tests.github.sweeping import SMALL_COURSE, arguments, commits, findings, listed, said, swept, variables
from tests.github.talk import run, run_lightly
from tests.github.world import AFTER, BEFORE, COURSE, DEADLINE, EXERCISE, RELEASED, WORKFLOW, World

HOSTILE = 'x";$(touch${IFS}owned);`y`\u202e@everyone🦆'


def fetched(student: str, sha: str) -> str:
    return run_git(Path("out/repositories") / student, "cat-file", "blob", f"{sha}:{EXERCISE}")


def asked(world: World) -> list[str]:
    return [request.path for request in world.github.requests]


# ------------------------------------------------------------ what counts


def test_the_last_push_by_the_deadline_counts_and_is_fetched(world: World) -> None:
    ada = world.fork("ada/course")
    world.push(ada, b"first", "2026-11-01T12:00:00Z")
    second = world.push(ada, b"second", DEADLINE)
    world.push(ada, b"third", "2026-12-01T00:00:00Z")
    world.push(ada, b"fourth", AFTER)
    ended, _ = swept(world)
    (item,) = listed().items
    assert (item.sha, item.repository, item.url) == (second, "ada/course", f"{world.server}/ada/course")
    assert item.pushed_at is not None
    assert item.pushed_at.isoformat() == "2026-11-30T23:59:59+00:00"
    assert fetched("ada", second) == "second"
    assert findings("ada") == {
        "late_work": 'after the deadline "main" of ada/course was pushed to 2 times, last at 2026-12-01 12:00:00 UTC; '
        "that is not looked at"
    }
    assert ended.stdout.splitlines()[-1] == "Students: 1, with a commit: 1, without: 0, work after it: 1"


def test_what_else_is_in_a_fork_does_not_come(world: World) -> None:
    """Named files alone, out of a hundred thousand."""
    ada = world.fork("ada/course")
    many = {f"data/{number // 1000}/{number % 1000}.txt": b"x" for number in range(100_000)}
    sha = world.push(ada, b"mine", more=many)
    swept(world)
    here = run_git(Path("out/repositories/ada"), "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)")
    assert here.split().count("blob") == 1
    assert fetched("ada", sha) == "mine"


def test_a_backdated_commit_pushed_after_the_deadline_does_not_count(world: World) -> None:
    """All commits here are of the year 1970 by their own dates."""
    ada = world.fork("ada/course")
    world.push(ada, b"late", AFTER)
    swept(world)
    assert commits() == {"ada": None}
    assert said("ada") == 'nothing was handed in: nothing was pushed to "main" of ada/course by the deadline'


def test_a_forced_push_after_the_deadline_changes_nothing(world: World) -> None:
    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine")
    world.pull(ada, mine)
    world.push(ada, b"better", AFTER, kind="force_push")
    swept(world)
    assert commits() == {"ada": mine}
    assert fetched("ada", mine) == "mine"


def test_a_branch_that_was_deleted_by_the_deadline_holds_nothing(world: World) -> None:
    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine")
    ada.pushes.append(Push("main", mine, "0" * 40, BEFORE, "branch_deletion"))
    swept(world)
    assert commits() == {"ada": None}


def test_forks_of_forks_of_every_kind_are_found_once(world: World) -> None:
    ada, ben = world.fork("ada/course"), world.fork("ben/renamed", branch="trunk")
    world.fork("cleo/course")  # nothing is ever pushed to it
    dora = world.fork("dora/course", of="ada/course")
    eve = world.fork("eve/course", of="dora/course")
    found = {"ada": ada, "ben": ben, "dora": dora, "eve": eve}
    expected = {student: world.push(fork, student.encode()) for student, fork in found.items()}
    copy = world.fork("fay/course", of="ada/course")
    copy.pushes.append(Push("main", "0" * 40, expected["ada"], copy.made, "branch_creation"))
    world.github.most_per_page = 2
    swept(world)
    assert commits() == {**expected, "cleo": None, "fay": None}
    assert said("fay").endswith("by the deadline"), "what it was forked with is another's work"
    assert len([path for path in asked(world) if path.endswith("/activity")]) == len(
        set(expected) | {"course", "c", "f"}
    )


def test_a_fork_at_a_commit_of_the_course_holds_no_work(world: World) -> None:
    ada = world.fork("ada/course")
    newer = world.course({**RELEASED, "README.md": b"mended"}, "2026-10-15T12:00:00Z")
    run_git(world.host.folder / "ada/course.git", "fetch", "--quiet", world.host.folder / f"{COURSE}.git", "main")
    ada.pushes.append(Push("main", "0" * 40, newer, BEFORE))
    swept(world)
    assert said("ada") == 'nothing was handed in: "main" of ada/course is at a commit of the course itself'


def test_forks_that_may_not_be_read_or_were_made_too_late_cost_nobody_else(world: World) -> None:
    for student, status in {"ada": 404, "ben": 403, "cleo": 451, "dora": 409}.items():
        world.push(world.fork(f"{student}/course"), b"mine")
        world.github.repository(f"{student}/course").refuses = status
    world.push(world.fork("eve/course", made=AFTER), b"mine", AFTER)
    fay = world.push(world.fork("fay/course"), b"mine")
    swept(world)
    assert {student for student, sha in commits().items() if sha} == {"fay"}
    assert commits()["fay"] == fay
    assert said("ada") == "nothing was handed in: ada/course is gone, or may not be read"
    assert "may not be read: GitHub did not list the pushes to ben/course" in said("ben")
    assert "for legal reasons" in said("cleo")
    assert said("eve") == "nothing was handed in: the fork eve/course was made after the deadline"


def test_a_fork_that_is_renamed_meanwhile_is_followed(world: World) -> None:
    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine")
    world.pull(ada, mine)

    def rename(request: Any) -> None:
        if request.path == "/repos/ada/course/activity":
            ada.full_name = "ada/thesis"
            world.github.renamed["ada/course"] = "ada/thesis"
            (world.host.folder / "ada/course.git").rename(world.host.folder / "ada/thesis.git")
            world.github.before = lambda request: None

    world.github.before = rename
    swept(world)
    assert commits() == {"ada": mine}
    assert fetched("ada", mine) == "mine", "out of the course's own repository, as git follows nobody"


def test_a_default_branch_that_was_renamed_after_the_deadline(world: World) -> None:
    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine")
    ada.pushes += [Push("trunk", "0" * 40, mine, AFTER, "branch_creation")]
    ada.default_branch = "trunk"
    swept(world)
    assert commits() == {"ada": mine}
    assert 'pushed last until then, to "main", is taken' in findings("ada")["other"]


def test_a_branch_that_was_deleted_before_takes_no_other_work_along(world: World) -> None:
    """The record of all branches is read, as the default one was renamed; and of the deleted one nothing counts."""
    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine", "2026-11-01T12:00:00Z")
    attempt = world.push(ada, b"an attempt", "2026-11-02T12:00:00Z", branch="attempt")
    ada.pushes.append(Push("attempt", attempt, "0" * 40, BEFORE, "branch_deletion"))
    ada.pushes.append(Push("trunk", "0" * 40, mine, AFTER, "branch_creation"))
    ada.default_branch = "trunk"
    swept(world)
    assert commits() == {"ada": mine}


def test_who_pushed_is_told_where_it_was_not_the_owner(world: World) -> None:
    """A fork was given away, or belongs to an organisation, or somebody else may push to it."""
    ada = world.fork("ada/course")
    world.push(ada, b"mine")
    ada.pushes[-1].by = "eve"
    swept(world)
    assert findings("ada") == {"other": "what counts was pushed by eve, not by ada, whose fork it is now"}


# ------------------------------------------------------------ pull requests


def test_of_the_default_branch_and_one_with_a_pull_request_the_last_push_counts(world: World) -> None:
    ada = world.fork("ada/course")
    world.push(ada, b"old", "2026-11-01T12:00:00Z")
    mine = world.push(ada, b"mine", branch=HOSTILE)
    world.push(ada, b"unseen", BEFORE, branch="another")
    world.pull(ada, mine, HOSTILE)
    ended, _ = swept(world)
    assert commits() == {"ada": mine}
    assert "there is other work in" in findings("ada")["other"]
    assert "\u202e" not in ended.stdout + ended.stderr
    assert not Path("owned").exists()


def test_a_pull_request_whose_fork_is_gone_counts_from_when_the_server_knew_it(world: World) -> None:
    shas = {}
    for student, updated in {"ada": BEFORE, "ben": AFTER, "cleo": AFTER}.items():
        fork = world.fork(f"{student}/course")
        shas[student] = world.push(fork, student.encode())
        pull = world.pull(fork, shas[student])
        pull.fork, pull.updated, pull.state = None, updated, "closed"
        world.github.repositories.remove(fork)
        shutil.rmtree(world.host.folder / f"{student}/course.git")
    world.github.repository(COURSE).runs += [(shas["ben"], BEFORE), (shas["ben"], AFTER), (shas["cleo"], AFTER)]
    swept(world)
    assert commits() == {"ada": shas["ada"], "ben": shas["ben"], "cleo": None}
    assert fetched("ben", shas["ben"]) == "ben"
    assert "nothing says that GitHub had its commit" in said("cleo")
    assert [item.repository for item in listed().items] == [COURSE] * 3


def test_a_fork_that_is_in_no_list_is_known_by_its_pull_request(world: World) -> None:
    ada = world.fork("ada/course")
    ada.hidden = True
    mine = world.push(ada, b"mine")
    world.pull(ada, mine)
    swept(world)
    assert commits() == {"ada": mine}


def test_two_repositories_of_one_account_are_one_student(world: World) -> None:
    first, second = world.fork("ada/course"), world.fork("Ada/again", of="ada/course")
    world.push(first, b"older", "2026-11-01T12:00:00Z")
    newer = world.push(second, b"newer")
    swept(world)
    assert commits() == {"ada": newer}
    assert "there are several repositories: ada/course, Ada/again" in " ".join(
        finding.words for finding in listed().items[0].findings
    )


def test_pull_requests_by_the_thousand_stop_nobody_elses_grading(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine")
    for _ in range(3):
        world.pull(ada, mine)
    monkeypatch.setattr(session, "MOST_PAGES", 2)
    world.github.most_per_page = 1
    ended, _ = swept(world)
    assert commits() == {"ada": mine}
    assert "older pull requests: GitHub did not list the pull requests: the list has more than 2 pages" in ended.stdout


def test_lost_pull_requests_by_the_hundred_stop_nobody_elses_grading() -> None:
    lost = [Lost(pull=number, owner="eve", sha=f"{number:040x}", known_at=None) for number in range(1, 201)]
    (eve,) = choose([], lost, frozenset(), COURSE, "https://host.example")
    assert len(eve.findings) == 100


# ------------------------------------------------------------ the roster


def test_the_roster_names_students_and_extends_deadlines(world: World) -> None:
    for student in ("ada", "ben"):
        world.push(world.fork(f"{student}/course"), b"mine", "2026-12-01T10:00:00Z")
    world.push(world.fork("s17/course"), b"of a stranger")
    Path("roster.csv").write_text(
        "login,id,name,email,section,extension\nAda,s1,Ada A,,,12\nben,s2,Ben B,,,\n,s17,Eve E,,,\nfay,s4,Fay F,,,\n",
        encoding="utf-8",
    )
    swept(world, "--roster", "roster.csv")
    found = {student: bool(sha) for student, sha in commits().items()}
    assert found == {"Ada": True, "ben": False, "fay": False, "s17": False, "s17 (of no student)": True}
    assert said("fay") == "nothing was handed in: fay has no fork, and no pull request from one that is gone"
    assert "in no row of the roster" in findings("s17 (of no student)")["other"]


# ------------------------------------------------------------ what a score does not say


def test_edited_workflows_are_told_and_those_of_an_earlier_release_are_not(world: World) -> None:
    old = world.fork("ada/course")
    world.course({**RELEASED, WORKFLOW: b"name: mended\n"}, "2026-10-15T12:00:00Z")
    new = world.fork("ben/course")
    for fork, workflow in ((old, b"name: feedback\n"), (new, b"name: mended\n")):
        world.push(fork, b"mine", more={WORKFLOW: workflow})
    world.push(world.fork("cleo/course"), b"mine", more={WORKFLOW: b"name: mine\n", ".github/workflows/\x1b[2J": b""})
    dora = world.fork("dora/course")
    files = {EXERCISE: b"mine", ".github/workflows": ("120000", b"/etc")}
    dora.pushes.append(Push("main", "0" * 40, commit(world.host.folder, "dora/course", files), BEFORE))
    swept(world)
    told = {item.student: findings(item.student).get("workflow_edited") for item in listed().items}
    assert told["ada"] is told["ben"] is None
    assert told["cleo"] == (
        "the files in .github/workflows are not the course's; changed: feedback.yml; added: \\x1b[2J"
    )
    assert told["dora"] is not None
    assert "missing: feedback.yml" in told["dora"]


def test_forks_without_any_run_are_told(world: World) -> None:
    ada, ben = world.fork("ada/course"), world.fork("ben/course")
    world.push(ada, b"mine")
    ben.runs.append((world.push(ben, b"mine"), BEFORE))
    swept(world)
    off = {item.student for item in listed().items for finding in item.findings if finding.kind == "actions_off"}
    assert off == {"ada"}


def test_essentials_come_first_and_the_rest_leaves_requests_to_others(world: World) -> None:
    for student in ("ada", "ben"):
        world.push(world.fork(f"{student}/course"), b"mine")
    world.github.faults.append(Fault(200, {"x-ratelimit-remaining": "59"}, body=b"[]", path=r"ben/course/activity"))
    ended, _ = swept(world)
    assert "the own runs of 1 of 1 forks were not looked up: GitHub answers 59 more requests" in ended.stdout
    assert not [path for path in asked(world) if "/actions/" in path]
    assert Path("out/sweep.jsonl").exists()
    swept(world)
    assert not Path("out/sweep.jsonl").exists()


def test_three_requests_for_each_fork_at_most(world: World) -> None:
    """So that 300 forks fit in the 1,000 that a job's token has in an hour."""
    students = [f"student{number}" for number in range(3)]
    for student in students:
        fork = world.fork(f"{student}/course")
        sha = world.push(fork, b"mine")
        fork.artifacts.append(Artifact(fork.id, sha, b"no archive"))
    swept(world)
    of_course = [path for path in asked(world) if path.startswith(f"/repos/{COURSE}")]
    assert len(of_course) == 4
    assert len(asked(world)) - len(of_course) == 3 * len(students)


# ------------------------------------------------------------ when something goes wrong


def test_a_rate_limit_in_the_middle_is_waited_for_or_the_sweep_goes_on_later(world: World) -> None:
    shas = {student: world.push(world.fork(f"{student}/course"), b"mine") for student in ("ada", "ben", "cleo")}
    world.github.faults.append(Fault(429, {"retry-after": "90"}, path=r"ben/course/activity"))
    _, waits = swept(world)
    assert 90.0 in waits.slept
    assert commits() == shas
    shutil.rmtree("out")
    world.github.faults.append(
        Fault(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800003500"}, path=r"cleo/course/activity")
    )
    ended, _ = swept(world, ends=GRADERS_FAULT)
    assert "2 of 3 forks have been looked at; the next sweep into the same folder goes on from there" in ended.stderr
    assert not Path("out/submissions.json").exists()
    world.github.requests.clear()
    swept(world)
    assert commits() == shas
    assert [path for path in asked(world) if path.endswith("/activity") and COURSE not in path] == [
        "/repos/cleo/course/activity"
    ]


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
@pytest.mark.parametrize(("number", "ends"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_sweep_that_is_ended_leaves_no_list_and_goes_on_where_it_was(
    number: signal.Signals, ends: int, world: World
) -> None:
    shas = {student: world.push(world.fork(f"{student}/course"), b"mine") for student in ("ada", "ben", "cleo")}
    started: list[subprocess.Popen[str]] = []

    def kill(request: Any) -> None:
        if request.path == "/repos/cleo/course/activity":
            started[0].send_signal(number)

    world.github.before = kill
    start = "import sys; sys.argv[0] = 'grade'; from graders.engine.cli.app import main; main()"
    environment = {**os.environ, **variables(world), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", start, *map(str, arguments(deadline=BEFORE))]
    process = subprocess.Popen(command, env=environment, text=True)
    try:
        started.append(process)
        assert process.wait(60) == ends
    finally:
        process.kill()
    assert not Path("out/submissions.json").exists()
    world.github.before = lambda request: None
    world.github.requests.clear()
    # Which needs no package but those that talk to GitHub.
    done = run_lightly(Path.cwd(), *arguments(deadline=BEFORE), **variables(world), PATH=os.environ["PATH"])
    assert done.returncode == 0, done.stderr
    assert commits() == shas
    assert [path for path in asked(world) if path.endswith("/activity")] == [
        "/repos/staff/course/activity",
        "/repos/cleo/course/activity",
    ]


@pytest.mark.parametrize("student", ["ben", "cleo"])
def test_a_sweep_that_is_killed_while_it_fetches_leaves_no_half_of_a_copy(
    student: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the memory of a machine that goes off; a copy takes its place when it is whole."""
    shas = {student: world.push(world.fork(f"{student}/course"), b"mine") for student in ("ada", "ben", "cleo")}

    def stop(line: str) -> None:
        if line == f"fetched {student}":
            raise MemoryError

    real = copies.fetch_all
    monkeypatch.setattr(conduct, "fetch_all", lambda *given: real(*given[:-1], stop))
    swept(world, ends=GRADERS_FAULT)
    assert not Path("out/submissions.json").exists()
    monkeypatch.undo()
    monkeypatch.chdir(world.host.folder.parent / "here")
    world.host.requests.clear()
    swept(world)
    assert [one for one in shas if any(f"/{one}/" in request for request in world.host.requests)] == (
        ["cleo"] if student == "ben" else []
    )
    assert {one: fetched(one, sha) for one, sha in shas.items()} == dict.fromkeys(shas, "mine")


def test_what_was_kept_is_not_used_for_another_deadline_nor_when_it_is_torn(world: World) -> None:
    ada = world.fork("ada/course")
    first, second = world.push(ada, b"first"), world.push(ada, b"second", AFTER)
    world.push(world.fork("ben/course"), b"mine")
    stop = Fault(401, message="Bad credentials", path=r"ben/course/activity")
    world.github.faults.append(stop)
    swept(world, ends=GRADERS_FAULT)
    kept = Path("out/sweep.jsonl")
    kept.write_bytes(kept.read_bytes()[:-20] + b"\xff")
    world.github.requests.clear()
    swept(world)
    assert "/repos/ada/course/activity" in asked(world)
    assert commits()["ada"] == first
    assert fetched("ada", first) == "first"
    swept(world, deadline="2026-12-02T00:00:00Z")
    assert commits()["ada"] == second
    assert fetched("ada", second) == "second", "the copy is of the commit that counts"


def test_a_push_between_two_sweeps_of_a_deadline_that_has_not_come_is_seen(world: World) -> None:
    ada = world.fork("ada/course")
    world.push(ada, b"first")
    swept(world, deadline="2029-01-01T00:00:00Z")
    second = world.push(ada, b"second", AFTER)
    swept(world, deadline="2029-01-01T00:00:00Z")
    assert commits() == {"ada": second}


def test_a_long_record_of_pushes_is_read_page_by_page_and_not_without_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graders.engine.deliver.github.sweep import pushes

    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine")
    ada.pushes += [Push("main", mine, mine, AFTER) for _ in range(250)]
    swept(world)
    assert commits() == {"ada": mine}
    assert asked(world).count("/repos/ada/course/activity") == 3
    shutil.rmtree("out")
    monkeypatch.setattr(pushes, "MOST_PUSHES", 200)
    swept(world)
    assert commits() == {"ada": None}
    assert "there were 200 pushes after the deadline" in said("ada")


def test_a_copy_that_was_cut_off_is_made_anew(world: World) -> None:
    sha = world.push(world.fork("ada/course"), b"mine")
    Path("out/repositories/ada").mkdir(parents=True)
    swept(world)
    assert fetched("ada", sha) == "mine"
    assert sorted(path.name for path in Path("out/repositories").iterdir()) == ["ada"]
    world.host.requests.clear()
    swept(world)
    assert not [request for request in world.host.requests if "ada" in request], "what is there is not fetched again"


def test_a_git_server_that_fails_ends_the_sweep_with_what_there_is(world: World) -> None:
    world.push(world.fork("ada/course"), b"mine")
    shutil.rmtree(world.host.folder / "ada/course.git")
    swept(world)
    assert "the commit could not be fetched" in findings("ada")["other"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--deadline", "tomorrow"], "'tomorrow' is no moment; expected a moment as"),
        (["--deadline", "2026-11-30T23:59"], "has no time zone"),
        ([], "there is no deadline: expected --deadline TIME, or the block `late` in grading.yaml"),
    ],
)
def test_a_deadline_that_is_none(arguments: list[str], words: str, tmp_path: Path) -> None:
    ended, _ = run(tmp_path, "sweep", COURSE, "--out", "out", "--course", SMALL_COURSE, *arguments, GITHUB_TOKEN="x")
    assert ended.returncode == NOTHING_GRADED
    assert words in ended.stderr


def test_without_a_deadline_it_is_the_end_of_the_grace_in_the_rubric(world: World) -> None:
    """An empty one is none, as a workflow gives it that nobody has told any."""
    ada = world.fork("ada/course")
    mine = world.push(ada, b"mine", "2026-11-30T23:09:59Z")
    world.push(ada, b"late", "2026-11-30T23:10:01Z")
    shutil.copytree(SMALL_COURSE, "course")
    with open("course/grading.yaml", "a", encoding="utf-8") as rubric:
        rubric.write('late: {deadline: "2026-11-30T23:59+01:00", grace_minutes: 11, percent_per_day: 10}\n')
    swept(world, "--course", "course", deadline="")
    assert commits() == {"ada": mine}
    assert listed().deadline.isoformat() == "2026-11-30T23:10:00+00:00"


def test_shards_for_a_workflow(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from graders.engine.cli import sweep

    monkeypatch.setattr(sweep, "PER_SHARD", 2)
    for number in range(3):
        world.push(world.fork(f"student{number}/course"), b"mine")
    swept(world, "--output", "outputs")
    lines = dict(line.split("=") for line in Path("outputs").read_text(encoding="utf-8").splitlines())
    assert (lines["of"], json.loads(lines["shards"]), lines["students"]) == ("2", [1, 2], "3")
