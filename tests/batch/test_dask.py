"""Tests of a class on a Dask cluster: a real scheduler and real workers, killed, of another version, absent."""

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import dask
import pytest

from graders.engine.batch import dask_cluster, dask_crew, dask_hall
from graders.engine.batch.crew import Done, Failed, Setup
from graders.engine.batch.dask_cluster import Cluster, Ended, read_address
from graders.engine.batch.dask_crew import DaskCrew
from graders.engine.batch.dask_folder import PrivateFolder
from graders.engine.batch.dask_hall import Answer, Hall, Said
from graders.engine.batch.dask_kit import differences, pack, unpack
from graders.engine.errors import CourseError, SandboxError, ServiceError, UsageError
from graders.engine.score.class_folder import read_class
from tests.batch.conftest import MakePlan
from tests.batch.dask_processes import MAIN, OLDER, DaskProcesses, started_by, wait_until
from tests.batch.small_class import COURSE, HONEST, ROOT, card_without_times, hand_in, without_times
from tests.batch.test_members import job
from tests.command_line import CommandLine
from tests.run.conftest import all_gone, linux_only

pytestmark = linux_only


@pytest.fixture
def setup(plan: MakePlan, tmp_path: Path) -> Setup:
    return plan(hand_in(tmp_path / "source", ada=HONEST), tmp_path / "made").setup


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskProcesses]:
    """A scheduler, and no worker yet."""
    (tmp_path / "dask").mkdir()
    processes = DaskProcesses(tmp_path / "dask")
    yield processes
    processes.end()


def hand_in_many(folder: Path, count: int) -> Path:
    return hand_in(folder, **{f"s{number}": f"{HONEST}# takes a while\n# {number}\n" for number in range(count)})


# ------------------------------------------------------------ real clusters


def test_a_worker_killed_midway_costs_nobody_a_card(
    cluster: DaskProcesses, tmp_path: Path, command_line: CommandLine, stand_ins: None
) -> None:
    """And the class folder is the one that this machine alone makes, to the byte but for times."""
    hand_in_many(tmp_path / "autumn", 24)
    stays, dies = cluster.add_worker(), cluster.add_worker()
    of_the_dead: list[int] = []

    def kill_midway() -> None:
        wait_until(lambda: len(list(tmp_path.glob("out/cards/s*.json"))) >= 4)
        of_the_dead.extend(started_by(dies))
        dies.kill()

    killer = threading.Thread(target=kill_midway)
    killer.start()
    arguments = ("class", "autumn", "--seed", 7, "--course", COURSE)
    done = command_line.run(tmp_path, *arguments, "--out", "out", "--dask", cluster.address)
    killer.join()
    assert done.returncode == 0, done.stderr
    assert "24 of 24 students have a card: 24 graded now" in done.stdout
    assert "not encrypted" not in done.stderr
    assert of_the_dead
    assert all_gone([*of_the_dead, *started_by(stays)])
    assert cluster.folders() == []
    assert stays.poll() is None
    alone = command_line.run(tmp_path, *arguments, "--out", "alone", "-j", 1)
    assert alone.returncode == 0, alone.stderr
    assert without_times(tmp_path / "out") == without_times(tmp_path / "alone")


def test_a_real_judge_on_a_worker_makes_the_same_card(
    cluster: DaskProcesses, tmp_path: Path, command_line: CommandLine
) -> None:
    hand_in(tmp_path / "autumn", ada=HONEST, bob=HONEST.replace("+ self.bias", ""), exits="import os\nos._exit(0)\n")
    cluster.add_worker(MAIN)
    arguments = ("--seed", 7, "--course", COURSE)
    done = command_line.run(tmp_path, "class", "autumn", *arguments, "--out", "out", "--dask", cluster.address)
    assert done.returncode == 0, done.stderr
    for student in ("ada", "bob", "exits"):
        alone = tmp_path / f"{student}.json"
        command_line.grade(tmp_path, f"autumn/{student}", "--hidden", *arguments, "--json", alone)
        card = (tmp_path / "out" / "cards" / f"{student}.json").read_text(encoding="utf-8")
        assert card_without_times(card) == card_without_times(alone.read_text(encoding="utf-8"))
    assert read_class(tmp_path / "out").entries[0].state == "graded"


