"""What a release consists of: the files that everybody may have, and the private ones, which are sealed.

Both are lists of what belongs there, and never of what lies about: a file that no rule here names stays at home.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from graders.engine.deliver.release.engine import engine_files
from graders.engine.deliver.release.origin import require_staff_repository
from graders.engine.deliver.release.project import PROJECT, public_project
from graders.engine.deliver.release.public_rubric import public_rubric
from graders.engine.errors import CourseError
from graders.engine.load.course import EXERCISES, HANDED_OUT, RUBRIC, Course
from graders.engine.load.handed_out import REMEDY, as_record, files_of, read_record, stubs_now
from graders.engine.load.own_file import read_own
from graders.engine.load.reach import reach, secrets_in
from graders.engine.load.rubric import ExerciseRubric, Rubric
from graders.engine.load.stubs import require_stubs

WORKFLOWS = tuple(f".github/workflows/{name}.yml" for name in ("class", "feedback", "grade"))
ALONE = (
    "LICENSE",
    "constraints.txt",
    "graders/__init__.py",
    "graders/__main__.py",
    "graders/card.schema.json",
    *WORKFLOWS,
)
LESSON, NEWS = "README.md", "CHANGELOG.md"
FIGURE = re.compile(r"\]\(([A-Za-z0-9_-]+\.svg)\)")
HANDOUT = "graders/handout"
HANDED = {"README.md": "README.md", "Makefile": "Makefile", ".gitignore": "gitignore"}
"""What the course has at its top, and what it is called in that folder: there, a `.gitignore` would be one of ours."""
NEEDED = "a release needs it"
LACKS = "it counts its hidden checks and does not have them"


def upstream_of(path: str) -> str:
    """Where the staff repository keeps a file that the course has at that path."""
    return f"{HANDOUT}/{HANDED[path]}" if path in HANDED else path


def public_files(course: Course, rubric: Rubric) -> Mapping[str, bytes]:
    """What everybody may have, by path.

    Raises CourseError for a file that is missing or that nobody can vouch for, for stubs that somebody has worked in,
    and for visible checks that can't do without private ones.
    """
    require_staff_repository(course, rubric, LACKS)
    project = _read(course, PROJECT).decode("utf-8")
    files = _stubs(course, rubric) | _lesson(course, rubric)
    files |= {path: _read(course, upstream_of(path)) for path in (*ALONE, *HANDED)}
    files |= {path: _read(course, path) for path in engine_files(course.root, project)}
    files |= _visible(course, rubric)
    files[PROJECT] = public_project(project).encode("utf-8")
    files[RUBRIC] = public_rubric(_read(course, RUBRIC).decode("utf-8")).encode("utf-8")
    return dict(sorted(files.items()))


def private_files(course: Course, rubric: Rubric) -> Mapping[str, bytes]:
    """A course with its hidden checks and references, by path: what grading needs, and nothing beside it."""
    require_staff_repository(course, rubric, LACKS)
    files = _stubs(course, rubric) | {RUBRIC: _read(course, RUBRIC)}
    for slug, exercise in rubric.exercises.items():
        hidden = [course.checks(slug, "hidden")] if exercise.hidden else []
        files |= reach(course, [*_starts(course, slug), *hidden])
        files |= {path: _read(course, path) for path in _references(course, exercise)}
    return dict(sorted(files.items()))


def not_recorded(course: Course, rubric: Rubric) -> list[str]:
    """The stubs that are others by now than the record has, which is what a release hands out."""
    record, now = read_record(course) or {}, stubs_now(course, rubric.exercises.values())
    names = (name for exercise in rubric.exercises.values() for name in files_of(exercise))
    return [f"{EXERCISES}/{name}" for name in names if now.get(name) != record.get(name)]


def _stubs(course: Course, rubric: Rubric) -> dict[str, bytes]:
    """What students begin with, and the record of it, which is what counts: `exercises/` is where people try things."""
    record = read_record(course)
    if record is None:
        raise CourseError(f"{HANDED_OUT} is missing; {REMEDY}")
    _read(course, HANDED_OUT)  # it may be there as a link
    names = [name for exercise in rubric.exercises.values() for name in files_of(exercise)]
    missing = [name for name in names if name not in record]
    if missing:
        raise CourseError(f"{HANDED_OUT} has no {', '.join(missing)}; {REMEDY}")
    stubs = {name: record[name] for name in names}
    require_stubs(course, rubric, stubs, former={})
    files = {f"{EXERCISES}/{name}": text.encode("utf-8") for name, text in stubs.items()}
    return {**files, HANDED_OUT: as_record(stubs).encode("utf-8")}


def _lesson(course: Course, rubric: Rubric) -> dict[str, bytes]:
    """The lesson, the figures that it shows, what has changed, and the notebook."""
    lesson = _read(course, f"{EXERCISES}/{LESSON}")
    names = [NEWS, *FIGURE.findall(lesson.decode("utf-8")), *([rubric.notebook] if rubric.notebook else [])]
    return {f"{EXERCISES}/{name}": _read(course, f"{EXERCISES}/{name}") for name in [LESSON, *names]}


def _visible(course: Course, rubric: Rubric) -> dict[str, bytes]:
    files = {name: text for slug in rubric.exercises for name, text in reach(course, _starts(course, slug)).items()}
    problems = secrets_in(files)
    if problems:
        raise CourseError("\n".join(problems))
    return files


def _starts(course: Course, slug: str) -> list[Path]:
    given = course.given(slug)
    return [course.checks(slug, "visible"), *([given] if given.is_file() else [])]


def _references(course: Course, exercise: ExerciseRubric) -> Iterator[str]:
    """The reference, and what we would write where a person reads, as far as it is there."""
    for name in files_of(exercise):
        path = course.references / name
        if name == exercise.file or path.is_file():
            yield path.relative_to(course.root).as_posix()


def _read(course: Course, path: str) -> bytes:
    return read_own(course.root, path, NEEDED)
