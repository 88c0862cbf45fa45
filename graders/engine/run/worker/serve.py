"""The worker's own loop: restrict yourself, say so, then answer one order after the other until the line closes."""

import math
import os
import socket
import sys
from collections.abc import Collection
from dataclasses import asdict
from typing import NoReturn

from graders.engine.run.wire import Closed, encode, receive, send
from graders.engine.run.worker.orders import obey
from graders.engine.run.worker.sandbox.restrict import Prepared, restrict
from graders.engine.run.worker.student_file import describe_exception
from graders.engine.run.worker.workbench import Bench

_exit, _getpid = os._exit, os.getpid
EXIT_CANNOT_ANSWER = 96


def serve(sock: socket.socket, prepared: Prepared, memory_mib: int, layers: Collection[str]) -> NoReturn:
    """Answer orders on `sock`. Nothing of a submission comes before the judge has seen which restrictions hold."""
    report = restrict(prepared, memory_mib, sock.fileno(), layers)
    send(sock, encode({"ready": asdict(report)}), math.inf)
    try:
        _answer_orders(sock)
    finally:
        # Student code may break anything that an answer is made with. What Python says about that, with a traceback
        # of ours, is nothing for the student: the exit code alone tells it.
        _exit(EXIT_CANNOT_ANSWER)


def _answer_orders(sock: socket.socket) -> NoReturn:
    bench, pid = Bench(), _getpid()
    while True:
        try:
            frame = _answer(bench, sock)
            # A student's os.fork() comes back here a second time; only the worker itself may answer.
            if _getpid() != pid:
                _exit(0)
            send(sock, frame, math.inf)
        except Closed:
            _exit(0)


def _answer(bench: Bench, sock: socket.socket) -> bytes:
    """Read one order and return the frame that answers it: a value, or what the student's code raised."""
    message = receive(sock, math.inf)
    number = message.fields["id"]
    try:
        value, tensors = obey(bench, message)
        _flush_output()
        return encode({"id": number, "value": value}, tensors)
    except Closed:
        raise
    except BaseException as error:
        # SystemExit and KeyboardInterrupt are answers as well: student code may raise anything, and a bare
        # exception ends neither the worker nor the check of another exercise.
        _flush_output()
        label = bench.file.label if bench.file else message.fields.get("label", "")
        return encode({"id": number, "raised": describe_exception(error, label)})


def _flush_output() -> None:
    # The student may have replaced or closed both streams; what cannot be flushed is not shown.
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            continue
