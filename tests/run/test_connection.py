"""The judge's end of a worker: whatever student code does, an answer or the worker's end comes by the deadline."""

import socket
import struct
import time

import pytest
import torch

from graders.engine.run.connection import KEPT_OUTPUT_BYTES, Connection, End, WorkerLost
from graders.engine.run.raised import Raised
from graders.engine.run.values import RemoteObject
from graders.engine.run.wire import MAX_BODY_BYTES, WireError
from tests.run.conftest import LONG, SHORT, Start, Worker, all_gone, linux_only

pytestmark = linux_only

LINE = """
import os, sys
def line():
    above = sys._getframe()
    while "sock" not in above.f_locals: above = above.f_back
    return above.f_locals["sock"].fileno()
"""
"""Student code finds the line to the judge in the frames above it."""


def lost(worker: Worker, seconds: float = LONG) -> WorkerLost:
    """Call `attack()` of the file and return how the worker was lost by it."""
    began = time.monotonic()
    with pytest.raises(WorkerLost) as caught:
        worker.make("attack", seconds=seconds)
    assert time.monotonic() - began < LONG
    assert not worker.connection.alive
    return caught.value


# Answers


def test_answers_come_one_after_the_other(start: Start) -> None:
    worker = start("def double(x): return 2 * x")
    for number in range(50):
        assert worker.make("double", number) == 2 * number


def test_large_orders_and_answers_pass(start: Start) -> None:
    worker = start("def same(x): return x")
    sent = torch.arange(7 << 20, dtype=torch.int64)
    assert torch.equal(worker.make("same", sent).values, sent)


def test_an_answer_that_is_too_large_is_an_exception_and_the_worker_lives(start: Start) -> None:
    worker = start("""
        import torch
        def bytes_(): return [torch.zeros(10 << 20)] * 2
        def tensors(): return [[torch.zeros(1)] * 3] * 400
        def text(): return ["a" * 1999] * 1000
    """)
    for name in ("bytes_", "tensors", "text"):
        answer = worker.make(name)
        assert isinstance(answer, Raised)
        assert answer.message == "this is too large to send"
    assert worker.make("text") == answer


