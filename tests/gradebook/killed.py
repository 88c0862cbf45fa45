"""Processes that write a gradebook and are killed, in one process that forks them: `python killed.py FOLDER`.

Prints a line of JSON for each way to die: how often, and what was wrong afterwards. It imports SQLite and pydantic
alone, so that hundreds of deaths cost little.
"""

import json
import os
import random
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graders.engine.errors import CourseError, UsageError
from graders.engine.gradebook import file
from graders.engine.gradebook.attempts import add_attempts, attempts
from graders.engine.gradebook.file import make_gradebook, open_gradebook
from graders.engine.gradebook.log import entries
from graders.engine.gradebook.marks import add_marks, marks_in_force
from graders.engine.gradebook.people import put_roster, roster
from graders.engine.gradebook.proof import problems
from graders.engine.load.roster import Roster, RosterRow
from tests.gradebook.material import after, card, graded, mark, new_gradebook
from tests.gradebook.newer import NEWER

STEPS = 10
"""So many of SQLite's steps lie between two moments at which a process may be killed."""
MOMENTS = 24
NAMES = [f"student{number}" for number in range(4)]
MARKS = [mark("ada", number, check=f"check{number}") for number in range(4)]
CARDS = [graded(card(name, 9)) for name in NAMES]
PEOPLE = Roster(tuple(RosterRow(name, "", "", "", "", None) for name in NAMES))


def main(folder: Path) -> None:
    template = new_gradebook(folder / "template").read_bytes()
    (folder / "template").unlink()

    def begun(path: Path) -> Path:
        path.write_bytes(template)
        return path

    told("marks", deaths(folder, lambda path: whole(path, write_marks), begun, lambda b: len(marks_in_force(b))))
    told("cards", deaths(folder, lambda path: whole(path, write_cards), begun, added))
    told(
        "people",
        deaths(folder, lambda path: whole(path, write_people), begun, lambda b: len(roster(b).rows) - 3),
    )
    told("newer", deaths(folder, bring_up, begun, lambda b: 0))
    told("made", deaths(folder, lambda path: make_gradebook(path, "tests"), lambda path: path, lambda b: 0))
    told("any", any_time(folder))
    told("two", two(folder))
    told("full", full(folder))


def told(name: str, found: dict[str, object]) -> None:
    print(json.dumps({"way": name, **found}), flush=True)


def whole(path: Path, write: "Callable[[file.Gradebook], object]") -> None:
    with open_gradebook(path) as book:
        write(book)


def write_marks(book: file.Gradebook) -> None:
    add_marks(book, MARKS, "tests")


def write_cards(book: file.Gradebook) -> None:
    add_attempts(book, CARDS, "tests")


def write_people(book: file.Gradebook) -> None:
    put_roster(book, PEOPLE, "tests")


def bring_up(path: Path) -> None:
    with open_gradebook(path, NEWER):
        pass


def added(book: file.Gradebook) -> int:
    return sum(len(list(attempts(book, name))) for name in NAMES)


def deaths(
    folder: Path, write: Callable[[Path], object], begin: Callable[[Path], Path], count: Callable[[file.Gradebook], int]
) -> dict[str, object]:
    """Kill a process at moments spread over all of its writing; afterwards all four things are there, or none."""
    path, steps = begin(folder / "all.sqlite"), folder / "steps"
    assert child(lambda: counted(lambda: write(path), steps)) == 0
    most = int(steps.read_text())
    steps.unlink()
    wrong: list[str] = []
    outcomes = set()
    killed = 0
    for place in range(MOMENTS):
        path = begin(folder / f"{place}.sqlite")
        last = 1 + place * most // MOMENTS
        killed += child(lambda path=path, last=last: killing(lambda: write(path), last)) == -signal.SIGKILL
        if path.exists():
            wrong += [f"moment {last}: {line}" for line in faults(path)]
            with open_gradebook(path, NEWER if write is bring_up else file.SCHEMA) as book:
                outcomes.add(count(book))
    for path in folder.glob("*.sqlite*"):
        path.unlink()
    left = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
    return {"killed": killed, "wrong": wrong + left, "outcomes": sorted(outcomes)}


def faults(path: Path) -> list[str]:
    """What is wrong with the gradebook, by our own proof; a newer one is proved by its own version."""
    for schema in (file.SCHEMA, NEWER):
        try:
            with open_gradebook(path, schema) as book:
                return list(problems(book))
        except CourseError as error:
            if "use a newer version" not in str(error):
                return [str(error)]
    return ["of no version"]


