"""What student code finds itself in: nothing of the judge's to see, limited memory, and no file to write."""

from pathlib import Path

import pytest

from graders.engine.run.launch import ROOT
from graders.engine.run.raised import Raised
from graders.engine.run.wire import MAX_BODY_BYTES
from graders.engine.run.worker.sandbox.limits import OPEN_FILES
from tests.run.conftest import Start, linux_only

pytestmark = linux_only


def test_the_environment_is_empty(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_TOKEN", "secret")
    worker = start("""
        import ctypes, os
        def environment(): return dict(os.environ)
        def of_the_c_library(): return ctypes.CDLL(None).getenv(b"GRADER_TOKEN")
        def at_start(pid): return open(f"/proc/{pid}/environ").read()
        def parent(): return os.getppid()
    """)
    assert worker.make("environment") == {}
    assert worker.make("of_the_c_library") == 0
    # What a process was started with stays there, for whoever may read it.
    for pid in ("self", worker.make("parent"), 1):
        assert worker.make("at_start", pid).type_name == "PermissionError"


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
        import os, stat
        def files():
            found = []
            for number in range(300):
                try: mode = os.fstat(number).st_mode
                except OSError: continue
                found.append("socket" if stat.S_ISSOCK(mode) else "device" if stat.S_ISCHR(mode) else mode)
            return found
    """)
    # No input, one output twice, and the line to the judge.
    assert worker.make("files") == ["device", "socket", "socket", "socket"]


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
    tmp_path.chmod(0o777)
    worker = start("""
        import os, tempfile, torch
        def text(path):
            with open(path, "w") as file: file.write("x" * 100)
        def raw(path): os.write(os.open(path, os.O_CREAT | os.O_WRONLY), b"x")
        def save(path): torch.save(torch.zeros(1000), path)
        def folder(path): os.mkdir(path)
        def temporary(path): tempfile.TemporaryFile(dir=os.path.dirname(path))
        def fine(): return 1
    """)
    for name in ("text", "raw", "save", "folder", "temporary"):
        answer = worker.make(name, str(tmp_path / name))
        assert isinstance(answer, Raised), name
    assert list(tmp_path.iterdir()) == []
    assert worker.make("fine") == 1


def test_no_file_of_others_can_be_read(start: Start, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    worker = start("""
        import os
        def read(path): return open(path).read()
        def listed(path): return os.listdir(path)
        def fine(): return len(os.listdir(os.path.dirname(os.__file__))) > 100
    """)
    for path in (tmp_path / "secret", ROOT / "grading.yaml", "/etc/passwd", "/proc/self/maps", "/proc/cpuinfo"):
        assert worker.make("read", str(path)).type_name == "PermissionError", path
    for path in ("/", tmp_path, ROOT, "/proc", "/proc/self/fd", "/home", "/tmp"):
        assert worker.make("listed", str(path)).type_name == "PermissionError", path
    assert worker.make("fine") is True


def test_limits_hold_and_cannot_be_lifted(start: Start) -> None:
    worker = start("""
        import resource
        LIMITS = ("RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_NOFILE")
        def limits(): return [resource.getrlimit(getattr(resource, name)) for name in LIMITS]
        def lift(): resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000))
        def many(): return [open("/dev/null") for _ in range(100)]
    """)
    assert isinstance(worker.make("lift"), Raised)
    assert worker.make("limits") == [(0, 0), (0, 0), (OPEN_FILES, OPEN_FILES)]
    assert worker.make("many").type_name == "OSError"


def test_one_thread_computes(start: Start) -> None:
    assert start("import torch\ndef threads(): return torch.get_num_threads()").make("threads") == 1


@pytest.mark.parametrize(
    "code",
    [
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "subprocess.Popen(['/bin/true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "multiprocessing.get_context('fork').Process(target=print).start()",
        "socket.socket()",
        "os.kill(os.getppid(), 0)",
        "os.killpg(0, 0)",
        "os.chdir('/tmp')",
        "os.setsid()",
        "os.nice(1)",
    ],
)
def test_what_is_refused_is_an_exception_and_the_worker_lives(start: Start, code: str) -> None:
    worker = start(f"""
        import multiprocessing, os, socket, subprocess
        def attack(): {code}
        def fine(): return 1
    """)
    answer = worker.make("attack")
    assert isinstance(answer, Raised)
    assert answer.type_name == "PermissionError"
    assert worker.make("fine") == 1
