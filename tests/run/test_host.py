"""The host: nobody outlives it, it outlives nobody it should not, and a new one takes its place when it is killed."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from graders.engine.run import forking
from graders.engine.run.connection import WorkerLost
from graders.engine.run.forking import ForkingSupply
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.launch import BOOT, ROOT, HostFailed
from tests.run.conftest import SHORT, WITHOUT_REFUSALS, Start, all_gone, linux_only, lives

pytestmark = linux_only

PIDS = """
import os
def pids(): return [os.getpid(), os.getppid()]
def attack():
    while True: pass
"""
BUSY = """
import os, subprocess
def pids():
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(tell, str(os.getpid()).encode())
            while True: pass
        os._exit(0)
    return [os.getpid(), os.getppid(), subprocess.Popen(["/bin/sleep", "600"]).pid, int(os.read(told, 100))]
def attack():
    while True: pass
"""
"""Code that leaves processes behind, in a session of their own too, where a machine has no means to refuse them."""


@pytest.fixture
def own() -> Iterator[ForkingSupply]:
    """A supply whose host this test may harm. Its workers are the students' that can do most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forking, "ANSWER_SECONDS", 1)
        with closing(ForkingSupply(WITHOUT_REFUSALS)) as own:
            yield own


def test_a_host_that_is_harmed_takes_its_workers_along_and_is_replaced(start: Start, own: ForkingSupply) -> None:
    busy, bystander = start(PIDS, of=own), start(PIDS, of=own)
    pid, host = bystander.make("pids")
    # In the middle of an order, as the system does for want of memory.
    killing = threading.Timer(SHORT, os.kill, (host, signal.SIGKILL))
    killing.start()
    with pytest.raises(HostFailed, match="was killed while student code ran"):
        busy.make("attack")
    killing.join()
    assert all_gone([host, pid])
    with pytest.raises(HostFailed, match="was killed"):
        bystander.make("pids")

    # The next worker has a host again. If that one is only stopped, it is as good as gone.
    worker = start(PIDS, of=own)
    pid, second = worker.make("pids")
    assert second != host
    os.kill(second, signal.SIGSTOP)
    end = worker.connection.close()
    assert end is not None
    assert end.exit_code == -signal.SIGKILL
    assert all_gone([pid, second])
    assert start(PIDS, of=own).make("pids")[1] not in (host, second)


def test_closing_the_supply_ends_every_process(start: Start, own: ForkingSupply) -> None:
    workers = [start(BUSY, of=own) for _ in range(2)]
    pids = [pid for worker in workers for pid in worker.make("pids")]
    assert all(lives(pid) for pid in pids)
    own.close()
    assert all_gone(pids)
    # Closing a connection afterwards kills nobody who has a dead worker's number by now.
    end = workers[0].connection.close()
    assert end is not None
    assert end.exit_code == -signal.SIGKILL
    with pytest.raises(WorkerLost, match="crashed"):
        workers[1].make("attack", seconds=SHORT)


@pytest.mark.usefixtures("unwatched")
def test_a_worker_that_ends_leaves_the_others_processes_alone(start: Start) -> None:
    first, second = start(BUSY), start(BUSY)
    pids = second.make("pids")
    first.make("pids")
    first.connection.close()
    assert all(lives(pid) for pid in pids[:3])
    second.connection.close()
    assert all_gone([pids[0], *pids[2:]])
    assert lives(pids[1])


def test_a_supply_can_be_closed_while_its_host_still_starts() -> None:
    supply = ForkingSupply(Isolation(Mode.PRACTICE))
    host = supply._host
    supply.close()
    assert host.is_gone()


def test_a_host_that_does_not_start_is_told_as_the_graders_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "command", lambda kind: [sys.executable, "-I", "-S", "-c", "raise SystemExit(1)"])
    with closing(ForkingSupply(Isolation(Mode.PRACTICE))) as supply, pytest.raises(HostFailed, match="host process"):
        supply.start(100)


def test_a_host_that_lacks_what_it_needs_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    start = forking.command("host")
    # As on a system whose processors can't be asked, or that has no room.
    spoilt = (
        "import sys, tempfile\ndef refuse(): raise OSError('no random numbers here')\ntempfile.gettempdir = refuse\n"
    )
    spoilt += f"sys.argv = sys.argv[1:]\nexec(compile(open({str(BOOT)!r}).read(), 'boot', 'exec'))"
    monkeypatch.setattr(
        forking,
        "command",
        lambda kind: [*start[: start.index(str(BOOT))], "-c", spoilt, "boot", *start[start.index(str(BOOT)) + 1 :]],
    )
    with closing(ForkingSupply(Isolation(Mode.PRACTICE))) as supply:
        with pytest.raises(HostFailed, match=r"can't do its work here \(OSError: no random numbers here\)"):
            supply.start(100)
        assert supply._host.is_gone()


def test_a_host_that_never_answers_is_told_as_the_graders_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import time; time.sleep(60)"
    monkeypatch.setattr(forking, "command", lambda kind: [sys.executable, "-I", "-S", "-c", code])
    monkeypatch.setattr(forking, "START_SECONDS", 0.2)
    with closing(ForkingSupply(Isolation(Mode.PRACTICE))) as supply:
        with pytest.raises(HostFailed, match="does not answer"):
            supply.start(100)
        assert supply._host.is_gone()


JUDGE = f"""
import time
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.supply import start_supply
supply = start_supply(Isolation(Mode.PRACTICE, {WITHOUT_REFUSALS.layers!r}))
print(supply._host._process.pid, flush=True)
import torch
def give(connection, name, /, **arguments):
    return connection.order(name, arguments, time.monotonic() + 60)
connections = []
for _ in range(3):
    connection = supply.start(1024)
    source = torch.frombuffer(bytearray({BUSY.encode()!r}), dtype=torch.uint8)
    give(connection, "load", source=source, name="busy", label="busy.py")
    print(*give(connection, "make", name="pids", args=[], kwargs={{}}, seed=0), flush=True)
    connections.append(connection)
print("ready", flush=True)
give(connection, "make", name="attack", args=[], kwargs={{}}, seed=0)
"""


@pytest.mark.parametrize("moment", ["while the host starts", "while a worker is busy"])
def test_nothing_outlives_a_judge_that_is_killed(moment: str) -> None:
    judge = subprocess.Popen(
        [sys.executable, "-c", JUDGE], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with judge:
        assert judge.stdout is not None
        pids = [int(judge.stdout.readline())]
        if moment == "while a worker is busy":
            for _ in range(3):
                pids += map(int, judge.stdout.readline().split())
            assert judge.stdout.readline() == "ready\n"
        assert all(lives(pid) for pid in pids)
        os.kill(judge.pid, signal.SIGKILL)
    assert all_gone(pids)


def test_a_host_that_is_killed_just_before_it_is_asked_is_replaced(start: Start, own: ForkingSupply) -> None:
    """Its end is not to be seen yet, and the question still goes out."""
    first = start(PIDS, of=own).make("pids")[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own._host, "is_gone", lambda: False)
        os.kill(first, signal.SIGKILL)
        assert all_gone([first])
        assert start(PIDS, of=own).make("pids")[1] != first
