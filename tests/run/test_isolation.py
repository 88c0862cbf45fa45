"""Who may be given student code: a worker with every layer, or in practice any; and what must lie out of its reach."""

from pathlib import Path
from typing import Any

import pytest

from graders.engine.errors import SandboxError
from graders.engine.run.isolation import Isolation, Mode, keep_apart
from graders.engine.run.launch import HostFailed
from graders.engine.run.layers import LAYERS, Report
from graders.engine.run.supply import WorkerSupply, try_out
from tests.run.conftest import all_gone, linux_only

MISSING = {"landlock": "this kernel has none", "seccomp": "it took hold, and a worker could use TCP all the same"}


def report(missing: dict[str, str] | None = None, readable: tuple[str, ...] = ()) -> Report:
    return Report(missing or {}, (), "nobody", 7, readable)


class Line:
    """A connection whose worker reports this."""

    def __init__(self, said: Report) -> None:
        self.said = said
        self.is_closed = False

    def wait_ready(self, timeout: float) -> Report:
        return self.said

    def close(self) -> None:
        self.is_closed = True


def admit(mode: Mode, line: Any) -> None:
    assert Isolation(mode).admit(line) is line


@pytest.mark.parametrize("mode", Mode)
def test_a_worker_with_every_layer_is_admitted(mode: Mode) -> None:
    line = Line(report())
    admit(mode, line)
    assert not line.is_closed


@pytest.mark.parametrize("mode", [Mode.PRACTICE, Mode.EXTERNAL])
def test_practice_and_a_container_take_what_the_machine_has(mode: Mode) -> None:
    line = Line(report(dict.fromkeys(LAYERS, "only Linux has it")))
    admit(mode, line)
    assert not line.is_closed


def test_strict_refuses_and_names_each_layer_with_its_reason() -> None:
    line = Line(report(MISSING))
    with pytest.raises(SandboxError) as caught:
        admit(Mode.STRICT, line)
    assert line.is_closed
    first, second, remedy = str(caught.value).splitlines()
    assert first == "landlock is missing: this kernel has none"
    assert second == "seccomp is missing: it took hold, and a worker could use TCP all the same"
    assert "grade probe" in remedy


@pytest.mark.parametrize("layer", LAYERS)
def test_one_missing_layer_is_enough(layer: str) -> None:
    with pytest.raises(SandboxError, match=f"^{layer} is missing"):
        admit(Mode.STRICT, Line(report({layer: "why"})))


@linux_only
def test_a_worker_that_is_refused_is_gone(supply: WorkerSupply, monkeypatch: pytest.MonkeyPatch) -> None:
    pids: list[int] = []
    fork = supply._host.fork

    def fork_and_tell(*arguments: Any) -> int:
        pids.append(fork(*arguments))
        return pids[-1]

    monkeypatch.setattr(supply._host, "fork", fork_and_tell)
    monkeypatch.setattr(supply, "isolation", Isolation(Mode.STRICT, LAYERS[1:]))
    with pytest.raises(SandboxError, match="limits is missing: it was left out on purpose"):
        supply.start(500)
    assert all_gone(pids)
    monkeypatch.setattr(supply, "isolation", Isolation(Mode.PRACTICE, LAYERS[1:]))
    assert list(try_out(supply, 500).missing) == ["limits"]


@linux_only
def test_a_worker_that_dies_before_it_reports_is_the_graders_fault(supply: WorkerSupply) -> None:
    """Its limit on memory is below zero here, which no worker can set."""
    with pytest.raises(HostFailed, match=r"lost before its first order[^$]*OverflowError"):
        supply.start(-(1 << 50))
    assert try_out(supply, 500).missing == {}


# What must not be read


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course in a folder of packages, as a careless install leaves it; and other places around it."""
    for name in ("lib/site-packages/course/graders", "lib2", "home"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home/course").symlink_to(tmp_path / "lib/site-packages/course")
    (tmp_path / "lib/link").symlink_to(tmp_path / "home")
    return tmp_path


@pytest.mark.parametrize(
    ("secret", "readable"),
    [
        ("lib/site-packages/course/graders", "lib/site-packages"),
        ("lib/site-packages/course/graders", "lib"),
        ("lib/site-packages/course/graders", "lib/"),
        ("lib/site-packages", "lib/site-packages"),
        ("home/course/graders", "lib/site-packages"),
        ("home/course", "lib"),
        ("lib/missing", "lib"),
        ("lib2/../lib/x", "lib"),
        ("home", ""),
    ],
)
def test_a_secret_beneath_what_a_worker_may_read_is_refused(course: Path, secret: str, readable: str) -> None:
    with pytest.raises(SandboxError, match="which student code may read") as caught:
        keep_apart(report(readable=(str(course / readable),)), [course / "home", course / secret])
    assert str(course / secret) in str(caught.value)


def test_the_root_is_a_parent_of_all(course: Path) -> None:
    with pytest.raises(SandboxError):
        keep_apart(report(readable=("/",)), [course])


@pytest.mark.parametrize(
    ("secret", "readable"),
    [("lib2", "lib"), ("lib", "lib2"), ("lib", "lib/site-packages"), ("lib/link", "lib"), ("home", "lib")],
)
def test_a_secret_elsewhere_is_well_kept(course: Path, secret: str, readable: str) -> None:
    keep_apart(report(readable=(str(course / readable), "/usr/lib")), [course / secret])


def test_nothing_to_keep_or_nothing_to_read_is_no_error(course: Path) -> None:
    keep_apart(report(readable=("/",)), [])
    keep_apart(report(), [course])