def counted(write: Callable[[], object], steps: Path) -> None:
    """Write, and leave behind at how many moments it could have been killed."""
    seen = 0

    def count() -> int:
        nonlocal seen
        seen += 1
        return 0

    with handled(count):
        write()
    steps.write_text(str(seen))


def killing(write: Callable[[], object], last: int) -> None:
    """Write, and be killed at that moment."""
    seen = 0

    def count() -> int:
        nonlocal seen
        seen += 1
        if seen >= last:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    with handled(count):
        write()


@contextmanager
def handled(handler: Callable[[], int]) -> Iterator[None]:
    """Call this every few steps of all connections that are made."""
    connect = file._connect

    def watched(path: Path, mode: str) -> sqlite3.Connection:
        connection = connect(path, mode)
        connection.set_progress_handler(handler, STEPS)
        return connection

    file._connect = watched
    try:
        yield
    finally:
        file._connect = connect


def child(act: Callable[[], object]) -> int:
    """Do something in a process of its own, and return how that ended: a signal as a negative number."""
    number = os.fork()
    if number:
        return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    code = 1
    try:
        act()
        code = 0
    finally:
        os._exit(code)


def any_time(folder: Path) -> dict[str, object]:
    """Kill a process from outside, at any time: what it has reported as written is there, whatever came after."""
    draw = random.Random(6)
    path = new_gradebook(folder / "any.sqlite")
    reported, wrong, killed = 0, [], 0
    for turn in range(25):
        reader, writer = os.pipe()
        number = os.fork()
        if not number:
            with open_gradebook(path) as book:
                for count in range(10_000):
                    add_marks(book, [mark("ada", 1, check=f"t{turn}_{count}")], "tests")
                    os.write(writer, b".")
            os._exit(0)
        os.close(writer)
        os.read(reader, 1)  # it has begun
        reported += 1
        time.sleep(draw.random() / 50)
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
        while dots := os.read(reader, 1 << 16):
            reported += len(dots)
        os.close(reader)
        killed += 1
    wrong += faults(path)
    with open_gradebook(path) as book:
        there = len(marks_in_force(book))
    # The last mark of each may have been written, and not reported any more.
    if not reported <= there <= reported + killed:
        wrong.append(f"{reported} marks were reported as written, and {there} are there")
    return {"killed": killed, "wrong": wrong, "outcomes": []}


def two(folder: Path) -> dict[str, object]:
    """Let processes write at once, of which some write the same; nothing is lost, and nothing is there twice."""
    path = new_gradebook(folder / "two.sqlite")

    def write(own: int) -> None:
        with open_gradebook(path) as book:
            for count in range(15):
                add_marks(book, [mark("ada", 1, check=f"own{own}_{count}")], "tests")
                add_attempts(book, [graded(card("ada", count), after(hours=count))], "tests")

    numbers = []
    for own in range(3):
        number = os.fork()
        if not number:
            code = 1
            try:
                write(own)
                code = 0
            finally:
                os._exit(code)
        numbers.append(number)
    ends = [os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) for number in numbers]
    wrong = faults(path) + [f"one ended with {end}" for end in ends if end]
    with open_gradebook(path) as book:
        outcomes = [len(marks_in_force(book)), len(list(attempts(book, "ada"))), len(list(entries(book.connection)))]
    return {"killed": 0, "wrong": wrong, "outcomes": outcomes}


def full(folder: Path) -> dict[str, object]:
    """Write where there is no room for it: by SQLite's own bound, and by the system's for files."""
    path = new_gradebook(folder / "full.sqlite")
    said: list[str] = []
    for bound in (bound_pages, bound_files):
        heard = folder / "heard"

        def write(bound: Callable[[file.Gradebook], None] = bound, heard: Path = heard) -> None:
            with open_gradebook(path) as book:
                bound(book)
                try:
                    add_marks(book, [mark("ada", 1, check=f"check{n}", note="x" * 900) for n in range(400)], "tests")
                except (CourseError, UsageError) as error:
                    words = str(error)
            resource.setrlimit(resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE)[1:] * 2)
            heard.write_text(words, encoding="utf-8")

        assert child(write) == 0
        said.append(heard.read_text(encoding="utf-8"))
        heard.unlink()
    wrong = faults(path)
    with open_gradebook(path) as book:
        return {"killed": 0, "wrong": wrong, "outcomes": [*said, len(marks_in_force(book))]}


def bound_pages(book: file.Gradebook) -> None:
    (pages,) = book.connection.execute("PRAGMA page_count").fetchone()
    book.connection.execute(f"PRAGMA max_page_count = {pages + 2}")


def bound_files(book: file.Gradebook) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (book.path.stat().st_size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
