"""A worker's restrictions without the worker: a script that prepares them, forks, and restricts the child.

It runs as `python -I -S -B shut_in.py ROOT LINE USER`, so that a tracer can make its system calls fail. On the
descriptor LINE the child says what it reports, what it can do all the same and what it still holds open; then it waits
there. USER is the one to become, or "" for the one that is chosen.
"""

import json
import os
import socket
import sys
from dataclasses import asdict, replace

MEMORY_MIB = 500
SOME_NUMBER = 200


def main(root: str, descriptor: str, user: str) -> None:
    """Restrict a child by every layer, let it tell, and wait for its end."""
    sys.path.append(root)
    from graders.engine.run.layers import LAYERS
    from graders.engine.run.worker.sandbox.privileges import User
    from graders.engine.run.worker.sandbox.restrict import prepare, restrict

    sys.path.remove(root)
    line = socket.socket(fileno=int(descriptor))
    prepared = prepare(os.getpid())
    if user:
        prepared = replace(prepared, user=User(user))
    os.dup2(os.open(os.devnull, os.O_RDONLY), SOME_NUMBER)
    if os.fork() == 0:
        report = restrict(prepared, MEMORY_MIB, line.fileno(), LAYERS)
        told = {
            "pid": os.getpid(),
            "parent": os.getppid(),
            "report": asdict(report),
            "could": could(root),
            "open": [number for number in range(SOME_NUMBER + 1) if succeeds(os.fstat, number)],
            "line": line.fileno(),
        }
        line.sendall(json.dumps(told).encode() + b"\n")
        line.recv(1)
        os._exit(0)
    line.close()
    _, status = os.wait()
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def could(root: str) -> list[str]:
    """Return what a worker must not do and this process can: another list than the engine's own."""
    attempts = {
        "read the course": lambda: os.close(os.open(f"{root}/grading.yaml", os.O_RDONLY)),
        "list the course": lambda: os.listdir(root),
        "make a socket": lambda: socket.socketpair(),
        "make a process group": lambda: os.setpgid(0, os.getppid()),
        "change its folder": lambda: os.chdir("/"),
    }
    return [name for name, attempt in attempts.items() if succeeds(attempt)]


def succeeds(attempt, *arguments) -> bool:  # type: ignore[no-untyped-def]
    """Return whether the system lets this through."""
    try:
        attempt(*arguments)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
