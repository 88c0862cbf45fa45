"""The course's own Python files as modules of the judge: found by name, imported, put in words when they fail."""

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

import graders
from graders.engine.errors import CourseError
from graders.engine.load.course import Course


def turn_to(course: Course) -> None:
    """Make `graders.<exercise>` mean this course's folder: checks are imported by that name, by each other too."""
    folder = str((course.root / "graders").resolve())
    if graders.__path__[0] == folder:
        return
    for name in [name for name in sys.modules if name.startswith("graders.") and not name.startswith("graders.engine")]:
        del sys.modules[name]
    graders.__path__[:] = [folder, str(Path(graders.__file__).parent)]


def import_file(path: Path) -> ModuleType:
    """Return a file as a module that nothing else can import."""
    spec = importlib.util.spec_from_file_location(f"reference_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise CourseError(f"{path} can't be imported as a reference")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def import_problem(error: BaseException) -> str:
    """Return what went wrong in a file of the course, and where."""
    # pytest wraps what an import or a syntax error says in words about tests.
    error = error.__cause__ or error
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) or error.__traceback__ is None:
        return words
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{words} ({place.filename}, line {place.lineno})"
