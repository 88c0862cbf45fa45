"""The process of one member of a crew: `main` serves its parent on standard input and output until that is gone."""

import gc
import os
import queue
import threading
from collections.abc import Iterator
from typing import IO

from graders.engine.batch.crew import Done, Failed, Job
from graders.engine.batch.judging import judge_jobs
from graders.engine.batch.line import Kind, LineEnded, receive_work, send_words
from graders.engine.errors import CourseError, SandboxError

NEW_OBJECTS = 200_000
"""How many may come before Python looks for garbage: nearly all that a member imports stays."""


def main() -> None:
    """Judge what the parent sends; ends with this process."""
    gc.set_threshold(NEW_OBJECTS)
    words, work = _own_lines()
    try:
        setup = receive_work(work)
        judge_jobs(
            setup,
            _jobs(work),
            ready=lambda: send_words(words, Kind.READY, ""),
            send=lambda result: _tell(words, result),
        )
    except SandboxError as error:
        send_words(words, Kind.NO_SANDBOX, str(error))
    except CourseError as error:
        send_words(words, Kind.BAD_COURSE, str(error))
    except LineEnded:
        os._exit(1)


def _own_lines() -> tuple[IO[bytes], IO[bytes]]:
    """Return the lines to the parent, and from it; whatever prints in this process prints with the errors."""
    words = os.fdopen(os.dup(1), "wb")
    work = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return words, work


def _jobs(work: IO[bytes]) -> Iterator[Job]:
    """Return the jobs as they come. A thread awaits them, and ends this process when the parent is gone.

    The host sees that by its own line, and ends with its workers.
    """
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()

    def read() -> None:
        while True:
            try:
                waiting.put(receive_work(work))
            except LineEnded:
                os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield waiting.get()


def _tell(words: IO[bytes], result: Done | Failed) -> None:
    if isinstance(result, Done):
        send_words(words, Kind.DONE, result.card)
    else:
        send_words(words, Kind.FAILED, result.words)
