"""Landlock by version: what is asked of each kernel, and what a worker can still do once it is held to it."""

import ctypes
import errno
import os
import re
import struct
from pathlib import Path

import pytest

from graders.engine.run.launch import ROOT
from graders.engine.run.worker.sandbox import landlock
from tests.run.sandbox.conftest import Alone, linux_only

# landlock(7): which version of the rules has what, in bits.
ABI_1 = 0b1_1111_1111_1111
REFER, TRUNCATE, DEVICES, SOCKETS = 1 << 13, 1 << 14, 1 << 15, 1 << 16
ASKED = {
    1: (8, ABI_1, 0, 0),
    2: (8, ABI_1 | REFER, 0, 0),
    3: (8, ABI_1 | REFER | TRUNCATE, 0, 0),
    4: (16, ABI_1 | REFER | TRUNCATE, 3, 0),
    5: (16, ABI_1 | REFER | TRUNCATE | DEVICES, 3, 0),
    6: (24, ABI_1 | REFER | TRUNCATE | DEVICES, 3, 3),
    7: (24, ABI_1 | REFER | TRUNCATE | DEVICES, 3, 3),
    8: (24, ABI_1 | REFER | TRUNCATE | DEVICES, 3, 3),
    9: (24, ABI_1 | REFER | TRUNCATE | DEVICES | SOCKETS, 3, 3),
    30: (24, ABI_1 | REFER | TRUNCATE | DEVICES | SOCKETS, 3, 3),
}


class Kernel:
    """Answers Landlock's calls as a kernel of some version does, and keeps what it was asked."""

    def __init__(self, version: int, problem: dict[int, int] | None = None) -> None:
        self.version = version
        self.problem = problem or {}
        self.asked: tuple[int, ...] = ()
        self.rules: list[tuple[str, int]] = []

    def syscall(self, what: str, number: int, *arguments: int) -> int:
        if number in self.problem and arguments[0]:
            raise OSError(self.problem[number], f"{what} failed")
        if number == 444 and arguments == (0, 0, 1):
            return self.version
        if number == 444:
            address, size, flags = arguments
            assert flags == 0
            words = struct.unpack(f"<{size // 8}Q", ctypes.string_at(address, size))
            self.asked = (size, *words, *[0] * (3 - len(words)))
            return os.open(os.devnull, os.O_RDONLY)
        assert number == 445
        _, kind, address, flags = arguments
        assert (kind, flags) == (1, 0)
        access, place = struct.unpack("<Qi", ctypes.string_at(address, 12))
        self.rules.append((os.readlink(f"/proc/self/fd/{place}"), access))
        return 0


@linux_only
@pytest.mark.parametrize("version", ASKED)
def test_each_kernel_is_asked_for_what_it_knows(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "library.so"
    file.touch()
    kernel = Kernel(version)
    monkeypatch.setattr(landlock, "syscall", kernel.syscall)
    ruleset = landlock.prepare([str(tmp_path), str(file)])
    os.close(ruleset.descriptor)
    assert ruleset.abi == version
    assert kernel.asked == ASKED[version]
    read_file, read_folder, write_file = 4, 8, 2
    # A rule about a file may not speak of what can only be done with folders.
    assert kernel.rules == [
        (str(tmp_path), read_file | read_folder),
        (str(file), read_file),
        ("/dev/null", read_file | write_file),
    ]


@linux_only
@pytest.mark.parametrize(
    ("call", "name"), [(444, "landlock_create_ruleset"), (445, "landlock_add_rule")], ids=["create", "add"]
)
def test_a_kernel_that_refuses_is_told_by_the_calls_name(call: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "syscall", Kernel(7, {call: errno.EOPNOTSUPP}).syscall)
    with pytest.raises(OSError, match=name):
        landlock.prepare(["/usr/lib"])


@linux_only
def test_a_path_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "syscall", Kernel(7).syscall)
    with pytest.raises(FileNotFoundError):
        landlock.prepare(["/no/such/library"])


# For real

