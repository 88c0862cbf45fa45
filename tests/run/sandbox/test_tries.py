"""The tries: open where nothing holds, each closed by its own layer, and by nothing that only looks like a refusal."""

import errno
from collections.abc import Callable

import pytest

from graders.engine.run.worker.sandbox import tries
from graders.engine.run.worker.sandbox.tries import TRIES, Try
from tests.run.sandbox.conftest import Alone, linux_only

OF_LANDLOCK = {one.what for one in TRIES if one.layer == "landlock"}
OF_SECCOMP = {one.what for one in TRIES if one.layer == "seccomp"}


def test_each_try_is_named_once_and_belongs_to_a_layer_that_refuses_calls() -> None:
    assert len(OF_LANDLOCK) + len(OF_SECCOMP) == len(TRIES)


@linux_only
def test_each_layer_closes_its_own_tries(alone: Alone) -> None:
    told = alone("""
        prepared = restrict.prepare(os.getpid())
        def possible(layers):
            def act():
                for layer in layers:
                    if layer == "landlock": landlock.apply(prepared.ruleset)
                    if layer == "seccomp": seccomp.apply(prepared.calls)
                return [one.what for one in tries.open_tries()]
            return told_by_child(act)
        told = [possible(layers) for layers in ([], ["landlock"], ["seccomp"], ["landlock", "seccomp"])]
    """)
    nothing, landlock, seccomp, both = map(set, told)
    assert nothing == OF_LANDLOCK | OF_SECCOMP
    # From its sixth version on, Landlock lets no signal out either.
    assert landlock in (OF_SECCOMP, OF_SECCOMP - {"signal processes"})
    assert seccomp == OF_LANDLOCK
    assert both == set()


@linux_only
def test_no_other_layer_hides_what_a_try_of_landlock_finds(alone: Alone) -> None:
    """A try that another layer closes as well would say nothing about Landlock."""
    told = alone("""
        prepared = restrict.prepare(os.getpid())
        layers = ["limits", "privileges", "process", "seccomp"]
        told = told_by_child(lambda: restrict.restrict(prepared, 500, TELL, layers).possible)
    """)
    assert set(told) == OF_LANDLOCK


@linux_only
def test_tries_leave_nothing_behind(alone: Alone) -> None:
    told = alone("""
        def act():
            before = os.listdir("/proc/self/fd")
            for _ in range(3): tries.open_tries()
            after = os.listdir("/proc/self/fd")
            with open(f"/proc/self/task/{os.getpid()}/children") as children:
                return [before == after, children.read()]
        told = told_by_child(act)
    """)
    assert told == [True, ""]


def refused_with(number: int) -> Callable[[], object]:
    def attempt() -> object:
        raise OSError(number, "a kernel's answer")

    return attempt


@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.ENOSYS])
def test_a_refusal_is_one(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tries, "TRIES", (Try("landlock", "do this", refused_with(number)),))
    assert tries.open_tries() == []


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: None,
        *map(refused_with, (errno.ENOENT, errno.EINVAL, errno.EFAULT, errno.EAGAIN, errno.ESRCH, errno.ENOTDIR)),
    ],
)
def test_another_error_tells_that_the_call_went_through(
    attempt: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Try("landlock", "do this", attempt)
    monkeypatch.setattr(tries, "TRIES", (one,))
    assert tries.open_tries() == [one]
