"""A crew of processes on this machine. One that dies over a submission, or hangs, is replaced for the next."""

import queue
import threading

from graders.engine.batch.crew import Done, Failed, Job, Setup
from graders.engine.batch.living import Living
from graders.engine.batch.member_process import MemberLost, MemberProcess, outer_seconds
from graders.engine.errors import SandboxError


class Members:
    """So many processes, each started when there is work for it; a thread of this process speaks to each."""

    def __init__(self, setup: Setup, size: int, seconds: float | None = None) -> None:
        self.size = size
        self._seconds = outer_seconds(setup) if seconds is None else seconds
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Done | Failed | Exception] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._living = Living(setup)

    def give(self, job: Job) -> None:
        """Hand over a submission; returns at once."""
        self._jobs.put(job)
        if len(self._threads) < self.size:
            thread = threading.Thread(target=self._serve, daemon=True)
            self._threads.append(thread)
            thread.start()

    def take(self) -> Done | Failed:
        """Wait for what came of one of those that were given; raises what the crew's seam says."""
        result = self._results.get()
        if isinstance(result, Exception):
            raise result
        return result

    def processes(self) -> list[int]:
        """The numbers of the processes that are there now, without their hosts."""
        return [member.pid for member in self._living]

    def close(self) -> None:
        """End all processes, also in the middle of a submission."""
        self._living.end()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        """Judge what is given, until there is nothing more to come."""
        member: MemberProcess | None = None
        while (job := self._jobs.get()) is not None:
            if self._living.ended:
                continue
            try:
                if member is None:
                    member = self._living.start()
                self._results.put(member.judge(job, self._seconds))
            except Exception as error:  # told to whoever takes results: of this submission, or that nothing goes on
                self._living.release(member)
                member = None
                self._results.put(self._told(job, error))
        self._living.release(member)

    def _told(self, job: Job, error: Exception) -> Failed | Exception:
        """Return what a member's failure means: for the submission that it had, or, if none ever judged, for all."""
        if isinstance(error, MemberLost | SandboxError) and self._living.one_was_ready:
            # A sandbox that held before, and does not now, may be for want of memory beside this very submission.
            return Failed(job.student, str(error))
        if isinstance(error, MemberLost):
            return RuntimeError(f"no process that judges could be started: {error}; what it printed stands above")
        return error