def test_what_a_check_cannot_send_is_the_checks_own_fault(start: Start) -> None:
    worker = start("def same(x): return x")
    with pytest.raises(WireError, match="too large"):
        worker.make("same", [torch.zeros(MAX_BODY_BYTES // 4)] * 2)
    with pytest.raises(TypeError, match="a check gave a set"):
        worker.make("same", {1})
    assert worker.make("same", 1) == 1


@pytest.mark.parametrize(
    ("code", "type_name"),
    [
        ("raise ValueError('no')", "ValueError"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("exit()", "NameError"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise BaseException", "BaseException"),
        ("def f(): f()\n    f()", "RecursionError"),
        ("input()", "EOFError"),
    ],
)
def test_an_exception_is_an_answer_and_the_worker_lives(start: Start, code: str, type_name: str) -> None:
    worker = start(f"def attack():\n    {code}\ndef fine(): return 1")
    answer = worker.make("attack")
    assert isinstance(answer, Raised)
    assert answer.type_name == type_name
    assert worker.make("fine") == 1


# Endless work


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time; time.sleep(10**6)",
        "sum(range(10**15))",
        "import torch; m = torch.ones(6000, 6000, dtype=torch.float64); m @ m",
        "import threading; threading.Event().wait()",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        """
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
        """
    import signal
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True: pass
""",
        "import threading; t = threading.Thread(target=lambda: sum(range(10**15))); t.start(); t.join()",
    ],
    ids=["loop", "sleep", "one C call", "one long matmul", "event", "stopped", "caught", "signals ignored", "thread"],
)
def test_endless_work_ends_at_the_deadline(start: Start, code: str) -> None:
    end = lost(start(f"def attack():\n    {code}"), SHORT)
    assert end.reason == "timeout"
    assert end.end.exit_code == -9


def test_endless_work_at_import_ends_at_the_deadline(start: Start) -> None:
    worker = start()
    with pytest.raises(WorkerLost, match="timeout"):
        worker.load("while True: pass", SHORT)


def test_an_endless_answer_ends_at_the_deadline(start: Start) -> None:
    """What has no end when it is packed, or when it is told as an exception, is cut or killed like any other."""
    worker = start("""
        class Endless(Exception):
            def __str__(self):
                while True: pass
        def attack(): raise Endless
    """)
    assert lost(worker, SHORT).reason == "timeout"


def test_cpu_time_is_known(start: Start) -> None:
    end = lost(start("def attack():\n    while True: pass"), SHORT).end
    assert end.cpu_seconds is not None
    assert 0 < end.cpu_seconds < LONG


# Sudden ends


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("import os; os._exit(0)", 0),
        ("import os; os._exit(3)", 3),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -15),
        ("import os; os.abort()", -6),
        ("import ctypes; ctypes.string_at(0)", -11),
        ("import threading, os; threading.Thread(target=os._exit, args=(5,)).start(); import time; time.sleep(60)", 5),
    ],
)
def test_a_sudden_end_is_a_crash(start: Start, code: str, exit_code: int) -> None:
    end = lost(start(f"def attack():\n    {code}"))
    assert end.reason == "crashed"
    assert end.end.exit_code == exit_code


@pytest.mark.parametrize("code", ["os.close(line())", "os.closerange(0, 100)", "os.dup2(0, line())"])
def test_a_line_that_student_code_closes_is_a_crash(start: Start, code: str) -> None:
    worker = start(LINE + f"def attack(): {code}")
    assert lost(worker).reason == "crashed"
    assert b"Traceback" not in worker.connection.take_output()


def test_a_lost_worker_costs_no_other(start: Start) -> None:
    other = start("def fine(): return 1")
    lost(start("import os\ndef attack(): os._exit(1)"))
    assert other.make("fine") == 1
    assert start("def fine(): return 2").make("fine") == 2


def test_closing_twice_is_harmless(start: Start) -> None:
    worker = start()
    end = worker.connection.close()
    assert end is not None
    assert end.exit_code == -9
    assert worker.connection.close() is None


# Output


def test_output_is_kept_until_it_is_taken(start: Start) -> None:
    worker = start("""
        import os, sys
        print("at import")
        def talk():
            print("out")
            print("err", file=sys.stderr)
            os.write(1, b"raw\\n")
    """)
    assert worker.connection.take_output() == b"at import\n"
    worker.make("talk")
    assert sorted(worker.connection.take_output().split()) == [b"err", b"out", b"raw"]
    assert worker.connection.take_output() == b""


@pytest.mark.parametrize("end", ["while True: pass", "os._exit(1)", "os.kill(os.getpid(), 9)"])
def test_what_was_printed_before_the_end_is_kept(start: Start, end: str) -> None:
    worker = start(f"import os\ndef attack():\n    print('so far')\n    {end}")
    lost(worker, SHORT)
    assert worker.connection.take_output() == b"so far\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_printing_for_ever_ends_at_the_deadline_and_64_kib_are_kept(start: Start, stream: str) -> None:
    worker = start(f"import sys\ndef attack():\n    while True: print('x' * 1000, file=sys.{stream})")
    assert lost(worker, SHORT).reason == "timeout"
    assert len(worker.connection.take_output()) == KEPT_OUTPUT_BYTES


def test_printing_much_does_not_keep_an_answer_back(start: Start) -> None:
    worker = start("def much():\n    print('x' * (8 << 20))\n    return 1")
    assert worker.make("much") == 1
    assert len(worker.connection.take_output()) == KEPT_OUTPUT_BYTES
    assert worker.make("much") == 1


def test_a_thread_that_prints_for_ever_does_not_keep_answers_back(start: Start) -> None:
    worker = start("""
        import threading, os
        def chatter():
            while True: os.write(1, b"x" * 1000)
        threading.Thread(target=chatter, daemon=True).start()
        def fine(x): return x
    """)
    for number in range(20):
        assert worker.make("fine", number) == number
        worker.connection.take_output()


def test_closed_and_replaced_streams_break_nothing(start: Start) -> None:
    worker = start("""
        import sys
        class Bad:
            def write(self, text): raise OSError("full")
            def flush(self): raise OSError("full")
        sys.stdout.close()
        sys.stderr = Bad()
        def fine(): return 1
    """)
    assert worker.make("fine") == 1


# Forgery


FRAME = (
    LINE
    + """
import json, struct
def frame(fields):
    header = json.dumps({"tensors": [], **fields}).encode()
    return struct.pack("<4sII", b"PEG1", len(header), 0) + header
"""
)


@pytest.mark.parametrize(
    "written",
    [
        'frame({"id": "0", "value": "forged"})',
        'frame({"value": "forged"})',
        'frame({"id": None, "value": "forged"})',
        'frame({"ready": True})',
        'b"PEG1"',
        'b"garbage" * 100',
        'struct.pack("<4sII", b"PEG1", 0xffffffff, 0xffffffff)',
    ],
)
def test_a_frame_that_student_code_writes_is_not_believed(start: Start, written: str) -> None:
    worker = start(FRAME + f"def attack():\n    os.write(line(), {written})\n    return 'true'")
    assert lost(worker).reason == "crashed"


def test_an_answer_written_in_advance_is_not_believed(start: Start) -> None:
    """The answer to the present order is read, and what was written for a later one is not taken for that one's."""
    worker = start(
        FRAME
        + """
import threading, time
def later(to):
    time.sleep(0.2)
    os.write(to, frame({"id": "2", "value": "forged"}))
def plant(): threading.Thread(target=later, args=(line(),)).start()
def attack(): return time.sleep(60)
"""
    )
    assert worker.make("plant") is None
    assert lost(worker).reason == "crashed"


def test_half_a_frame_ends_at_the_deadline(start: Start) -> None:
    worker = start(FRAME + "def attack():\n    os.write(line(), frame({'id': '0' * 99})[:-1])\n    while True: pass")
    assert lost(worker, SHORT).reason == "timeout"


@pytest.mark.parametrize(
    "raised",
    [
        "None",
        "'ValueError'",
        "{}",
        "{**GOOD, 'type': 3}",
        "{**GOOD, 'families': [3]}",
        "{**GOOD, 'families': [[]]}",
        "{**GOOD, 'families': ['Evil']}",
        "{**GOOD, 'families': ['ValueError'] * 99}",
        "{**GOOD, 'line': True}",
        "{**GOOD, 'frames': [[1, 'f']] * 21}",
        "{**GOOD, 'frames': [[1, 'f'], [2]]}",
        "{**GOOD, 'frames': [[True, 'f']]}",
        "{**GOOD, 'frames': 'f'}",
        "{**GOOD, 'more': 1}",
        "{**GOOD, 'line': '3'}",
        "{**GOOD, 'message': None}",
    ],
)
def test_a_forged_exception_is_described_as_one_or_refused(start: Start, raised: str) -> None:
    """Student code can read the order's number from the frames above it; what it gains is to say what it likes."""
    worker = start(FRAME + KNOWING + f"def attack(): answer(raised={raised})")
    assert lost(worker).reason == "crashed"


KNOWING = """
GOOD = {"type": "E", "families": [], "message": "", "line": None, "frames": []}
def answer(**fields):
    above = sys._getframe()
    while "number" not in above.f_locals: above = above.f_back
    os.write(line(), frame({"id": above.f_locals["number"], **fields}))
    os._exit(0)
"""


@pytest.mark.parametrize("value", ["[1]", "{'list': 3}", "{'tensor': 0, 'device': 'cpu', 'type': 'T'}", "10 ** 30"])
def test_a_forged_value_is_one_that_may_travel_or_refused(start: Start, value: str) -> None:
    worker = start(FRAME + KNOWING + f"def attack(): answer(value={value})")
    assert lost(worker).reason == "crashed"


@pytest.mark.parametrize(
    "value",
    ["3", "{'dict': []}", "{'dict': [['result', 3], ['arguments', {'list': [1, 2]}]]}"],
)
def test_a_forged_answer_of_another_form_than_its_orders_is_refused(start: Start, value: str) -> None:
    """What the judge does with an answer need not look at what it is made of."""
    worker = start(FRAME + KNOWING + f"def attack(x): answer(value={value})\ndef fine(x): return x")
    order = {"args": [1], "kwargs": {}, "seed": 0}
    assert worker.order("call_function", name="fine", **order) == {"result": 1}
    with pytest.raises(WorkerLost, match="crashed"):
        worker.order("call_function", name="attack", **order)


def test_an_output_that_is_closed_with_a_reset_is_the_workers_end_and_no_fault_of_the_machine() -> None:
    line, theirs = socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as server, theirs:
        output = socket.create_connection(server.getsockname())
        printing, _ = server.accept()
        # No time to linger: what is closed so is closed with a reset.
        printing.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        printing.close()
        theirs.shutdown(socket.SHUT_RDWR)
        connection = Connection(line, output, lambda: End(1))
        with pytest.raises(WorkerLost, match="crashed"):
            connection.order("make", {}, time.monotonic() + LONG)
        assert connection.take_output() == b""


def test_deep_nesting_is_refused(start: Start) -> None:
    worker = start(
        FRAME
        + KNOWING
        + """
def attack():
    value = None
    for _ in range(300): value = {"list": [value]}
    answer(value=value)
"""
    )
    assert lost(worker).reason == "crashed"


def test_forged_texts_are_cut_and_mended(start: Start) -> None:
    worker = start(
        FRAME
        + KNOWING
        + """
BAD = "\\ud800" + "x" * 9000
def attack():
    frames = [[1, BAD], [None, ""], [0, ""], [-1, ""], [1 << 63, ""]]
    answer(raised={"type": BAD, "families": ["KeyError"], "message": BAD, "line": 1, "frames": frames})
"""
    )
    mended = "?" + "x" * 1999
    assert worker.make("attack") == Raised(mended, ("KeyError",), mended, 1, ((1, mended),))


@pytest.mark.parametrize("line", [0, -3, 1 << 63, -(10**4000)])
def test_a_line_that_no_file_has_is_none(start: Start, line: int) -> None:
    """An honest worker tells what it was told: a SyntaxError of the student's own may have any line."""
    worker = start(FRAME + KNOWING + f"def attack(): answer(raised={{**GOOD, 'line': {line}}})")
    assert worker.make("attack") == Raised("E", (), "", None, ())


def test_an_unknown_handle_is_only_a_number(start: Start) -> None:
    worker = start(FRAME + KNOWING + "def attack(): answer(value={'object': 'M', 'handle': 99})")
    assert worker.make("attack") == RemoteObject("M", 99)


# Processes and threads of student code, on a machine that has no means to refuse them


@pytest.mark.usefixtures("unwatched")
def test_a_fork_answers_once(start: Start) -> None:
    worker = start("""
        import os
        def split(x):
            os.fork()
            return x
        def split_and_raise():
            os.fork()
            raise ValueError("both")
    """)
    for number in range(3):
        assert worker.make("split", number) == number
        answer = worker.make("split_and_raise")
        assert isinstance(answer, Raised)
        assert answer.message == "both"


@pytest.mark.usefixtures("unwatched")
def test_children_end_with_the_worker(start: Start) -> None:
    worker = start("""
        import os, subprocess, sys
        def children():
            pids = [subprocess.Popen(["/bin/sleep", "600"]).pid]
            pid = os.fork()
            while pid == 0: pass
            return [*pids, pid]
    """)
    pids = worker.make("children")
    assert len(pids) == 2
    worker.connection.close()
    assert all_gone(pids)


@pytest.mark.usefixtures("unwatched")
def test_a_daemon_that_left_its_session_ends_with_the_worker(start: Start) -> None:
    worker = start("""
        import os, time
        def leave():
            told, tell = os.pipe()
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.write(tell, str(os.getpid()).encode())
                    while True: time.sleep(1)
                os._exit(0)
            return int(os.read(told, 100))
    """)
    pids = [worker.make("leave") for _ in range(3)]
    worker.connection.close()
    assert all_gone(pids)


@pytest.mark.usefixtures("unwatched")
def test_a_daemon_of_a_worker_that_ended_itself_is_gone_too(start: Start) -> None:
    worker = start("""
        import os, time
        def attack():
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    print(os.getpid(), flush=True)
                    while True: time.sleep(1)
                os._exit(0)
            os.wait()
            time.sleep(0.3)
            os._exit(1)
    """)
    # The daemon holds the line as well, so that only the deadline tells the end.
    lost(worker, 2 * SHORT)
    assert all_gone([int(worker.connection.take_output())])


def test_threads_are_allowed(start: Start) -> None:
    worker = start("""
        from concurrent.futures import ThreadPoolExecutor
        def squares():
            with ThreadPoolExecutor(4) as pool: return list(pool.map(lambda x: x * x, range(5)))
    """)
    assert worker.make("squares") == [0, 1, 4, 9, 16]
    assert isinstance(worker.connection, Connection)
