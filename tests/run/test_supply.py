"""Where workers come from: fresh processes answer as forked ones do, and only the process that was started is heard."""

import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest
import torch

from graders.engine.run import fresh, supply
from graders.engine.run.connection import WorkerLost
from graders.engine.run.forking import ForkingSupply
from graders.engine.run.fresh import FreshSupply
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.launch import ROOT, HostFailed, command, environment
from graders.engine.run.raised import Raised
from graders.engine.run.supply import WorkerSupply, start_supply
from tests.run.conftest import LONG, SHORT, Start, Worker

FILE = """
import os, sys, torch
from torch import nn

class Tables(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.tok = nn.Embedding(rows, width)
        self.drop = nn.Dropout(0.5)
    def forward(self, ids):
        return self.drop(self.tok(ids))

def talk():
    print("out")
    print("err", file=sys.stderr)

def surroundings():
    found = [dict(os.environ), os.getcwd() == os.sep, torch.get_num_threads(), sys.stdin.read()]
    for name in ("graders", "reference", "exercises", "tests"):
        try: __import__(name)
        except ModuleNotFoundError as error: found.append(str(error))
    return found

def path(): return list(sys.path)
def bad(x): raise ValueError(f"no {x}")
def leave(): sys.exit(3)
def endless():
    print("so far")
    while True: pass
def crash():
    print("so far")
    os._exit(3)
"""


@pytest.fixture(scope="module")
def fresh_supply() -> Iterator[FreshSupply]:
    with closing(FreshSupply(Isolation(Mode.PRACTICE))) as made:
        yield made


@pytest.fixture(params=["the fastest", "fresh"])
def either(request: pytest.FixtureRequest, supply: WorkerSupply, fresh_supply: FreshSupply) -> WorkerSupply:
    return fresh_supply if request.param == "fresh" else supply


def plain(value: Any) -> Any:
    """Return an answer so that two can be compared."""
    if isinstance(value, torch.Tensor):
        return (value.dtype, value.tolist())
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if hasattr(value, "values"):
        return (plain(value.values), value.requires_grad, value.device, value.type_name)
    return value


def answers(worker: Worker) -> Iterator[Any]:
    """Yield the answers to a good part of what can be asked."""
    ids = torch.tensor([[1, 3, 3, 0]])
    tables = worker.make("Tables", 5, width=3, seed=4)
    yield tables
    yield worker.call(tables, ids, seed=2)
    yield worker.backward(tables, ids, upstream=torch.ones(1, 4, 3), of=["tok.weight"])
    yield worker.order("inventory", module=tables)
    yield worker.order("random_numbers", seed=None)
    yield worker.order("describe", name="Tables")
    yield worker.order("place", name="Tables", kwargs={"rows": 5, "width": 3}, inputs=[ids])
    yield worker.make("surroundings")
    for name in ("bad", "leave"):
        yield worker.make(name, *["way"] * (name == "bad"))
    yield worker.make("missing")


def test_a_fresh_worker_answers_as_a_forked_one(start: Start, fresh_supply: FreshSupply) -> None:
    workers = start(FILE), start(FILE, of=fresh_supply)
    forked, by_fresh = ([plain(answer) for answer in answers(worker)] for worker in workers)
    assert forked == by_fresh
    assert forked[7][:4] == [{}, True, 1, ""]
    assert len(forked[7]) == 8
    for worker in workers:
        assert str(ROOT) not in worker.make("path")
        worker.connection.take_output()
        worker.make("talk")
        wait_for_output(worker, b"out\nerr\n")


def wait_for_output(worker: Worker, expected: bytes) -> None:
    """Expect this output within a few seconds: that of a fresh worker takes a way round."""
    got, give_up = b"", time.monotonic() + 10
    while got != expected and time.monotonic() < give_up:
        got += worker.connection.take_output()
        time.sleep(0.01)
    assert got == expected


@pytest.mark.parametrize(("name", "reason", "exit_code"), [("endless", "timeout", -9), ("crash", "crashed", 3)])
def test_endings(start: Start, either: WorkerSupply, name: str, reason: str, exit_code: int) -> None:
    worker = start(FILE, of=either)
    began = time.monotonic()
    with pytest.raises(WorkerLost) as caught:
        worker.make(name, seconds=SHORT)
    assert time.monotonic() - began < LONG
    assert caught.value.reason == reason
    if sys.platform != "win32":
        assert caught.value.end.exit_code == exit_code
    assert worker.connection.take_output() == b"so far\n"


def test_this_system_has_its_fastest_supply(monkeypatch: pytest.MonkeyPatch) -> None:
    for platform, kind in (("linux", ForkingSupply), ("darwin", FreshSupply), ("win32", FreshSupply)):
        monkeypatch.setattr(supply.sys, "platform", platform)
        monkeypatch.setattr(supply, "ForkingSupply", lambda isolation: object.__new__(ForkingSupply))
        made = start_supply(Isolation(Mode.PRACTICE))
        assert isinstance(made, kind)
        if isinstance(made, FreshSupply):
            made.close()


def test_processes_start_with_an_environment_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setattr(sys, "platform", "linux")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    memory = {"MALLOC_ARENA_MAX": "2", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    assert environment() == {**threads, **memory, "CUDA_VISIBLE_DEVICES": ""}
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("SYSTEMROOT", "C:\\Windows")
    assert environment()["SYSTEMROOT"] == "C:\\Windows"


def test_processes_get_package_folders_and_nothing_else_of_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", str(ROOT), "/x/lib", "/x/site-packages", "/y/dist-packages"])
    line = command("host")
    assert '["/x/site-packages", "/y/dist-packages"]' in line
    assert {"-I", "-S"} <= set(line)


# The loopback port of a fresh worker


def test_strangers_who_call_first_are_turned_away(
    start: Start, fresh_supply: FreshSupply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One guesses, one sends what is no text, one says nothing, one hangs up at once."""
    monkeypatch.setattr(fresh, "TOKEN_SECONDS", 0.2)
    address = fresh_supply._listener.getsockname()
    strangers = [socket.create_connection(address) for _ in range(4)]
    strangers[0].sendall(b"0" * 32)
    strangers[1].sendall(b"\xff\xfe\x00" * 20)
    strangers[3].close()
    worker = start("def fine(): return 1", of=fresh_supply)
    assert worker.make("fine") == 1
    for stranger in strangers[:3]:
        with stranger:
            stranger.settimeout(10)
            with suppress(ConnectionResetError):  # so it ends for one whose words are left unread
                assert stranger.recv(100) == b""


def test_a_process_that_does_not_start_is_told_with_what_it_printed(
    fresh_supply: FreshSupply, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import sys; sys.exit('torch is broken')"
    monkeypatch.setattr(fresh, "command", lambda kind: [sys.executable, "-I", "-S", "-c", code])
    with pytest.raises(HostFailed, match=r"exit code 1\).*torch is broken"):
        fresh_supply.start(100)


def test_a_process_that_never_calls_is_given_up(fresh_supply: FreshSupply, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import time; time.sleep(600)"
    monkeypatch.setattr(fresh, "command", lambda kind: [sys.executable, "-I", "-S", "-c", code])
    monkeypatch.setattr(fresh, "START_SECONDS", 0.1)
    with pytest.raises(HostFailed, match="did not start"):
        fresh_supply.start(100)


def test_no_thread_is_left_behind(start: Start, supply: WorkerSupply) -> None:
    before = threading.active_count()
    assert isinstance(start(FILE, of=supply).make("bad", 1), Raised)
    assert threading.active_count() <= before
