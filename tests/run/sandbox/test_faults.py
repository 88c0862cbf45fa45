"""Each call of the restriction fails, or only says that it worked: a worker then says so, dies, or is shut in anyway.

The tracer `strace` answers system calls in the kernel's place. Whether a worker that reports nothing is really shut in
is seen from outside.
"""

import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graders.engine.run import forking
from graders.engine.run.forking import ForkingSupply
from graders.engine.run.isolation import Isolation, Mode
from graders.engine.run.launch import ROOT
from tests.command_line import NO_SANDBOX, CommandLine
from tests.run.sandbox.conftest import linux_only, root_only

STRACE = shutil.which("strace") or ""
pytestmark = [
    linux_only,
    pytest.mark.skipif(not STRACE, reason="strace is not there, which makes calls fail: install the package strace"),
]
SCRIPT = Path(__file__).with_name("shut_in.py")
SECONDS = 60
SOME_GROUP = 7
Calls = dict[str, list[str]]
FAILS, PRETENDS = "error=EPERM", "retval=0"


@dataclass(frozen=True)
class Seen:
    """A restricted process: what it told, and what is seen of it from outside."""

    told: dict[str, Any]
    status: dict[str, list[str]]
    limits: dict[str, tuple[float, float]]
    leads_session: bool
    dies_with_parent: bool

    @property
    def missing(self) -> dict[str, str]:
        return dict(self.told["report"]["missing"])

    def is_shut_in(self) -> bool:
        """Whether every layer holds, whatever the process says."""
        told, status = self.told, self.status
        user = {"nobody": 65534, "root without capabilities": 0}.get(told["report"]["user"], os.getuid())
        # The real user of a root that stays one is nobody too, for the sake of a limit that root has not.
        ids = {int(number) for number in status["Uid"]} <= {user, 65534}
        group = user != 65534 or (status["Gid"] == ["65534"] * 4 and not status["Groups"])
        capabilities = [int(status[name][0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")]
        calls = (status["NoNewPrivs"], status["Seccomp"]) == (["1"], ["2"])
        limits = all(self.limits[name] <= (most, most) for name, most in MOST.items())
        alone = self.leads_session and self.dies_with_parent and told["open"] == [0, 1, 2, told["line"]]
        return ids and group and not any(capabilities) and calls and limits and alone and not told["could"]


MOST = {
    "core file size": 0,
    "file size": 0,
    "open files": 64,
    "cpu time": 600,
    "address space": 4 << 30,
    "processes": 1 << 20,
    "locked memory": 0,
    "msgqueue size": 0,
}


def shut_in(*tracer: str, user: str = "") -> Seen | None:
    """Return what is seen of a process that restricts itself; None for one that ended before it said a word."""
    ours, theirs = socket.socketpair()
    ours.settimeout(SECONDS)
    command = [*tracer, sys.executable, "-I", "-S", "-B", str(SCRIPT), str(ROOT), str(theirs.fileno()), user]
    process = subprocess.Popen(
        command,
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        extra_groups=[SOME_GROUP] if user else None,  # which another user has to leave
    )
    with process, ours:  # the line closes first, upon which the other end ends
        theirs.close()
        with ours.makefile("rb") as lines:
            line = lines.readline()
        if not line:
            printed, _ = process.communicate(timeout=SECONDS)
            assert process.returncode != 0, printed
            return None
        told = json.loads(line)
        status, limits, session = look_at(told["pid"])
        died = False
        if not told["report"]["missing"]:
            os.kill(told["parent"], signal.SIGKILL)
            died = ours.recv(1) == b""  # the end of the line, and a TimeoutError where the other end lives on
    return Seen(told, status, limits, session == told["pid"], died)


def look_at(pid: int) -> tuple[dict[str, list[str]], dict[str, tuple[float, float]], int]:
    """Return a process's state, limits and session, as the system shows them to others."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as lines:
        status = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    with open(f"/proc/{pid}/limits", encoding="utf-8") as lines:
        columns = [re.split(r"\s{2,}", line.removeprefix("Max ")) for line in lines]
    limits = {
        name: tuple(float(value.replace("unlimited", "inf")) for value in (soft, hard))
        for name, soft, hard, *_ in columns
        if name in MOST
    }
    return status, limits, os.getsid(pid)


def fault(call: str, answer: str, position: int | str) -> Seen | None:
    """Return what comes of it when a call, the n-th in each process, gets this answer in the kernel's place."""
    inject = f"inject={call}:{answer}:when={position}"
    return shut_in(STRACE, "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", inject)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    """The calls with which a process restricts itself, by name and in order, as the tracer writes them."""
    path = tmp_path_factory.mktemp("trace") / "calls"
    names = ("prctl", "prlimit64", "landlock_add_rule", "close_range")
    seen = shut_in(STRACE, "-f", "-qq", "-o", str(path), "-e", f"trace={','.join(names)}")
    assert seen is not None
    by_process: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    # Lines of another form tell of signals and ends.
    for pid, name, rest in re.findall(r"^(\d+)\s+(\w+)\((.*)", path.read_text(encoding="utf-8"), re.MULTILINE):
        by_process[int(pid)][name].append(rest)
    return by_process[seen.told["parent"]] | by_process[seen.told["pid"]]


def test_without_a_fault_every_layer_holds() -> None:
    seen = shut_in()
    assert seen is not None
    assert seen.missing == {}
    assert seen.is_shut_in()


def say_so(layer: str, seen: Seen | None) -> None:
    """Assert that this layer is reported as missing, or that nothing was reported at all."""
    assert seen is None or layer in seen.missing


def say_so_or_hold(seen: Seen | None) -> None:
    """Assert that something is reported as missing, or nothing at all, or that nothing is missing."""
    assert seen is None or seen.missing or seen.is_shut_in()


@pytest.mark.parametrize("answer", [FAILS, PRETENDS])
@pytest.mark.parametrize(
    ("call", "position", "layer"),
    [
        ("setsid", 1, "process"),
        ("landlock_create_ruleset", 1, "landlock"),
        ("landlock_create_ruleset", 2, "landlock"),
        ("landlock_restrict_self", 1, "landlock"),
    ],
)
def test_a_call_that_is_made_once(call: str, position: int, layer: str, answer: str) -> None:
    say_so(layer, fault(call, answer, position))


@pytest.mark.parametrize("error", ["ENOSYS", "EOPNOTSUPP"])
def test_a_kernel_without_landlock(error: str) -> None:
    seen = fault("landlock_create_ruleset", f"error={error}", 1)
    assert seen is not None
    assert set(seen.missing) == {"landlock"}
    assert os.strerror(getattr(errno, error)) in seen.missing["landlock"]


@pytest.mark.parametrize("answer", [FAILS, PRETENDS])
def test_a_rule_that_is_not_added(calls: Calls, answer: str) -> None:
    """A worker must not lack what it has to read either. The first and the last rule are about the same device."""
    last = len(calls["landlock_add_rule"])
    assert last > 3
    for position in (2, last - 1):
        say_so("landlock", fault("landlock_add_rule", answer, position))


@pytest.mark.parametrize("answer", [FAILS, PRETENDS])
def test_capabilities_that_stay(answer: str) -> None:
    seen = fault("capset", answer, 1)
    say_so_or_hold(seen)  # a change of user has taken them away already
    if answer == FAILS:
        say_so("privileges", seen)


@pytest.mark.parametrize("answer", [FAILS, PRETENDS])
def test_capabilities_that_are_not_shown(answer: str) -> None:
    say_so("privileges", fault("capget", answer, 1))


@root_only
@pytest.mark.parametrize("answer", [FAILS, PRETENDS])
@pytest.mark.parametrize(
    ("call", "user"),
    [
        ("setgroups", "nobody"),
        ("setresgid", "nobody"),
        ("setresuid", "nobody"),
        ("setresuid", "root without capabilities"),
    ],
)
def test_a_user_that_is_not_changed(call: str, user: str, answer: str) -> None:
    tracer = [STRACE, "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{answer}"]
    say_so("privileges", shut_in(*tracer, user=user))


OF_A_LAYER = {
    "PR_CAP_AMBIENT": "privileges",
    "PR_GET_NO_NEW_PRIVS": "privileges",
    "PR_SET_PDEATHSIG": "process",
    "PR_GET_PDEATHSIG": "process",
    "PR_SET_DUMPABLE": "process",
    "PR_SET_SECCOMP": "seccomp",
}


def test_each_prctl_fails(calls: Calls) -> None:
    told = set()
    for position, call in enumerate(calls["prctl"], 1):
        seen = fault("prctl", FAILS, position)
        option = call.partition(",")[0]
        if option in OF_A_LAYER:
            say_so(OF_A_LAYER[option], seen)
        say_so_or_hold(seen)
        told |= set(seen.missing if seen else ())
    # The promise to gain no rights is made by each of the layers that need it.
    assert told == {"privileges", "process", "landlock", "seccomp"}


def test_each_prctl_pretends(calls: Calls) -> None:
    told = set()
    for position, _ in enumerate(calls["prctl"], 1):
        seen = fault("prctl", PRETENDS, position)
        say_so_or_hold(seen)
        told |= set(seen.missing if seen else ())
    assert told == {"privileges", "process", "seccomp"}


@pytest.mark.parametrize("answer", [FAILS, PRETENDS])
def test_each_limit_that_is_not_set(calls: Calls, answer: str) -> None:
    setting = [place for place, call in enumerate(calls["prlimit64"], 1) if ", NULL)" in call]
    assert len(setting) == len(MOST)
    for position in setting:
        say_so("limits", fault("prlimit64", answer, position))


def test_descriptors_that_are_not_closed(calls: Calls) -> None:
    """Python closes them one by one where the system can't close many at once, and believes it where it says it did."""
    for position, _ in enumerate(calls["close_range"], 1):
        for answer in (FAILS, PRETENDS):
            say_so_or_hold(fault("close_range", answer, position))
    if calls["close_range"]:
        say_so("process", fault("close_range", PRETENDS, "1+"))


# The whole way: from the command line to the worker, and back to an exit code

MARK = "a line of the student's"
OLD_CARD = '{"version": 1, "grader": {}, "exercises": []}'


@pytest.mark.parametrize(
    ("call", "answer", "layer"),
    [
        ("landlock_restrict_self", FAILS, "landlock"),
        ("landlock_restrict_self", PRETENDS, "landlock"),
        ("prctl", FAILS, "seccomp"),
    ],
)
def test_nothing_is_graded(
    tmp_path: Path,
    calls: Calls,
    call: str,
    answer: str,
    layer: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Exit code 4 and the layer's name; no card, the old one as it was, and not a line of the student's has run."""
    (tmp_path / "ex02_token_pos.py").write_text(f"print({MARK!r})\n", encoding="utf-8")
    (tmp_path / "card.json").write_text(OLD_CARD, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    place = 1 + next((n for n, option in enumerate(calls[call]) if option.startswith("PR_SET_SECCOMP")), 0)
    # Only the calls in question stop for the tracer: torch makes a hundred thousand others.
    tracer = [STRACE, "-f", "--seccomp-bpf", "-qq", "-o", os.devnull]
    tracer += ["-e", f"trace={call}", "-e", f"inject={call}:{answer}:when={place}"]
    host = forking.command("host")
    monkeypatch.setattr(forking, "command", lambda kind: [*tracer, *host])
    with closing(ForkingSupply(Isolation(Mode.PRACTICE))) as traced:
        done = CommandLine(traced).grade(tmp_path, ".", "--hidden", "--json", "card.json")
    assert (done.returncode, done.stdout) == (NO_SANDBOX, ""), done.stderr
    assert done.stderr.startswith("Not graded: sandbox.")
    assert f"{layer} is missing: " in done.stderr
    assert MARK not in done.stderr + "".join(capfd.readouterr())
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "card.json").read_text(encoding="utf-8") == OLD_CARD
