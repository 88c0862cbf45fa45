"""What a worker may not do: see the judge's surroundings, take all memory, write files, outlive its host."""

import errno
import os
import socket
from pathlib import Path
from typing import NoReturn

import pytest
import torch

from graders.engine.run import sandbox, worker
from graders.engine.run.connection import Connection, End, Raised
from graders.engine.run.launch import ROOT
from graders.engine.run.wire import MAX_BODY_BYTES
from tests.run.conftest import Start, linux_only

pytestmark = linux_only

limited_memory = pytest.mark.skipif(
    sandbox.accelerator_present(), reason="a driver for an accelerator reserves more than a limit would allow"
)


def test_the_environment_is_empty(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_TOKEN", "secret")
    worker = start("""
        import os
        def environment(): return dict(os.environ)
        def of_a_child(): return os.popen("env").read()
        def at_start(pid): return open(f"/proc/{pid}/environ").read()
        def parent(): return os.getppid()
    """)
    assert worker.make("environment") == {}
    assert "secret" not in worker.make("of_a_child")
    # What a process was started with stays there to read: the host's is what the workers have too.
    for pid in ("self", worker.make("parent")):
        names = {part.partition("=")[0] for part in worker.make("at_start", pid).split("\0") if part}
        assert names == {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}


@pytest.mark.parametrize(
    "statement",
    [
        "import graders",
        "import graders.engine.run.wire",
        "from graders.ex01_sinusoidal import hidden",
        "import reference",
        "from reference import ex01_sinusoidal",
        "import exercises",
        "import tests",
        "import ex01_sinusoidal",
        "import boot",
    ],
)
def test_nothing_of_the_course_can_be_imported(start: Start, statement: str) -> None:
    answer = start().load(statement)
    assert isinstance(answer, Raised)
    assert answer.type_name == "ModuleNotFoundError"


def test_the_path_holds_no_folder_of_the_course(start: Start) -> None:
    worker = start("""
        import os, sys
        def path(): return list(sys.path)
        def folder(): return os.getcwd()
        def modules(): return [name for name in sys.modules if name.startswith("graders")]
    """)
    path = [Path(entry).resolve() for entry in worker.make("path")]
    assert path
    assert ROOT not in path
    assert not any(entry.is_relative_to(ROOT / folder) for entry in path for folder in ("graders", "reference"))
    assert worker.make("folder") == "/"
    assert worker.make("modules") == []


def test_a_worker_holds_no_file_but_its_own_lines(start: Start) -> None:
    worker = start("""
        import os
        def files():
            found = {}
            for number in range(64):
                try: found[number] = os.readlink(f"/proc/self/fd/{number}").partition(":")[0]
                except FileNotFoundError: pass
            return found
    """)
    assert worker.make("files") == {"0": "/dev/null", "1": "socket", "2": "socket", "3": "socket"}


@limited_memory
@pytest.mark.parametrize(
    ("code", "type_names"),
    [
        ("torch.zeros(100 << 30, dtype=torch.uint8)", {"RuntimeError"}),
        ("torch.zeros(4, 1 << 30).add(1)", {"RuntimeError"}),
        ("bytearray(100 << 30)", {"MemoryError"}),
        ("'x' * (100 << 30)", {"MemoryError"}),
        ("[bytearray(1 << 20) for _ in range(10**6)]", {"MemoryError"}),
        ("torch.zeros(100 << 20, dtype=torch.uint8).repeat(100)", {"RuntimeError"}),
    ],
)
def test_too_much_memory_is_an_exception_and_the_worker_lives(start: Start, code: str, type_names: set[str]) -> None:
    worker = start(f"import torch\ndef attack():\n    {code}\ndef fine(): return torch.ones(1000).sum().item()")
    answer = worker.make("attack")
    assert isinstance(answer, Raised)
    assert answer.type_name in type_names
    assert worker.make("fine") == 1000


@limited_memory
def test_the_limit_on_memory_is_the_one_asked_for(start: Start) -> None:
    code = "def take(mib): return len(bytearray(mib << 20)) >> 20"
    assert start(code, memory_mib=600).make("take", 300) == 300
    assert start(code, memory_mib=200).make("take", 300).type_name == "MemoryError"


def test_many_expanded_tensors_do_not_fill_memory(start: Start) -> None:
    """Each is small enough to travel, and all together they are not."""
    worker = start(f"import torch\ndef attack(): return [torch.zeros(1).expand({MAX_BODY_BYTES // 4})] * 1000")
    answer = worker.make("attack")
    assert isinstance(answer, Raised)


def test_no_file_can_be_written(start: Start, tmp_path: Path) -> None:
    worker = start("""
        import os, torch
        def text(path):
            with open(path, "w") as file: file.write("x" * 100)
        def raw(path): os.write(os.open(path, os.O_CREAT | os.O_WRONLY), b"x")
        def save(path): torch.save(torch.zeros(1000), path)
        def fine(): return 1
    """)
    for name in ("text", "raw", "save"):
        path = tmp_path / name
        answer = worker.make(name, str(path))
        assert isinstance(answer, Raised)
        assert not path.exists() or path.stat().st_size == 0
    assert worker.make("fine") == 1


def test_limits_hold_and_cannot_be_lifted_by_accident(start: Start) -> None:
    worker = start("""
        import resource
        LIMITS = ("RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_NOFILE")
        def limits(): return [resource.getrlimit(getattr(resource, name)) for name in LIMITS]
        def many(): return [open("/dev/null") for _ in range(100)]
    """)
    assert worker.make("limits") == [(0, 0), (0, 0), (sandbox.OPEN_FILES, sandbox.OPEN_FILES)]
    assert worker.make("many").type_name == "OSError"


def test_one_thread_computes(start: Start) -> None:
    assert start("import torch\ndef threads(): return torch.get_num_threads()").make("threads") == 1


def test_the_address_space_is_known() -> None:
    before = sandbox.mapped_bytes()
    held = torch.zeros(256 << 20, dtype=torch.uint8)
    assert sandbox.mapped_bytes() - before >= held.numel() // 2


def test_a_worker_that_cannot_restrict_itself_says_so_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = []

    def fail(memory_mib: int) -> None:
        raise OSError(errno.EPERM, "no such right")

    def leave(code: int) -> NoReturn:
        codes.append(code)
        raise SystemExit

    monkeypatch.setattr(worker, "restrict", fail)
    monkeypatch.setattr(worker, "_exit", leave)
    ours, theirs = socket.socketpair()
    output, their_output = socket.socketpair()
    with theirs, their_output:
        with pytest.raises(SystemExit):
            worker.serve(theirs, 100)
        connection = Connection(ours, output, lambda: End(97))
        with pytest.raises(OSError, match=r"could not restrict itself.*no such right"):
            connection.wait_ready(10)
    assert codes == [worker.EXIT_RESTRICTION_FAILED]
    assert not connection.alive


def test_restricting_empties_the_environment_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, so the limits themselves are left out."""
    order: list[str] = []
    monkeypatch.setattr(sandbox, "_die_with_parent", lambda: order.append(f"parent {len(os.environ)}"))
    monkeypatch.setattr(sandbox, "_limit_resources", lambda mib: order.append(f"{mib} MiB"))
    kept = dict(os.environ)
    try:
        sandbox.restrict(50)
    finally:
        os.environ.update(kept)
    assert order == ["parent 0", "50 MiB"]
