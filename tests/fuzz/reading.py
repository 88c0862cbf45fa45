"""What fuzzing calls: bytes are read as the judge reads a worker's line, and few things may come of it."""

import contextlib
import socket
import threading
import time
from typing import Any

from graders.engine.run.answers import has_form, read_answer
from graders.engine.run.raised import Raised
from graders.engine.run.values import Generator, RemoteObject, RemoteTensor
from graders.engine.run.wire import PREFIX, Closed, DeadlinePassed, Message, WireError, receive

NUMBER = "0-0123456789abcdef"
"""The order's number, which a worker that answers it knows."""
GIVEN = {"args": [0, 1], "count": 2, "paths": ["a.weight"], "steps": 3}
"""Arguments of the order, as far as the form of an answer depends on them."""
TAKEN_AT_ONCE = 100_000
"""So many bytes a socket takes before anybody reads."""
SOON = 20.0


def read(stream: bytes, order: str) -> str:
    """Return what comes of a worker's whole stream, after which it hangs up.

    That is "value", "Raised", "Closed", "DeadlinePassed", or the words with which the stream is refused. Whatever else
    is raised comes through, and so does an answer that holds more than the stream did.
    """
    try:
        answer = read_answer(message_in(stream), NUMBER, order, GIVEN)
    except WireError as error:
        return str(error)
    except (Closed, DeadlinePassed) as error:
        return type(error).__name__
    assert weight(answer) <= len(stream) - PREFIX.size, "an answer is larger than what was sent"
    if isinstance(answer, Raised):
        return "Raised"
    assert has_form(order, GIVEN, answer)
    return "value"


def read_unfinished(stream: bytes) -> str:
    """Return "DeadlinePassed" for a worker that is silent after half a frame, else "Message" or "WireError"."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        _prepare(theirs)
        theirs.sendall(stream[:TAKEN_AT_ONCE])
        ours.setblocking(False)
        try:
            return type(receive(ours, time.monotonic() + 0.001)).__name__
        except (WireError, DeadlinePassed) as error:
            return type(error).__name__


def message_in(stream: bytes) -> Message:
    """Return the first message of a stream that ends; raises what `receive` raises."""
    ours, theirs = socket.socketpair()
    writer = threading.Thread(target=_write_and_hang_up, args=(theirs, stream))
    try:
        with ours:
            ours.setblocking(False)
            writer.start() if len(stream) > TAKEN_AT_ONCE else writer.run()
            return receive(ours, time.monotonic() + SOON)
    finally:
        if writer.is_alive():
            writer.join()


def _prepare(theirs: socket.socket) -> None:
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * TAKEN_AT_ONCE)


def _write_and_hang_up(theirs: socket.socket, stream: bytes) -> None:
    # Who refuses a stream does not read the rest of it.
    with theirs, contextlib.suppress(OSError):
        _prepare(theirs)
        theirs.sendall(stream)


def weight(answer: Any) -> int:
    """Return how many things an answer holds: a number is one, a text or a tensor as many as it has bytes.

    Raises TypeError for anything that is not plain.
    """
    match answer:
        case None | bool() | int() | float() | Generator():
            return 1
        case str():
            return len(answer.encode())  # strictly: a lone surrogate is none
        case RemoteTensor():
            return int(answer.values.numel()) * answer.values.itemsize + weight(answer.type_name)
        case RemoteObject():
            return weight(answer.type_name)
        case Raised():
            return sum(map(weight, [answer.type_name, answer.message, *answer.families, *map(list, answer.frames)]))
        case list() | tuple():
            return sum(map(weight, answer))
        case dict():
            return sum(weight(key) + weight(item) for key, item in answer.items())
    raise TypeError(f"an answer holds a {type(answer).__name__}")
