"""What travels to a Dask worker: the course's files with the setup, and what has to be the same at both ends."""

import os
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from graders.engine.batch.crew import Setup
from graders.engine.batch.grader import VERSION, python_version, torch_version
from graders.engine.batch.key import course_files, judging_engine
from graders.engine.load.course import Course

SHOWN_DIGITS = 12


def pack(setup: Setup) -> bytes:
    """Return a setup and the files that judge by it, as they travel; raises CourseError for one that is missing."""
    files = course_files(setup.course, setup.slugs, setup.hidden)
    # The rubric is in the setup; by its text a judge tells where in it a check is missing.
    rubric = {setup.course.rubric.relative_to(setup.course.root).as_posix(): setup.course.rubric.read_bytes()}
    return pickle.dumps((setup, {**files, **rubric}), pickle.HIGHEST_PROTOCOL)


def unpack(kit: bytes, folder: Path) -> Setup:
    """Write the files into a folder that is empty, for nobody but this user, and return the setup for there.

    Only for a kit of this program's own: it is pickled. That the files are the right ones is for each member to see,
    by the digest in the setup.
    """
    setup: Setup
    files: dict[str, bytes]
    setup, files = pickle.loads(kit)
    for name, data in files.items():
        path = folder / name
        for parent in reversed(path.relative_to(folder).parents[:-1]):
            (folder / parent).mkdir(mode=0o700, exist_ok=True)  # one by one: with parents=True, this is the last's mode
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    # What lies apart on the machine that sends this may lie on this one as well.
    return replace(setup, course=Course(folder), apart=(folder, *setup.apart))


def identity() -> dict[str, str]:
    """Return what must be the same wherever a card is made, by its name in words."""
    return {
        "grader": VERSION,
        "torch": torch_version(),
        "Python": python_version(),
        "files of the engine": judging_engine()[:SHOWN_DIGITS],
    }


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return in words what is not the same; nothing where everything is."""
    return "; ".join(
        f"{name} {there.get(name, 'unknown')} there, {value} here"
        for name, value in here.items()
        if there.get(name) != value
    )
