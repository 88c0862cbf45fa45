"""The parent's end of one member: its process, the line to it, and how it ends."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO

from graders.engine.batch.crew import Done, Failed, Job, Setup
from graders.engine.batch.line import Kind, LineEnded, receive_words, send_work
from graders.engine.errors import CourseError, SandboxError
from graders.engine.run.launch import START_SECONDS

CODE = "import sys; sys.path[:] = {paths}; from graders.engine.batch.member import main; main()"
EACH_CHECK_SECONDS = 10.0
"""For a worker's start and end, and for looking once more by the reference whose fault something was."""


class MemberLost(Exception):
    """The process died, was killed, or hung and had to be killed."""


def outer_seconds(setup: Setup) -> float:
    """Return how long a member may take for one submission: beyond it, a check of ours hangs."""
    exercises = [setup.rubric.exercises[slug] for slug in setup.slugs]
    checks = sum(len(exercise.visible) + len(exercise.hidden) for exercise in exercises)
    return START_SECONDS + checks * (2 * setup.rubric.limits.seconds + EACH_CHECK_SECONDS)


class MemberProcess:
    """A judge in a process of its own, with its host. One thread may use it, and any other may kill it."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._ending = threading.Lock()
        self._hung = False
        # Isolated, so that nothing in the working folder or the environment is imported in the place of a module.
        code = CODE.format(paths=[os.path.abspath(path) for path in sys.path])
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for the parent, which ends its members; and a host is killed with its member, as one group.
            start_new_session=sys.platform != "win32",
        )

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def begin(self) -> None:
        """Wait until it can judge. Raises SandboxError or CourseError where it can judge nothing, and MemberLost."""
        kind, words = self._ask(lambda line: send_work(line, self._setup), 2 * START_SECONDS)
        if kind is not Kind.READY:
            raise self._refused(kind, words)

    def judge(self, job: Job, seconds: float) -> Done | Failed:
        """Return what came of a submission within so many seconds. Raises MemberLost, or as `begin` does."""
        kind, words = self._ask(lambda line: send_work(line, job), seconds)
        if kind is Kind.DONE:
            return Done(job.student, words)
        if kind is Kind.FAILED:
            return Failed(job.student, words)
        raise self._refused(kind, words)

    def kill(self) -> None:
        """End it, its host and its workers, whatever they are doing; may be called again."""
        with self._ending:
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    _kill_group(self._process)
                self._process.wait()

    def release(self) -> None:
        """End it and close the line, by the thread that uses it."""
        self.kill()
        for end in (self._process.stdin, self._process.stdout):
            if end is not None:
                with contextlib.suppress(OSError):  # what it never took is still waiting to be sent
                    end.close()

    def _ask(self, send: Callable[[IO[bytes]], None], seconds: float) -> tuple[Kind, str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        limit = threading.Timer(seconds, self._kill_hung)
        limit.start()
        try:
            send(self._process.stdin)
            kind, words = receive_words(self._process.stdout)
        except LineEnded:
            self.kill()
            raise MemberLost(self._how_it_ended(seconds)) from None
        finally:
            limit.cancel()
        return kind, words

    def _kill_hung(self) -> None:
        self._hung = True
        self.kill()

    def _refused(self, kind: Kind, words: str) -> Exception:
        self.kill()
        match kind:
            case Kind.NO_SANDBOX:
                return SandboxError(words)
            case Kind.BAD_COURSE:
                return CourseError(words)
        return MemberLost(f"it said {kind}, and nobody had asked")

    def _how_it_ended(self, seconds: float) -> str:
        if self._hung:
            return f"the process that judged it had no result after {seconds:.0f} seconds, and was ended"
        code = self._process.returncode
        if code is not None and code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return f"the process that judged it was killed ({name}), perhaps for want of memory"
        return f"the process that judged it ended by itself, with exit code {code}"


if sys.platform == "win32":

    def _kill_group(process: "subprocess.Popen[bytes]") -> None:
        process.kill()

else:

    def _kill_group(process: "subprocess.Popen[bytes]") -> None:
        os.killpg(process.pid, signal.SIGKILL)
