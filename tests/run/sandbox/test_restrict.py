"""All layers together: what is missing is named, one alone or all of them, and a kernel's word is not enough."""

import os
import sys

import pytest

from graders.engine.run.layers import LAYERS
from graders.engine.run.worker.sandbox import landlock, restrict, seccomp
from tests.run.sandbox.conftest import Alone, linux_only

WITHIN = """
prepared = restrict.prepare(os.getpid())
def report(layers=restrict.LAYERS, **changes):
    changed = restrict.replace(prepared, **changes)
    def act():
        said = restrict.restrict(changed, 500, TELL, layers)
        return [said.missing, said.possible, said.user, said.landlock_abi, list(said.readable)]
    return told_by_child(act)
"""
LEFT_OUT = "it was left out on purpose"


@linux_only
def test_one_layer_left_out_is_the_one_that_is_missing(alone: Alone) -> None:
    told = alone(
        WITHIN
        + """
told = {"": report()}
for layer in restrict.LAYERS:
    told[layer] = report([other for other in restrict.LAYERS if other != layer])
"""
    )
    missing, possible, user, abi, readable = told.pop("")
    assert (missing, possible) == ({}, [])
    assert user in ("nobody", "root without capabilities", "the user who grades")
    assert abi >= 1
    assert "/usr/lib" in readable
    assert list(told) == list(LAYERS)
    for layer, (missing, possible, *_) in told.items():
        assert missing == {layer: LEFT_OUT}
        assert bool(possible) == (layer in ("landlock", "seccomp"))


@linux_only
def test_without_any_layer_all_are_missing(alone: Alone) -> None:
    assert alone(WITHIN + "told = report([])")[0] == dict.fromkeys(LAYERS, LEFT_OUT)


@linux_only
@pytest.mark.parametrize(
    ("layer", "pretence", "what"),
    [
        ("landlock", "landlock.apply = lambda ruleset: os.close(ruleset.descriptor)", "list folders"),
        ("seccomp", "seccomp.apply = lambda calls: None", "change files' modes"),
    ],
)
def test_a_layer_that_is_only_claimed_is_missing(alone: Alone, layer: str, pretence: str, what: str) -> None:
    missing, *_ = alone(f"{WITHIN}\n{pretence}\ntold = report()")
    assert missing == {layer: f"it took hold, and a worker could {what} all the same"}


@linux_only
@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_that_fails_is_missing_with_the_reason_and_the_others_hold(alone: Alone, layer: str) -> None:
    refuse = "def refuse(*arguments): raise OSError(38, 'the kernel says no', '/a/path')"
    missing, possible, *_ = alone(f"{WITHIN}\n{refuse}\n{layer}.apply = refuse\ntold = report()")
    assert missing == {layer: "the kernel says no: '/a/path'"}
    assert bool(possible) == (layer in ("landlock", "seccomp"))


@linux_only
def test_what_a_system_lacks_is_known_before_the_first_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(readable: object) -> landlock.Ruleset:
        raise OSError(95, "landlock_create_ruleset failed: Operation not supported")

    monkeypatch.setattr(landlock, "prepare", refuse)
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setattr(restrict.privileges, "choose_user", lambda readable: restrict.privileges.User.SAME)
    prepared = restrict.prepare(os.getpid())
    assert prepared.ruleset is None
    assert prepared.calls == ()
    assert set(prepared.lacks) == {"landlock", "seccomp"}
    assert "Operation not supported" in prepared.lacks["landlock"]
    assert "no list of system calls for riscv64" in prepared.lacks["seccomp"]


@linux_only
def test_a_worker_of_such_a_system_names_what_it_lacks_and_applies_the_rest(alone: Alone) -> None:
    told = alone(
        WITHIN
        + """
lacks = {"landlock": "this kernel has none", "seccomp": "this machine has no list"}
told = report(ruleset=None, calls=(), lacks=lacks)
"""
    )
    missing, possible, _, abi, _ = told
    assert missing == {"landlock": "this kernel has none", "seccomp": "this machine has no list"}
    assert abi == 0
    assert {"list folders", "use TCP", "start processes"} <= set(possible)


@pytest.mark.parametrize(("platform", "held"), [("darwin", ["limits"]), ("win32", [])])
def test_other_systems_lack_what_only_linux_has(
    platform: str, held: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    prepared = restrict.prepare(os.getpid())
    assert [layer for layer in LAYERS if layer not in prepared.lacks] == held
    assert set(prepared.lacks.values()) == {"only Linux has it"}
    # Nothing is applied, so that this process can be the one that reports.
    monkeypatch.setattr(os, "environ", {"GRADER_TOKEN": "secret"})
    report = restrict.restrict(prepared, 500, 0, [layer for layer in LAYERS if layer not in held])
    assert set(report.missing) == set(LAYERS)
    assert report.possible == ()
    assert os.environ == {}


@linux_only
def test_the_environment_is_emptied_before_anything_else(alone: Alone) -> None:
    told = alone("""
        os.environ["GRADER_TOKEN"] = "secret"
        prepared = restrict.prepare(os.getpid())
        def act():
            seen = []
            restrict.limits.apply = lambda wanted: seen.append(dict(os.environ))
            restrict.restrict(prepared, 500, TELL, restrict.LAYERS)
            return seen
        told = told_by_child(act)
    """)
    assert told == [{}]


def test_the_list_of_calls_comes_last() -> None:
    """It takes away what the others need; and a change of user, which undoes a part of `process`, comes before that."""
    assert LAYERS[-1] == "seccomp"
    assert LAYERS.index("privileges") < LAYERS.index("process")
    prepared = restrict.Prepared(parent=0, calls=(seccomp.ALLOWED_END,))
    assert tuple(restrict._steps(prepared, 1, 0)) == LAYERS
