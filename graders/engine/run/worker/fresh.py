"""A worker that is a process of its own from the start, for systems that cannot fork: slower, same orders."""

import gc
import os
import socket
import sys

from graders.engine.run.worker.sandbox.restrict import prepare
from graders.engine.run.worker.serve import serve
from graders.engine.run.worker.warm import warm_up


def run_fresh_worker(port: str) -> None:
    """Call the judge back on a loopback port, prove by the token on stdin who is calling, and obey its orders."""
    warm_up()
    gc.enable()
    token, memory_mib, *layers = sys.stdin.readline().split()
    # Student code that asks for input finds an end of file, as it does in a forked worker.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    line = socket.create_connection(("127.0.0.1", int(port)))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.sendall(token.encode())
    serve(line, prepare(os.getppid()), int(memory_mib), layers)
