"""Which files a course's checks are made of: found by reading what each imports, without running any of them."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from graders.engine.errors import CourseError
from graders.engine.load.course import Course
from graders.engine.load.own_file import read_own

GRADERS, ENGINE = "graders", "graders.engine"
LOADERS = ("importlib", "runpy", "graders.engine.judge.course_files")
"""With these a module can be loaded by a name that nobody can read off."""


def reach(course: Course, starts: Iterable[Path]) -> Mapping[str, bytes]:
    """These files and what they import of the course's own, over any number of steps, by path from its root.

    Raises CourseError for a file that is missing, is reached through a link or can't be parsed.
    """
    found: dict[str, bytes] = {}
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        name = path.relative_to(course.root).as_posix()
        if name in found:
            continue
        found[name] = read_own(course.root, name, "the checks need it")
        for module in _imports(found[name], name):
            waiting += _files_of(course, module)
    return dict(sorted(found.items()))


def secrets_in(files: Mapping[str, bytes]) -> list[str]:
    """A line for each of these files that students must not get, or that needs something which they do not have."""
    problems = []
    for name, source in files.items():
        *folders, file = PurePosixPath(name).parts
        # Public is what lies beside a visible.py, two folders deep: below are right answers, above is what is staff's.
        if len(folders) != 2 or file == "hidden.py":
            problems.append(f"{name} is private, but visible checks import it")
            continue
        for module in _imports(source, name):
            if any(module == loader or module.startswith(f"{loader}.") for loader in LOADERS):
                problems.append(f"{name} uses {module}, which loads files that a release does not know of")
            if module.partition(".")[0] == "reference":
                problems.append(f"{name} imports {module}; visible checks have no reference")
        if any(isinstance(node, ast.arg) and node.arg == "reference" for node in ast.walk(ast.parse(source))):
            problems.append(f"{name} takes the fixture reference, which only hidden checks have")
    return list(dict.fromkeys(problems))


def _imports(source: bytes, name: str) -> Iterator[str]:
    """The modules that a file imports, wherever in it, and what may be one: the names that it takes from a package."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{name} cannot be read by Python: {error}") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = list(PurePosixPath(name).parts[: -node.level]) if node.level else []
            module = ".".join([*package, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _files_of(course: Course, module: str) -> Iterator[Path]:
    """The file that this module of the course is, if it is one."""
    first, *rest = module.split(".")
    if first != GRADERS or not rest or f"{module}.".startswith(f"{ENGINE}."):
        return
    path = course.root.joinpath(GRADERS, *rest)
    yield from (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())
