"""What runs on a Dask worker: a hall with members of ours, each a process of its own, kept from job to job.

Dask's threads only wait for them, so that the sandbox, its limits and the death of a member are what they are on one
machine. Over Dask go bytes, numbers and text, nothing that it would have to understand. A hall ends with its class,
with its worker, and by itself when nobody has asked anything of it for a while: its client was killed, say.
"""

import pickle
import threading
from collections.abc import Mapping
from enum import StrEnum

from distributed import Worker, get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from graders.engine.batch.crew import Done, Job
from graders.engine.batch.dask_folder import FolderFailed, PrivateFolder
from graders.engine.batch.dask_kit import differences, identity, unpack
from graders.engine.batch.living import Living
from graders.engine.batch.member_process import MemberLost, MemberProcess
from graders.engine.errors import CourseError, SandboxError

IDLE_SECONDS = 120.0

Answer = tuple[str, str]
"""One of `Said`, and words: a card for DONE, and what is wrong for all others but READY."""


class Said(StrEnum):
    """What a worker has to say."""

    READY = "ready"
    OTHER = "other"
    """The grader there is not the one here."""
    NO_ROOM = "no room"
    DONE = "done"
    FAILED = "failed"
    NO_SANDBOX = "sandbox"
    BAD_COURSE = "course"
    NO_MEMBER = "no member"
    """Not one process that judges could be started."""
    RESTED = "rested"
    """The hall has ended, since nobody asked anything of it for a while."""
    GONE = "gone"
    """There is no such hall: the worker was started anew."""


def open_hall(name: str, here: Mapping[str, str], kit: bytes) -> Answer:
    """Make a hall of that name on this worker, for its tasks. The kit is not looked into by another version."""
    if words := differences(here, identity()):
        return Said.OTHER.value, words
    worker = get_worker()
    try:
        hall = Hall(kit)
    except (FolderFailed, OSError) as error:
        return Said.NO_ROOM.value, str(error)
    # As a plugin it is told when the worker ends; it is this worker's alone, and the scheduler knows nothing of it.
    worker.plugins[name] = hall
    return Said.READY.value, ""


def judge_in_hall(name: str, job: bytes, seconds: float) -> Answer:
    """Judge a submission in the hall of that name; a member that takes longer than so many seconds is ended."""
    hall = get_worker().plugins.get(name)
    if not isinstance(hall, Hall):
        return Said.GONE.value, ""
    return hall.judge(pickle.loads(job), seconds)


def close_hall(name: str, dask_worker: Worker) -> None:
    """End the hall of that name, in the middle of whatever it does; for `Client.run`, which hands in the worker."""
    hall = dask_worker.plugins.pop(name, None)
    if isinstance(hall, Hall):
        hall.end()


class Hall(WorkerPlugin):
    """Members, as many as there are jobs at a time, and the folder with the course that they judge by."""

    def __init__(self, kit: bytes) -> None:
        self._changing = threading.Lock()
        self._free: list[MemberProcess] = []
        self._busy = 0
        self._ended = False
        self._folder = PrivateFolder()
        try:
            self._living = Living(unpack(kit, self._folder.path))
        except BaseException:
            self._folder.end()
            raise
        self._idle = self._wait_for_end()

    def teardown(self, worker: Worker) -> None:
        """End it, since the worker ends."""
        self.end()

    def judge(self, job: Job, seconds: float) -> Answer:
        """Return what came of a submission."""
        with self._changing:
            if self._ended:
                return Said.RESTED.value, ""
            self._busy += 1
            self._idle.cancel()
        try:
            return self._judge(job, seconds)
        finally:
            with self._changing:
                self._busy -= 1
                if not self._busy and not self._ended:
                    self._idle = self._wait_for_end()

    def end(self) -> None:
        """Kill all members, and take the course's files away; may be called again."""
        with self._changing:
            self._ended = True
            self._idle.cancel()
            free, self._free = self._free, []
        for member in free:
            self._living.release(member)
        self._living.end()
        self._folder.end()

    def _judge(self, job: Job, seconds: float) -> Answer:
        member: MemberProcess | None = None
        try:
            member = self._member()
            result = member.judge(job, seconds)
        except MemberLost as lost:
            self._living.release(member)
            return (Said.FAILED if self._living.one_was_ready else Said.NO_MEMBER).value, str(lost)
        except SandboxError as error:
            self._living.release(member)
            return Said.NO_SANDBOX.value, str(error)
        except CourseError as error:
            self._living.release(member)
            return Said.BAD_COURSE.value, str(error)
        with self._changing:
            self._free.append(member)
        return (Said.DONE.value, result.card) if isinstance(result, Done) else (Said.FAILED.value, result.words)

    def _member(self) -> MemberProcess:
        """Return one that nobody uses, or a new one."""
        with self._changing:
            if self._free:
                return self._free.pop()
        return self._living.start()

    def _wait_for_end(self) -> threading.Timer:
        timer = threading.Timer(IDLE_SECONDS, self._end_if_idle)
        timer.daemon = True  # a worker that wants to end need not wait for it
        timer.start()
        return timer

    def _end_if_idle(self) -> None:
        with self._changing:
            if self._busy:
                return
            self._ended = True
        self.end()
