"""The files of a report: this module reads cards and writes students' pages side by side, and the class's page last.

A large class is shared out to processes: reading a card and writing a page take a millisecond each, of one processor.
They are new processes, not forks, so that they are the same on every system. Pages can be made again at any time, so
that nothing is done to have them survive a machine that stops meanwhile.
"""

import gc
import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from graders.engine.cli.class_material import Material, Member, attempts_of, card_of, opened
from graders.engine.cli.files import reason
from graders.engine.errors import UsageError, shown_path
from graders.engine.report.class_page.material import CheckInfo, Line, facts_of
from graders.engine.report.class_page.pages import class_page, staff_page
from graders.engine.report.class_page.rendering import GENERATOR, Pages
from graders.engine.report.class_page.student_page import student_page

INDEX, STUDENTS, SUFFIX = "index.html", "students", ".html"
FEW = 200
"""Of so many, one process makes the pages before others have started."""
TASKS = 4
"""For each process: templates are compiled anew for each task, and one that has done all of its own takes another's."""
NEW_OBJECTS = 200_000
HEAD = 2000
"""In so many bytes a page of ours says that it is one."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some of a class, for one process; `out` is the folder of a report."""

    folder: Path
    title: str
    gradebook: Path | None
    members: tuple[Member, ...]
    out: Path


def write_for_staff(material: Material, out: Path) -> Path:
    """Write all pages, and return the class's; pages of students who have left the class are taken away."""
    _require_ours(out)
    _make(out / STUDENTS)
    lines = _shared_out(pages_of_students, material, out)
    written = {f"{line.participant.stem}{SUFFIX}" for line in lines}
    for path in (out / STUDENTS).glob(f"*{SUFFIX}"):
        if path.name not in written and _is_ours(path):
            path.unlink()
    return _write(out / INDEX, staff_page(Pages(), material.title, lines, material.remarks))


def write_for_class(material: Material, out: Path) -> Path:
    """Write the page that names nobody, into a folder where no page does."""
    _require_ours(out)
    if (out / STUDENTS).exists():
        raise UsageError(
            f"{shown_path(out / STUDENTS)} has pages with names; give the page for the class another folder"
        )
    _make(out)
    return _write(out / INDEX, class_page(Pages(), material.title, _shared_out(facts_of_students, material, out)))


def pages_of_students(task: Task) -> list[Line]:
    """Write the pages of these students; what the class needs of their cards."""
    pages, lines = Pages(), []
    with opened(task.gradebook) as book:
        for member in task.members:
            who = member.participant
            card, attempts = card_of(task.folder, member), attempts_of(book, member)
            page = student_page(pages, task.title, who, card, attempts)
            _write(task.out / STUDENTS / f"{who.stem}{SUFFIX}", page)
            lines.append(Line(who, None if card is None else facts_of(card, attempts)))
    return _with_few_layouts(lines)


def facts_of_students(task: Task) -> list[Line]:
    """What the class needs of these students' cards."""
    cards = ((member.participant, card_of(task.folder, member)) for member in task.members)
    return _with_few_layouts(Line(who, None if card is None else facts_of(card, ())) for who, card in cards)


def _with_few_layouts(lines: Iterable[Line]) -> list[Line]:
    """The lines, with equal layouts made the same: cards of a class have one, and it is sent between processes once."""
    kept: dict[tuple[CheckInfo, ...], tuple[CheckInfo, ...]] = {}
    found = []
    for line in lines:
        facts = line.facts
        if facts is not None:
            facts = replace(facts, layout=kept.setdefault(facts.layout, facts.layout))
        found.append(Line(line.participant, facts))
    return found


def _shared_out(work: Callable[[Task], list[Line]], material: Material, out: Path) -> list[Line]:
    """Do this for everybody, in the order of the members."""
    members = material.members
    number = 1 if len(members) <= FEW else os.cpu_count() or 1
    size = math.ceil(len(members) / (number * TASKS)) or 1
    tasks = [
        Task(material.folder, material.title, material.gradebook, members[first : first + size], out)
        for first in range(0, len(members), size)
    ]
    if number == 1:
        return [line for task in tasks for line in work(task)]
    with ProcessPoolExecutor(number, get_context("spawn"), initializer=_collect_seldom) as processes:
        return [line for lines in processes.map(work, tasks) for line in lines]


def _collect_seldom() -> None:
    """Have Python look for garbage as seldom as the command line does: cards are large, and none has cycles."""
    gc.set_threshold(NEW_OBJECTS)


def _require_ours(out: Path) -> None:
    """Raise UsageError for a folder with a page that is no report."""
    index = out / INDEX
    if index.exists() and not _is_ours(index):
        raise UsageError(f"{shown_path(index)} is no report, and would be lost; give --html another folder")


def _is_ours(page: Path) -> bool:
    try:
        with open(page, "rb") as file:
            return GENERATOR.encode("utf-8") in file.read(HEAD)
    except OSError:
        return False


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--html {shown_path(folder)} cannot be made: {reason(error)}") from error


def _write(page: Path, text: str) -> Path:
    try:
        page.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise UsageError(f"--html {shown_path(page)} cannot be written: {reason(error)}") from error
    return page