def test_interrupted_it_leaves_the_cluster_as_it_was_and_goes_on_later(
    cluster: DaskProcesses, tmp_path: Path, command_line: CommandLine
) -> None:
    hand_in_many(tmp_path / "autumn", 24)
    hand_in(tmp_path / "autumn", a1="# hangs")
    workers = [cluster.add_worker(), cluster.add_worker()]
    arguments = ("class", "autumn", "--out", "out", "--course", str(COURSE), "--dask", cluster.address)
    with subprocess.Popen(
        [sys.executable, "-m", "graders", *arguments, "--seed", "7"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        wait_until(lambda: len(list(tmp_path.glob("out/cards/s*.json"))) >= 4)
        started = [pid for worker in workers for pid in started_by(worker)]
        modes = [stat.S_IMODE(folder.stat().st_mode) for folder in cluster.folders()]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors
    assert modes == [0o700, 0o700]
    assert cluster.folders() == []
    assert all_gone(started)
    assert all(worker.poll() is None and not started_by(worker) for worker in workers)
    seen = read_class(tmp_path / "out")
    assert seen.unsettled == ()
    assert 4 <= len(seen.entries) < 24
    hand_in(tmp_path / "autumn", a1=HONEST)
    done = command_line.run(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    assert "25 of 25 students have a card" in done.stdout


def test_a_worker_of_another_version_is_refused(cluster: DaskProcesses, setup: Setup) -> None:
    cluster.add_worker(OLDER)
    with pytest.raises(UsageError, match=r"has another grader than this machine \(grader 0\.0\.1 there, 0\.\d"):
        DaskCrew(setup, cluster.address, print)


def test_without_a_worker_or_a_scheduler_there_is_an_end(
    cluster: DaskProcesses,
    setup: Setup,
    command_line: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No worker for a while; a scheduler that goes away in the middle, and takes all with it."""
    with pytest.raises(ServiceError, match=r"no worker of the Dask cluster at tcp://.* could judge \(0 there\)"):
        DaskCrew(setup, cluster.address, print, patience=0.5)
    worker = cluster.add_worker()
    hand_in(tmp_path / "autumn", ada=HONEST, bob=HONEST, eve="# hangs")

    def kill_midway() -> None:
        wait_until(lambda: len(list(tmp_path.glob("out/cards/*.json"))) == 2)
        cluster.scheduler.kill()

    killer = threading.Thread(target=kill_midway)
    killer.start()
    done = command_line.run(tmp_path, "class", "autumn", "--out", "out", "--course", COURSE, "--dask", cluster.address)
    killer.join()
    assert done.returncode == 3
    assert "Not all was graded: the Dask scheduler at tcp://127.0.0.1" in done.stderr
    assert "run the same command again: it goes on from here" in done.stderr
    seen = read_class(tmp_path / "out")
    assert [entry.student for entry in seen.entries] == ["ada", "bob"]
    assert not seen.settings.finished
    started = started_by(worker)
    worker.terminate()
    worker.wait()
    assert all_gone(started)
    assert cluster.folders() == []
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    done = command_line.run(tmp_path, "class", "autumn", "--out", "out", "--course", COURSE, "--dask", cluster.address)
    assert done.returncode == 3
    assert f"Nothing was done: no Dask scheduler answers at {cluster.address}" in done.stderr


# ------------------------------------------------------------ the crew, on a cluster that does what a test says


class Told:
    """A cluster whose calls end as a test says."""

    def __init__(self, address: str) -> None:
        self.there = {"tcp://a": 2, "tcp://b": 1}
        self.calls: dict[int, tuple[str, str]] = {}
        self.answers: list[Ended] = []
        self.dropped: list[int] = []
        self.said: list[str] = []
        self.ready = Ended(0, (Said.READY.value, ""))

    def workers(self) -> dict[str, int]:
        return dict(self.there)

    def call(self, worker: str, function: object, *arguments: object) -> int:
        number = len(self.calls) + 1
        self.calls[number] = worker, function.__name__
        if function is dask_hall.open_hall:
            self.answers.append(replace(self.ready, call=number))
        return number

    def next(self, seconds: float) -> Ended | None:
        return self.answers.pop(0) if self.answers else None

    def drop(self, calls: list[int]) -> None:
        self.dropped += calls

    def tell(self, workers: list[str], function: object, *arguments: object) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def told(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> tuple[DaskCrew, Told]:
    """A crew on such a cluster, with two workers that are ready for three submissions."""
    monkeypatch.setattr(dask_crew, "Cluster", Told)
    monkeypatch.setattr(dask_crew, "LOOK_SECONDS", 0.0)
    crew = DaskCrew(setup, "tcp://scheduler", lambda line: crew._cluster.said.append(line), patience=1e9)
    assert crew.size == 3
    return crew, crew._cluster


def answer(told: Told, call: int, said: Said, words: str = "") -> None:
    told.answers.append(Ended(call, (said.value, words)))


def test_no_worker_has_more_than_it_has_threads(told: tuple[DaskCrew, Told]) -> None:
    crew, cluster = told
    for number in range(5):
        crew.give(job(f"s{number}"))
    assert sorted(worker for worker, _ in list(cluster.calls.values())[2:]) == ["tcp://a", "tcp://a", "tcp://b"]
    answer(cluster, 3, Said.DONE, "{}")
    assert crew.take() == Done("s0", "{}")
    crew._step()
    assert len(cluster.calls) == 6


def test_what_a_lost_worker_had_comes_back_as_failed(told: tuple[DaskCrew, Told]) -> None:
    crew, cluster = told
    for number in range(4):
        crew.give(job(f"s{number}"))
    (held,) = (call for call, (worker, _) in cluster.calls.items() if call > 2 and worker == "tcp://b")
    del cluster.there["tcp://b"]
    failed = crew.take()
    assert isinstance(failed, Failed)
    assert failed.words == "the Dask worker that judged it (tcp://b) was lost"
    assert cluster.dropped == [held]
    assert crew.size == 2
    cluster.there["tcp://c"] = 4
    crew._step()
    crew._step()
    assert crew.size == 6
    assert list(cluster.calls.values())[-1] == ("tcp://c", "judge_in_hall")


def test_a_worker_of_another_version_that_joins_later_is_left_out(told: tuple[DaskCrew, Told]) -> None:
    crew, cluster = told
    cluster.there["tcp://c"] = 4
    cluster.ready = Ended(0, (Said.OTHER.value, "grader 1 there, 2 here"))
    for _ in range(3):
        crew._step()
    assert crew.size == 3
    assert [function for worker, function in cluster.calls.values() if worker == "tcp://c"] == ["open_hall"]
    assert cluster.said == [
        "Left out: the Dask worker tcp://c has another grader than this machine (grader 1 there, 2 here); install the "
        "same there, or stop that worker"
    ]
    del cluster.there["tcp://c"]
    crew._step()
    assert cluster.dropped == []


def test_a_submission_whose_hall_is_gone_twice_has_failed(told: tuple[DaskCrew, Told]) -> None:
    """A worker that died and came back by the same name may have died over it."""
    crew, cluster = told
    crew.give(job("eve"))
    answer(cluster, 3, Said.GONE)
    while list(cluster.calls.values())[-1][1] != "judge_in_hall" or len(cluster.calls) == 3:
        crew._step()
    answer(cluster, len(cluster.calls), Said.GONE)
    assert crew.take() == Failed("eve", "the Dask workers that judged it were started anew meanwhile")


def test_a_hall_that_has_rested_is_opened_again_and_nobody_is_to_blame(told: tuple[DaskCrew, Told]) -> None:
    crew, cluster = told
    cluster.there = {"tcp://a": 1}
    crew._step()
    crew.give(job("ada"))
    for _ in range(3):
        judging = max(call for call, (_, function) in cluster.calls.items() if function == "judge_in_hall")
        answer(cluster, judging, Said.RESTED)
        while list(cluster.calls.values())[-1] != ("tcp://a", "judge_in_hall") or max(cluster.calls) == judging:
            crew._step()
    answer(cluster, max(cluster.calls), Said.DONE, "{}")
    assert crew.take() == Done("ada", "{}")


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (Said.NO_SANDBOX, SandboxError, "on the Dask worker tcp://a:\nlandlock is missing"),
        (Said.BAD_COURSE, CourseError, "on the Dask worker tcp://a:\nlandlock is missing"),
        (Said.NO_MEMBER, ServiceError, "on the Dask worker tcp://a no process that judges could be started: landlock"),
    ],
)
def test_where_nothing_can_be_judged_the_run_ends(
    told: tuple[DaskCrew, Told], said: Said, error: type[Exception], words: str
) -> None:
    crew, cluster = told
    crew.give(job("ada"))
    answer(cluster, 3, said, "landlock is missing")
    with pytest.raises(error) as raised:
        crew.take()
    assert str(raised.value).startswith(words)


def test_a_call_that_ends_in_an_error_costs_its_submission_alone(told: tuple[DaskCrew, Told]) -> None:
    crew, cluster = told
    crew.give(job("ada"))
    cluster.answers.append(Ended(3, None, "MemoryError: none left"))
    assert crew.take() == Failed("ada", "on the Dask worker tcp://a: MemoryError: none left")


# ------------------------------------------------------------ on a worker


@pytest.fixture
def hall(setup: Setup, stand_ins: None) -> Iterator[Hall]:
    hall = Hall(pack(setup))
    yield hall
    hall.end()


def processes(hall: Hall) -> list[int]:
    return [member.pid for member in hall._living]


def test_a_member_is_kept_until_it_dies(hall: Hall, setup: Setup) -> None:
    assert hall.judge(job("ada"), 60)[0] == Said.DONE
    (first,) = processes(hall)
    assert hall.judge(job("eve", "# fails us"), 60) == (Said.FAILED.value, "HostFailed: no host")
    assert processes(hall) == [first]
    said, words = hall.judge(job("eve", "# dies always"), 60)
    assert (said, "SIGKILL" in words) == (Said.FAILED.value, True)
    said, words = hall.judge(job("eve", "# hangs"), 1)
    assert (said, words) == (
        Said.FAILED.value,
        "the process that judged it had no result after 1 seconds, and was ended",
    )
    assert processes(hall) == []


def test_a_hall_ends_in_the_middle_of_its_work(hall: Hall) -> None:
    answers: list[Answer] = []
    hall.judge(job("ada"), 60)
    thread = threading.Thread(target=lambda: answers.append(hall.judge(job("eve", "# hangs"), 60)))
    thread.start()
    wait_until(lambda: not hall._free)
    started = processes(hall)
    hall.end()
    thread.join()
    assert all_gone(started)
    assert answers[0][0] == Said.FAILED
    assert hall.judge(job("ada"), 60) == (Said.RESTED.value, "")


def test_a_hall_that_nobody_asks_for_anything_ends(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_hall, "IDLE_SECONDS", 0.01)
    hall = Hall(pack(setup))
    wait_until(lambda: not hall._folder.path.exists())
    assert hall.judge(job("ada"), 60) == (Said.RESTED.value, "")


def test_the_course_travels_whole_and_for_one_user(setup: Setup, tmp_path: Path) -> None:
    from graders.engine.batch.key import course_digest

    folder = tmp_path / "there"
    folder.mkdir(mode=0o700)
    there = unpack(pack(setup), folder)
    assert (there.course.root, there.digest, there.apart[0]) == (folder, setup.digest, folder)
    assert course_digest(there.course, there.rubric, there.slugs, there.hidden) == setup.digest
    paths = list(folder.rglob("*"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}


def test_differences_name_both(setup: Setup) -> None:
    assert differences({"grader": "2", "torch": "3"}, {"torch": "3"}) == "grader unknown there, 2 here"
    assert differences({"grader": "2"}, {"grader": "2", "more": "1"}) == ""


def test_a_private_folder_ends_with_a_process_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where its keeper was killed too, with the next one in that place; what somebody keeps stays."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code = (
        "from graders.engine.batch.dask_folder import PrivateFolder; print(PrivateFolder().path, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "hidden.py").touch()
        process.kill()
    wait_until(lambda: not folder.exists())

    kept, left = PrivateFolder(), PrivateFolder()
    left._broom.kill()
    left._broom.wait()
    assert left.path.exists()
    other = PrivateFolder()
    assert sorted(tmp_path.iterdir()) == sorted([kept.path, other.path])
    for each in (kept, left, other):
        each.end()
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    ("text", "address", "is_open"),
    [
        ("tls://cluster.example.edu:8786", "tls://cluster.example.edu:8786", False),
        ("tcp://10.0.0.7:8786", "tcp://10.0.0.7:8786", True),
        ("cluster:8786", "tcp://cluster:8786", True),
        ("127.0.0.1:8786", "tcp://127.0.0.1:8786", False),
        ("tcp://localhost:1", "tcp://localhost:1", False),
        ("tcp://[::1]:8786", "tcp://[::1]:8786", False),
    ],
)
def test_an_address_says_whether_it_can_be_listened_to(text: str, address: str, is_open: bool) -> None:
    found = read_address(text)
    assert (found.text, found.is_open) == (address, is_open)


@pytest.mark.parametrize("text", ["", "cluster", "http://cluster:80", "tcp://cluster", "tcp://a:0", "a:99999", "a b:1"])
def test_what_is_no_address_is_refused(text: str, tmp_path: Path, command_line: CommandLine) -> None:
    with pytest.raises(UsageError, match="expected the address of a Dask scheduler"):
        read_address(text)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "names no certificates"),
        (
            dict.fromkeys(("distributed.comm.tls.ca-file", "distributed.comm.tls.client.cert"), "none.pem"),
            "cannot be read",
        ),
    ],
)
def test_tls_needs_certificates(settings: dict[str, str], said: str) -> None:
    with dask.config.set(settings), pytest.raises(UsageError, match=said):
        Cluster("tls://127.0.0.1:8786")


def test_a_cluster_has_its_own_number_of_judges(tmp_path: Path, command_line: CommandLine) -> None:
    hand_in(tmp_path / "autumn", ada=HONEST)
    done = command_line.run(tmp_path, "class", "autumn", "--out", "out", "-j", 2, "--dask", "a:1", "--course", COURSE)
    assert done.returncode == 2
    assert "--jobs and --dask: expected one of them" in done.stderr
    assert not (tmp_path / "out").exists()