HELD = """
def held_to(version):
    # Ask as a kernel of this version has to be asked, of the one that is here.
    asked = linux.syscall
    landlock.syscall = lambda what, number, *rest: version if rest == (0, 0, 1) else asked(what, number, *rest)
    ruleset = landlock.prepare([given["readable"]])
    landlock.apply(ruleset)
    return {
        "read": open(given["readable"] + "/library").read(),
        "list": os.listdir(given["readable"]),
        "null": error_of(lambda: os.write(os.open("/dev/null", os.O_WRONLY), b"x")),
        "refused": {
            name: error_of(act)
            for name, act in {
                "list the root": lambda: os.listdir("/"),
                "list the folder around": lambda: os.listdir(given["secret"]),
                "read a secret": lambda: open(given["secret"] + "/hidden"),
                "read through a link": lambda: open(given["readable"] + "/link"),
                "read through ..": lambda: open(given["readable"] + "/../secret/hidden"),
                "read the course": lambda: open(given["course"]),
                "read one's environment": lambda: open("/proc/self/environ"),
                "read one's memory": lambda: open("/proc/self/mem"),
                "write a secret": lambda: os.open(given["secret"] + "/hidden", os.O_WRONLY),
                "write a library": lambda: os.open(given["readable"] + "/library", os.O_WRONLY),
                "make a file": lambda: os.open(given["readable"] + "/new", os.O_WRONLY | os.O_CREAT),
                "make a nameless file": lambda: os.open(given["readable"], os.O_WRONLY | os.O_TMPFILE),
                "make a folder": lambda: os.mkdir(given["readable"] + "/new"),
                "make a link": lambda: os.symlink("/", given["readable"] + "/new"),
                "make a pipe": lambda: os.mkfifo(given["readable"] + "/new"),
                "move a file out": lambda: os.link(given["readable"] + "/library", given["secret"] + "/new"),
                "remove a file": lambda: os.unlink(given["readable"] + "/library"),
                "start a program": lambda: os.execv("/bin/true", ["true"]),
            }.items()
        },
        "truncate": error_of(lambda: os.truncate(given["secret"] + "/hidden", 1)),
        "connect": error_of(lambda: socket.socket().connect(("127.0.0.1", 9))),
        "signal": error_of(lambda: os.kill(os.getppid(), 0)),
    }

version = landlock.syscall("version", landlock.CREATE_RULESET, 0, 0, landlock.ASK_VERSION)
told = {number: told_by_child(lambda: held_to(number)) for number in range(1, min(version, 9) + 1)}
"""


@linux_only
def test_what_a_process_can_still_do_under_each_version(alone: Alone, tmp_path: Path) -> None:
    readable, secret = tmp_path / "readable", tmp_path / "secret"
    for folder in (readable, secret):
        folder.mkdir()
    (readable / "library").write_text("code", encoding="utf-8")
    (secret / "hidden").write_text("secret", encoding="utf-8")
    (readable / "link").symlink_to(secret / "hidden")
    told = alone(HELD, {"readable": str(readable), "secret": str(secret), "course": str(ROOT / "README.md")})
    assert "1" in told
    for version, seen in told.items():
        assert seen["read"] == "code", version
        assert sorted(seen["list"]) == ["library", "link"]
        assert seen["null"] is None
        # A link to elsewhere is EXDEV in the first version, which knows of no moves between folders at all.
        refusals = {name: error for name, error in seen["refused"].items() if error not in ("EACCES", "EXDEV")}
        assert refusals == {}, version
        assert (seen["truncate"] == "EACCES") == (int(version) >= 3)
        assert (seen["connect"] == "EACCES") == (int(version) >= 4)
        assert (seen["signal"] == "EPERM") == (int(version) >= 6)
    # Under the first two versions a file's content could be cut off, which seccomp refuses.
    assert (secret / "hidden").read_text(encoding="utf-8") == "s"


@linux_only
def test_the_rules_are_the_kernels_own_descriptor_and_are_closed(alone: Alone) -> None:
    told = alone("""
        def act():
            ruleset = landlock.prepare(["/usr/lib"])
            name = os.readlink(f"/proc/self/fd/{ruleset.descriptor}")
            landlock.apply(ruleset)
            return name, error_of(lambda: os.fstat(ruleset.descriptor))
        told = told_by_child(act)
    """)
    assert re.fullmatch(r"anon_inode:\[?landlock-ruleset\]?", told[0])
    assert told[1] == "EBADF"


@linux_only
def test_a_ruleset_that_is_none_is_an_error(alone: Alone) -> None:
    code = "told = told_by_child(lambda: landlock.apply(landlock.Ruleset(0, 7, ())))"
    assert alone(code)[2].endswith("landlock_restrict_self failed: File descriptor in bad state")


@linux_only
def test_rules_that_take_too_much_are_an_error(alone: Alone, tmp_path: Path) -> None:
    """Student code would fail at an import otherwise, and get no points for it."""
    told = alone(
        """
        made = landlock.prepare(["/usr/lib"])
        wider = landlock.Ruleset(made.descriptor, made.abi, ("/usr/lib", given))
        told = told_by_child(lambda: landlock.apply(wider))
        """,
        str(tmp_path),
    )
    assert told[:2] == ["PermissionError", "EACCES"]
    assert str(tmp_path) in told[2]
