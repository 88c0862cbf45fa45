"""Limits: each is set, each bites, a lower one stays, and one that a system only says it set is noticed."""

import os
import sys
import threading

import pytest
import torch

from graders.engine.run.worker.sandbox import limits
from tests.run.sandbox.conftest import Alone, linux_only

pytestmark = linux_only

NAMES = ("CORE", "FSIZE", "NOFILE", "CPU", "AS", "NPROC", "MEMLOCK", "MSGQUEUE")
LIMITED = f"""
import resource
names = {{name: getattr(resource, "RLIMIT_" + name) for name in {NAMES}}}
def held():
    return {{name: list(resource.getrlimit(which)) for name, which in names.items()}}
"""


def test_each_limit_is_set_for_good(alone: Alone) -> None:
    told = alone(
        LIMITED
        + """
def act():
    before = {name: hard for name, (soft, hard) in held().items()}
    mapped = limits.mapped_bytes()
    limits.apply(limits.wanted(100, mapped, 20))
    lifted = {
        name: error_of(lambda: resource.prlimit(0, which, (value + 1, value + 1)))
        for name, which in names.items() for value in [resource.getrlimit(which)[1]]
    } if os.getuid() else {}
    return [before, mapped, held(), lifted]
told = told_by_child(act)
"""
    )
    before, mapped, held, lifted = told
    expected = {"CORE": 0, "FSIZE": 0, "NOFILE": 64, "CPU": 600, "NPROC": 1044, "MEMLOCK": 0, "MSGQUEUE": 0}
    for name, value in expected.items():
        ceiling = value if before[name] == -1 else min(value, before[name])
        assert held[name] == [ceiling, ceiling], name
    assert held["AS"] == [mapped + (100 << 20)] * 2
    assert not [name for name, error in lifted.items() if error is None]


def test_each_limit_bites(alone: Alone) -> None:
    told = alone(
        LIMITED
        + """
from pathlib import Path
def act():
    limits.apply(limits.wanted(100, limits.mapped_bytes(), 0))
    held_open = []
    def open_many():
        for _ in range(100): held_open.append(os.open("/dev/null", os.O_RDONLY))
    many = error_of(open_many)
    opened = len(held_open)
    for number in held_open: os.close(number)
    try:
        bytearray(150 << 20)
        memory = None
    except MemoryError:
        memory = "MemoryError"
    fits = len(bytearray(60 << 20))
    return [many, opened, memory, fits, error_of(lambda: os.write(os.memfd_create("x"), b"x"))]
told = told_by_child(act)
"""
    )
    many, opened, memory, fits, write = told
    assert many == "EMFILE"
    assert 50 < opened < 64
    assert memory == "MemoryError"
    assert fits == 60 << 20
    assert write == "EFBIG"


def test_a_lower_limit_of_the_system_stays(alone: Alone) -> None:
    told = alone(
        LIMITED
        + """
LOWER = {"NOFILE": (20, 30), "CPU": (50, 60), "NPROC": (200, 300), "MEMLOCK": (0, 0)}
def act():
    for name, pair in LOWER.items():
        resource.setrlimit(names[name], pair)
    limits.apply(limits.wanted(1024, 0, 0))
    return held()
told = told_by_child(act)
"""
    )
    # The hard limit is the system's word; the soft one below it was anyone's.
    assert told["NOFILE"] == [30, 30]
    assert told["CPU"] == [60, 60]
    assert told["NPROC"] == [300, 300]
    assert told["MEMLOCK"] == [0, 0]


@pytest.mark.parametrize(("name", "low"), [("AS", 1 << 30), ("NPROC", 70), ("CPU", 30)])
def test_a_limit_that_honest_code_would_meet_is_told(alone: Alone, name: str, low: int) -> None:
    told = alone(
        LIMITED
        + f"""
def act():
    resource.setrlimit(names[{name!r}], ({low}, {low}))
    limits.apply(limits.wanted(1024, 1 << 20, 7))
told = told_by_child(act)
"""
    )
    assert f"RLIMIT_{name} is {low} where this was started, and student code needs" in told[2]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("resource.setrlimit = lambda which, pair: None", "and is ("),
        ("def refuse(which, pair): raise ValueError('not allowed')\nresource.setrlimit = refuse", "not allowed"),
        ("def refuse(which, pair): raise PermissionError(1, 'no right')\nresource.setrlimit = refuse", "no right"),
    ],
    ids=["pretends", "refuses in Python's words", "refuses"],
)
def test_a_limit_that_is_not_set_is_noticed(alone: Alone, code: str, says: str) -> None:
    told = alone(f"{LIMITED}\n{code}\ntold = told_by_child(lambda: limits.apply(limits.wanted(100, 1 << 30, 0)))")
    assert says in told[2]


def test_other_systems_have_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    monkeypatch.setattr(sys, "platform", "darwin")
    assert set(limits.wanted(100, 0, 0)) == {getattr(resource, f"RLIMIT_{name}") for name in NAMES[:4]}


def test_the_address_space_is_known() -> None:
    before = limits.mapped_bytes()
    held = torch.zeros(256 << 20, dtype=torch.uint8)
    assert limits.mapped_bytes() - before >= held.numel() // 2


def test_threads_are_counted_by_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this process alone, as others come and go; and of one that is gone by the time it is looked at."""
    monkeypatch.setattr(limits.os, "listdir", lambda path: [str(os.getpid()), "self", "version", str(1 << 30)])
    before = limits.threads_of(os.getuid())
    assert before >= 1
    end = threading.Event()
    threads = [threading.Thread(target=end.wait) for _ in range(5)]
    try:
        for thread in threads:
            thread.start()
        assert limits.threads_of(os.getuid()) == before + 5
    finally:
        end.set()
        for thread in threads:
            thread.join()
    assert limits.threads_of(os.getuid() + 1) == 0
