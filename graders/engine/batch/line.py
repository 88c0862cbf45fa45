"""The line between this process and a member of a crew: whole messages over a pair of pipes.

Jobs go out pickled: both ends are this program, and a member obeys its parent anyway. What comes back is text, since
a member reads what students wrote.
"""

import pickle
from enum import StrEnum
from typing import IO, Any

from graders.engine.batch.crew import Job, Setup

LENGTH_BYTES = 8
MOST_BYTES = 1 << 30
"""Of a message: beyond it the other end has lost its way."""


class Kind(StrEnum):
    """What a member has to say."""

    READY = "ready"
    DONE = "done"
    """With a card as JSON."""
    FAILED = "failed"
    """With the reason why there is no card."""
    NO_SANDBOX = "sandbox"
    BAD_COURSE = "course"
    """With what is missing, or wrong: the member judges no more."""


class LineEnded(Exception):
    """The other end is gone, or does not keep to what is agreed."""


def send_work(line: IO[bytes], work: Setup | Job) -> None:
    """Send a member its setup, or a job. Raises LineEnded."""
    _send(line, pickle.dumps(work, pickle.HIGHEST_PROTOCOL))


def receive_work(line: IO[bytes]) -> Any:
    """Return what the parent sends next. Raises LineEnded."""
    return pickle.loads(_receive(line))


def send_words(line: IO[bytes], kind: Kind, words: str) -> None:
    """Send the parent words of some kind. Raises LineEnded."""
    _send(line, f"{kind.value}\n{words}".encode())


def receive_words(line: IO[bytes]) -> tuple[Kind, str]:
    """Return what a member says next. Raises LineEnded."""
    try:
        kind, _, words = _receive(line).decode().partition("\n")
        return Kind(kind), words
    except ValueError as error:
        raise LineEnded("a message that is none") from error


def _send(line: IO[bytes], data: bytes) -> None:
    try:
        line.write(len(data).to_bytes(LENGTH_BYTES, "big") + data)
        line.flush()
    except OSError as error:
        raise LineEnded(str(error)) from error


def _receive(line: IO[bytes]) -> bytes:
    length = int.from_bytes(_exactly(line, LENGTH_BYTES), "big")
    if length > MOST_BYTES:
        raise LineEnded("a message without end")
    return _exactly(line, length)


def _exactly(line: IO[bytes], count: int) -> bytes:
    try:
        data = line.read(count)
    except (OSError, ValueError) as error:
        raise LineEnded(str(error)) from error
    if len(data) < count:
        raise LineEnded("the other end has closed it")
    return data
