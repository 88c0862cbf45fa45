"""A crew on a Dask cluster: each worker gets the course once, and then as many submissions at a time as it has threads.

Every call is for one worker. Dask would send what a dead worker left to the next one, which may die over it as well:
here its submissions come back as failed, and who gave them decides.
"""

import pickle
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from graders.engine.batch.crew import Done, Failed, Job, Setup
from graders.engine.batch.dask_cluster import Cluster, Ended
from graders.engine.batch.dask_hall import Answer, Said, close_hall, judge_in_hall, open_hall
from graders.engine.batch.dask_kit import identity, pack
from graders.engine.batch.member_process import outer_seconds
from graders.engine.errors import CourseError, SandboxError, ServiceError, UsageError

LOOK_SECONDS = 1.0
"""Between two looks at who is there."""
PATIENCE_SECONDS = 60.0
"""How long a class goes on with no worker that can judge."""


class Stage(Enum):
    """How far a worker is."""

    NEW = auto()
    ASKED = auto()
    """To make a hall."""
    OPEN = auto()
    LEFT_OUT = auto()


@dataclass(slots=True)
class Place:
    """A worker: how many it judges at a time, and which submissions it has, by the numbers of the calls."""

    slots: int
    stage: Stage = Stage.NEW
    judging: dict[int, Job] = field(default_factory=dict)


class DaskCrew:
    """Judges on all workers of a cluster, also on those that join it later; `tell` takes what is worth a line."""

    def __init__(
        self, setup: Setup, address: str, tell: Callable[[str], None], patience: float = PATIENCE_SECONDS
    ) -> None:
        self.size = 1
        self._address = address
        self._tell = tell
        self._patience = patience
        self._hall = f"grade-class-{secrets.token_hex(8)}"
        self._kit = pack(setup)
        self._identity = identity()
        self._seconds = outer_seconds(setup)
        self._waiting: deque[Job] = deque()
        self._results: deque[Done | Failed] = deque()
        self._places: dict[str, Place] = {}
        self._where: dict[int, str] = {}
        self._came_back: set[str] = set()
        self._gathered = False
        self._looked = float("-inf")
        self._last_seen = time.monotonic()
        self._cluster = Cluster(address)
        try:
            self._gather()
        except BaseException:
            self.close()
            raise

    def give(self, job: Job) -> None:
        """Hand over a submission; returns at once."""
        self._waiting.append(job)
        self._hand_out()

    def take(self) -> Done | Failed:
        """Wait for what came of one of those that were given; raises what the crew's seam says."""
        while not self._results:
            self._step()
        return self._results.popleft()

    def close(self) -> None:
        """End what is ours on all workers, also in the middle of a submission, and leave the cluster as it was."""
        self._cluster.drop(list(self._where))
        if there := [address for address, place in self._places.items() if place.stage in (Stage.ASKED, Stage.OPEN)]:
            self._cluster.tell(there, close_hall, self._hall)
        self._cluster.close()

    def _gather(self) -> None:
        """Wait until all workers that are there can judge, or until patience ends and some can."""
        end = time.monotonic() + self._patience
        while not self._at(Stage.OPEN) or (self._at(Stage.ASKED) and time.monotonic() < end):
            self._step()
        self._gathered = True

    def _step(self) -> None:
        self._look()
        self._hand_out()
        if ended := self._cluster.next(LOOK_SECONDS):
            self._end(ended)

    def _at(self, stage: Stage) -> list[Place]:
        return [place for place in self._places.values() if place.stage is stage]

    # ------------------------------------------------------------ workers come and go

    def _look(self) -> None:
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        there = self._cluster.workers()
        self._looked = time.monotonic()
        for address in [address for address in self._places if address not in there]:
            self._lose(address)
        for address, slots in there.items():
            place = self._places.setdefault(address, Place(slots))
            if place.stage is Stage.NEW:
                place.stage = Stage.ASKED
                self._call(address, open_hall, self._hall, self._identity, self._kit)
        if self._at(Stage.OPEN):
            self._last_seen = self._looked
        elif self._looked - self._last_seen > self._patience:
            raise ServiceError(
                f"for {self._patience:.0f} seconds no worker of the Dask cluster at {self._address} could judge "
                f"({len(there)} there); start some with `dask worker {self._address}`, and run the same command again"
            )

    def _lose(self, address: str) -> None:
        place = self._places.pop(address)
        calls = [call for call, at in self._where.items() if at == address]
        self._cluster.drop(calls)
        for call in calls:
            del self._where[call]
        self._measure()
        words = f"the Dask worker that judged it ({address}) was lost"
        self._results.extend(Failed(job.student, words) for job in place.judging.values())

    def _opened(self, address: str, ended: Ended) -> None:
        place = self._places[address]
        said, words = ended.answer or (Said.NO_ROOM, ended.problem)
        if said == Said.READY:
            place.stage = Stage.OPEN
            self._measure()
            return
        place.stage = Stage.LEFT_OUT
        grader = f"has another grader than this machine ({words})" if said == Said.OTHER else f"can't judge: {words}"
        advice = f"the Dask worker {address} {grader}; install the same there, or stop that worker"
        if not self._gathered:
            raise UsageError(advice)
        self._tell(f"Left out: {advice}")

    def _measure(self) -> None:
        self.size = max(1, sum(place.slots for place in self._at(Stage.OPEN)))

    # ------------------------------------------------------------ submissions go and come

    def _hand_out(self) -> None:
        """Give each free slot a submission, the emptiest worker first."""
        while self._waiting:
            free = [
                (len(place.judging) / place.slots, address)
                for address, place in self._places.items()
                if place.stage is Stage.OPEN and len(place.judging) < place.slots
            ]
            if not free:
                return
            _, address = min(free)
            job = self._waiting.popleft()
            data = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
            self._places[address].judging[self._call(address, judge_in_hall, self._hall, data, self._seconds)] = job

    def _call(self, address: str, function: Callable[..., Answer], *arguments: object) -> int:
        call = self._cluster.call(address, function, *arguments)
        self._where[call] = address
        return call

    def _end(self, ended: Ended) -> None:
        address = self._where.pop(ended.call)
        place = self._places[address]
        job = place.judging.pop(ended.call, None)
        if job is None:
            self._opened(address, ended)
            return
        if ended.answer is None:
            self._results.append(Failed(job.student, f"on the Dask worker {address}: {ended.problem}"))
            return
        said, words = Said(ended.answer[0]), ended.answer[1]
        match said:
            case Said.DONE:
                self._results.append(Done(job.student, words))
            case Said.RESTED | Said.GONE:
                place.stage = Stage.NEW
                self._measure()
                self._give_again(job, said)
            case Said.NO_SANDBOX:
                raise SandboxError(f"on the Dask worker {address}:\n{words}")
            case Said.BAD_COURSE:
                raise CourseError(f"on the Dask worker {address}:\n{words}")
            case Said.NO_MEMBER:
                raise ServiceError(
                    f"on the Dask worker {address} no process that judges could be started: {words}; what it printed "
                    "stands in that worker's log"
                )
            case _:
                self._results.append(Failed(job.student, words))

    def _give_again(self, job: Job, said: Said) -> None:
        """Give it once more; but no third time where the worker may have died over it, and come back by its name."""
        if said is Said.RESTED:
            self._waiting.appendleft(job)
        elif job.student in self._came_back:
            self._results.append(Failed(job.student, "the Dask workers that judged it were started anew meanwhile"))
        else:
            self._came_back.add(job.student)
            self._waiting.appendleft(job)
