"""The host: a process that imports torch once, with one thread, and forks a worker whenever the judge asks.

It knows no check, no reference and no secret: it is started by exec with an environment built from nothing, and
student code only ever runs in its children. Linux only; elsewhere a worker is a process started afresh.
"""

import gc
import json
import os
import signal
import socket
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from graders.engine.run.worker.large_pages import use_large_pages
from graders.engine.run.worker.sandbox.linux import PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, prctl
from graders.engine.run.worker.sandbox.restrict import Prepared, prepare
from graders.engine.run.worker.serve import serve
from graders.engine.run.worker.warm import warm_up

MESSAGE_BYTES = 4096
EXIT_ENGINE_FAULT = 98


def run_host(descriptor: str) -> NoReturn:
    """Serve the judge's requests on a SOCK_SEQPACKET descriptor until it closes, then end with all children."""
    control = socket.socket(fileno=int(descriptor))
    try:
        warm_up()
        # Whatever a worker leaves behind becomes a child of this process; and no worker may look into its memory.
        prctl("PR_SET_CHILD_SUBREAPER", PR_SET_CHILD_SUBREAPER, 1)
        prctl("PR_SET_DUMPABLE", PR_SET_DUMPABLE, 0)
        prepared = prepare(os.getpid())
    except Exception as error:
        # Whatever this system lacks: no /proc, no random numbers, no room.
        _tell(control, {"problem": f"the host process can't do its work here ({type(error).__name__}: {error})"})
        os._exit(EXIT_ENGINE_FAULT)
    gc.collect()
    gc.freeze()
    use_large_pages()
    gc.enable()
    living: set[int] = set()
    _tell(control, {"ready": True})
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, 2)
        if not data:
            for pid in living:
                os.kill(pid, signal.SIGKILL)
            _kill_strays(set())
            os._exit(0)
        request = json.loads(data)
        if request["do"] == "fork":
            line, output = descriptors
            try:
                pid = _fork_worker(prepared, line, output, request["memory_mib"], request["layers"])
            except OSError as error:
                # No room for another process: the judge decides what that means.
                _tell(control, {"problem": f"no worker could be forked: {error.strerror}"})
            else:
                living.add(pid)
                _tell(control, {"pid": pid})
            finally:
                os.close(line)
                os.close(output)
        elif request["do"] == "reap":
            _, status, usage = os.wait4(request["pid"], 0)
            living.discard(request["pid"])
            _kill_strays(living)
            _tell(control, {"status": status, "cpu_seconds": usage.ru_utime + usage.ru_stime})


def _tell(control: socket.socket, answer: dict[str, Any]) -> None:
    try:
        control.send(json.dumps(answer).encode())
    except OSError:
        os._exit(0)  # the judge is gone; workers die with this process


def _fork_worker(prepared: Prepared, line: int, output: int, memory_mib: int, layers: Sequence[str]) -> int:
    """Fork a worker that speaks on `line` and prints to `output`; return its process id."""
    pid = os.fork()
    if pid == 0:
        try:
            # Opened anew, or what one worker sets on it would be seen by the next.
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            # The control line, like every other inherited descriptor, is closed with the restrictions.
            serve(socket.socket(fileno=line), prepared, memory_mib, layers)
        except BaseException:
            traceback.print_exc()  # our own fault; it reaches the judge as this worker's output
        finally:
            os._exit(EXIT_ENGINE_FAULT)
    return pid


def _kill_strays(living: set[int]) -> None:
    """End every child that is no living worker: processes that student code started and that outlived it."""
    while strays := _children() - living:
        for pid in strays:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _children() -> set[int]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
        return {int(pid) for pid in children.read().split()}
