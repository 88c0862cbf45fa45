"""What a release consists of: the files that everybody may have, and the private ones, which are sealed.

Both are lists of what belongs there, and never of what lies about: a file that no rule here names stays at home.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from graders.engine.deliver.release.public_rubric import public_rubric
from graders.engine.errors import CourseError, UsageError, shown_path
from graders.engine.load.course import EXERCISES, RUBRIC, Course
from graders.engine.load.handed_out import REMEDY, files_of, read_record
from graders.engine.load.reach import reach, secrets_in
from graders.engine.load.rubric import ExerciseRubric, Rubric

HANDED_OUT = "graders/handed_out.json"
WORKFLOWS = (".github/workflows/feedback.yml", ".github/workflows/grade.yml")
ALONE = (
    "LICENSE",
    "constraints.txt",
    "graders/__init__.py",
    "graders/__main__.py",
    "graders/card.schema.json",
    HANDED_OUT,
    "pyproject.toml",
    *WORKFLOWS,
)
LESSON, NEWS = "README.md", "CHANGELOG.md"
FIGURE = re.compile(r"\]\(([A-Za-z0-9_-]+\.svg)\)")
HANDOUT = "graders/handout"
HANDED = {"README.md": "README.md", "Makefile": "Makefile", "gitignore": ".gitignore"}
"""What lies in that folder, and what it is called in the course: there, a `.gitignore` would be one of ours."""


def public_files(course: Course, rubric: Rubric) -> Mapping[str, bytes]:
    """What everybody may have, by path.

    Raises CourseError for a file that is missing, or for visible checks that can't do without private ones.
    """
    _require_whole(rubric)
    files = _stubs(course, rubric) | _lesson(course, rubric)
    files |= {path: _read(course, path) for path in ALONE}
    files |= {target: _read(course, f"{HANDOUT}/{name}") for name, target in HANDED.items()}
    files |= {path: _read(course, path) for path in _engine(course)}
    files |= _visible(course, rubric)
    files[RUBRIC] = public_rubric(_read(course, RUBRIC).decode("utf-8")).encode("utf-8")
    return dict(sorted(files.items()))


def private_files(course: Course, rubric: Rubric) -> Mapping[str, bytes]:
    """A course with its hidden checks and references, by path: what grading needs, and nothing beside it."""
    _require_whole(rubric)
    files = _stubs(course, rubric)
    files |= {path: _read(course, path) for path in (RUBRIC, HANDED_OUT)}
    for slug, exercise in rubric.exercises.items():
        hidden = [course.checks(slug, "hidden")] if exercise.hidden else []
        files |= reach(course, [*_starts(course, slug), *hidden])
        files |= {path: _read(course, path) for path in _references(course, exercise)}
    return dict(sorted(files.items()))


def _require_whole(rubric: Rubric) -> None:
    if rubric.is_public:
        raise UsageError(
            "this course is a released one: it counts its hidden checks and does not have them; release from the "
            "repository of the staff"
        )


def _stubs(course: Course, rubric: Rubric) -> dict[str, bytes]:
    """What students begin with, as the record has it: in `exercises/` somebody may have tried the exercises."""
    record = read_record(course)
    if record is None:
        raise CourseError(f"{HANDED_OUT} is missing; {REMEDY}")
    names = [name for exercise in rubric.exercises.values() for name in files_of(exercise)]
    missing = [name for name in names if name not in record]
    if missing:
        raise CourseError(f"{HANDED_OUT} has no {', '.join(missing)}; {REMEDY}")
    return {f"{EXERCISES}/{name}": record[name].encode("utf-8") for name in names}


def _lesson(course: Course, rubric: Rubric) -> dict[str, bytes]:
    """The lesson, the figures that it shows, what has changed, and the notebook."""
    lesson = _read(course, f"{EXERCISES}/{LESSON}")
    names = [NEWS, *FIGURE.findall(lesson.decode("utf-8")), *([rubric.notebook] if rubric.notebook else [])]
    return {f"{EXERCISES}/{name}": _read(course, f"{EXERCISES}/{name}") for name in [LESSON, *names]}


def _engine(course: Course) -> Iterator[str]:
    """The modules of the engine, and the other files that pyproject.toml counts as parts of it."""
    folder = course.root / "graders" / "engine"
    paths = list(folder.rglob("*.py"))
    project = tomllib.loads(_read(course, "pyproject.toml").decode("utf-8"))
    for package, patterns in project["tool"]["setuptools"].get("package-data", {}).items():
        paths += [path for pattern in patterns for path in course.root.joinpath(*package.split(".")).glob(pattern)]
    yield from (path.relative_to(course.root).as_posix() for path in sorted(set(paths)) if path.is_file())


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
    place = course.root / path
    try:
        return place.read_bytes()
    except OSError as error:
        raise CourseError(f"{shown_path(place)} cannot be read ({error.strerror}); a release needs it") from error
