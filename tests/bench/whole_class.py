"""What a class costs: CPU for each submission, memory, and two cores against one, as `grade class` grades it.

All exercises with hidden checks, in the strict sandbox, but for the checks that train. Nothing here asserts.
`python -m tests.bench.whole_class 200` does with a class of 200 what `make bench` does with 2,000.
"""

import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from graders.engine.batch.class_run import run_class
from graders.engine.batch.folder import make_folder
from graders.engine.batch.keeper import Keeper
from graders.engine.batch.members import Members
from graders.engine.batch.progress import Lines
from graders.engine.cli.class_plan import Asked, make_plan
from tests.bench.processes import children, cpu_seconds
from tests.bench.training import without_training

ROOT = Path(__file__).parents[2]
CLASS, MANY = 200, 2_000
STEP = 100


def main(many: int = MANY) -> None:
    """Print what a class costs, with so many submissions in the large one."""
    if sys.platform != "linux":
        print("a class: measured on Linux only")
        return
    with tempfile.TemporaryDirectory() as scratch:
        course = Path(scratch) / "course"
        left_out = without_training(ROOT, course)
        source = hand_in(course, Path(scratch) / "class", max(many, CLASS))
        print(f"(e) a class, all exercises, hidden checks, strict sandbox, without {', '.join(left_out)}")
        one, two = (run(course, source, min(CLASS, many), judges, Path(scratch)) for judges in (1, 2))
        for judges, found in ((1, one), (2, two)):
            print(f"    {found.students} students, -j {judges}: {found}")
        print(
            f"    two judges against one: {one.wall / two.wall:.2f} x, {one.going / two.going:.2f} x once they are up"
        )
        memory_and_pace(run(course, source, many, 2, Path(scratch)))


@dataclass(frozen=True)
class Found:
    """What was seen of one run: seconds, and after every so many students CPU seconds by process, and MiB."""

    students: int
    wall: float
    going: float
    """Wall seconds from the first card to the last."""
    cpu: dict[int, dict[str, float]]
    memory: dict[int, float]

    def __str__(self) -> str:
        each = {name: seconds / self.students for name, seconds in self.cpu[self.students].items()}
        parts = ", ".join(f"{name} {seconds:.3f}" for name, seconds in each.items())
        return f"CPU s a submission {sum(each.values()):.3f} ({parts}), wall {self.wall / self.students:.3f}"


def memory_and_pace(found: Found) -> None:
    """Print what a large class costs at its beginning and at its end."""
    places = sorted(found.cpu)
    first, last = (sum(found.cpu[place].values()) for place in (places[0], places[-1]))
    print(f"    {found.students} students, -j 2: {found}")
    if len(places) > 2:
        early, before = sum(found.cpu[places[1]].values()) - first, sum(found.cpu[places[-2]].values())
        print(
            f"    CPU s a submission from {places[0]} to {places[1]}: {early / (places[1] - places[0]):.3f}, from "
            f"{places[-2]} to {places[-1]}: {(last - before) / (places[-1] - places[-2]):.3f}"
        )
    shown = ", ".join(f"{found.memory[place]:.0f} MiB at {place}" for place in (places[0], places[-1]))
    print(f"    memory of all processes (PSS): {shown}, at most {max(found.memory.values()):.0f}")


def run(course: Path, source: Path, students: int, judges: int, scratch: Path) -> Found:
    """Grade the first so many students of the source with so many judges."""
    out = Path(tempfile.mkdtemp(dir=scratch))
    asked = Asked(source, out, None, None, True, 1, False, (), None, (), None, course)
    plan, _ = make_plan(asked)
    plan = replace(plan, handed_in=plan.handed_in[:students])
    make_folder(out)
    crew = Members(plan.setup, judges)
    watch = Watch(crew, students)
    started = time.perf_counter()
    try:
        run_class(plan, crew, Keeper(out, plan), watch)
        wall = time.perf_counter() - started
        watch.look()
    finally:
        crew.close()
        shutil.rmtree(out)
    return Found(students, wall, watch.going, watch.cpu, watch.memory)


class Watch(Lines):
    """Looks at all processes of a class now and then, as it goes on."""

    def __init__(self, crew: Members, students: int) -> None:
        super().__init__(sys.stderr)
        self._crew = crew
        self._before = time.process_time()
        self._done = 0
        self._first = 0.0
        self.going = 0.0
        self.cpu: dict[int, dict[str, float]] = {}
        self.memory: dict[int, float] = {}

    def expect(self, students: int) -> None:
        """Say nothing."""

    def advance(self) -> None:
        """Everybody is graded here."""
        raise AssertionError("a submission of the bench was not graded")

    def advance_by_grading(self) -> None:
        """Look after every so many."""
        self._done += 1
        self._first = self._first or time.perf_counter()
        self.going = time.perf_counter() - self._first
        if self._done % STEP == 0:
            self.look()

    def look(self) -> None:
        """Note CPU and memory now."""
        judges = self._crew.processes()
        hosts = [host for judge in judges for host in children(judge)]
        self.cpu[self._done] = {
            "parent": time.process_time() - self._before,
            "judges": sum(cpu_seconds(pid) for pid in judges),
            "hosts and workers": sum(cpu_seconds(pid) for pid in hosts),
        }
        workers = [worker for host in hosts for worker in children(host)]
        self.memory[self._done] = sum(map(proportional, [os.getpid(), *judges, *hosts, *workers]))


def proportional(pid: int) -> float:
    """Return a process's share of memory in MiB: of what several have in common, its part."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0.0
    return int(text.partition("\nPss:")[2].split()[0]) / 1024


# ------------------------------------------------------------ what is graded


def hand_in(course: Path, folder: Path, students: int) -> Path:
    """Hand in the course's own answers for so many students, no two files alike."""
    for number in range(students):
        place = folder / f"student-{number:05}" / "exercises"
        place.mkdir(parents=True)
        for file in sorted((course / "reference").glob("ex*.*")):
            (place / file.name).write_text(f"{file.read_text(encoding='utf-8')}\n# {number}\n", encoding="utf-8")
    return folder


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
