"""What decides a card, as a digest: equal keys give equal cards but for times, and need no second grading.

Marks and lateness are no part of it. They are put on a card after it was graded, see `settle.py`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from graders.engine.batch.grader import VERSION, python_version, torch_version
from graders.engine.load.course import Course
from graders.engine.load.reach import reach
from graders.engine.load.rubric import Rubric
from graders.engine.load.submission import Submission
from graders.engine.run.isolation import Mode

ENGINE = Path(__file__).parents[1]
DECIDING = ("load", "run", "judge", "score")
"""The parts of the engine that a card comes out of."""
SOURCES = (".py", ".ini", ".txt", ".yaml")
NOT_DECIDING = {"late", "post", "notebook"}
"""What of the rubric is about cards that are there already, or about finding files."""


def course_digest(course: Course, rubric: Rubric, slugs: Sequence[str], hidden: bool) -> str:
    """Return the digest of all that judges: checks and what they reach, references, what is given, rubric, engine.

    Raises CourseError for a file of checks that is missing or can't be parsed.
    """
    digest = hashlib.sha256()
    for name, data in course_files(course, slugs, hidden).items():
        _add(digest, name, data)
    _add_engine(digest, DECIDING)
    chosen = {slug: rubric.exercises[slug].model_dump(mode="json") for slug in slugs}
    rest = rubric.model_dump(mode="json", exclude={"exercises", *NOT_DECIDING})
    _add(digest, "rubric", json.dumps([chosen, rest]).encode())
    return digest.hexdigest()


def course_files(course: Course, slugs: Sequence[str], hidden: bool) -> Mapping[str, bytes]:
    """Return the course's files that judge these exercises, by path from its root; raises as `course_digest` does."""
    kinds = ("visible", "hidden") if hidden else ("visible",)
    checks = [path for slug in slugs for kind in kinds if (path := course.checks(slug, kind)).exists()]
    given = [path for slug in slugs if (path := course.given(slug)).exists()]
    references = {path.relative_to(course.root).as_posix(): path.read_bytes() for path in _references(course)}
    return {**reach(course, [*checks, *given]), **references}


def judging_engine() -> str:
    """Return the digest of the parts of the engine that judge a class, members and what is said to them included."""
    digest = hashlib.sha256()
    _add_engine(digest, (*DECIDING, "batch"))
    return digest.hexdigest()


def submission_key(course: str, seed: int, hidden: bool, mode: Mode, student: str, submission: Submission) -> str:
    """Return the digest of all that decides this student's card, given that of the course."""
    told = {
        "course": course,
        "grader": [VERSION, torch_version(), python_version(), seed, hidden, mode.value],
        "student": student,
        "commit": submission.commit,
        # A file's digest stands for its bytes, but one that is no file has none.
        "files": [asdict(file) | {"source": hashlib.sha256(file.source).hexdigest()} for file in submission.files],
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _references(course: Course) -> list[Path]:
    """All of them, since one may import another."""
    return sorted(path for path in course.references.glob("*") if path.suffix in (".py", ".yaml"))


def _add_engine(digest: "hashlib._Hash", parts: Sequence[str]) -> None:
    paths = [path for part in parts for path in (ENGINE / part).rglob("*") if path.suffix in SOURCES]
    for path in sorted([*paths, ENGINE / "clean.py"]):
        _add(digest, path.relative_to(ENGINE).as_posix(), path.read_bytes())


def _add(digest: "hashlib._Hash", name: str, data: bytes) -> None:
    """Add a file so that no other files could add up to the same."""
    digest.update(f"{len(name)} {name} {len(data)} ".encode())
    digest.update(data)
