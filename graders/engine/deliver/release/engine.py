"""Which files of the engine are released: its modules and its package data, and no stray that lies among them."""

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePath

from graders.engine.errors import CourseError, first_of

ENGINE = "graders/engine"
WORDY = 10
"""So many strays are named."""
GIT_SECONDS = 60


def engine_files(root: Path, project: str) -> list[str]:
    """The paths, from the root, of what the text of pyproject.toml counts as parts of the engine.

    Where the root is a repository, all of them have to be known to git: raises CourseError naming those that are not,
    since nobody has looked at these yet.
    """
    wanted = [(ENGINE, "*.py"), *_package_data(project)]
    found = [path for path in _files_in(root) if any(_belongs(path, folder, name) for folder, name in wanted)]
    known = _known_to_git(root)
    strays = [path for path in found if path not in known] if known is not None else []
    if strays:
        names = "".join(f"\n  {line}" for line in first_of(strays, WORDY))
        raise CourseError(f"git does not know these files in {ENGINE}; commit or move them, and repeat:{names}")
    return found


def _package_data(project: str) -> Iterator[tuple[str, str]]:
    """Folders of packages, each with a pattern of names."""
    tool = tomllib.loads(project).get("tool", {})
    for package, patterns in tool.get("setuptools", {}).get("package-data", {}).items():
        yield from ((package.replace(".", "/"), pattern) for pattern in patterns)


def _belongs(path: str, folder: str, pattern: str) -> bool:
    """Whether the pattern fits; one without a slash fits a name in the folder itself, or, of modules, in any below."""
    if not path.startswith(f"{folder}/"):
        return False
    inside = PurePath(path).relative_to(folder)
    any_depth = pattern == "*.py"
    return inside.match(pattern) and (any_depth or len(inside.parts) == len(PurePath(pattern).parts))


def _files_in(root: Path) -> list[str]:
    """What lies in the engine's folder, without caches and whatever has a name that begins with a dot.

    Links are among it, so that reading them is refused; none is followed.
    """
    found = []
    for folder, names, files in os.walk(root / ENGINE):
        links = [name for name in names if Path(folder, name).is_symlink()]
        names[:] = [name for name in names if not name.startswith(".") and name != "__pycache__" and name not in links]
        places = [Path(folder, name) for name in (*files, *(f"{link}/__init__.py" for link in links))]
        found += [place.relative_to(root).as_posix() for place in places if not place.name.startswith(".")]
    return sorted(found)


def _known_to_git(root: Path) -> frozenset[str] | None:
    """The files of the engine that git keeps or is about to, or None where there is no repository, or no git."""
    git = shutil.which("git")
    if git is None or not os.path.lexists(root / ".git"):
        return None
    # Not the repository that a hook or a script, in which this may run, works on.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = [git, "-C", str(root), "ls-files", "-z", "--", ENGINE]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=GIT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error).encode()).decode("utf-8", "replace").strip()
        raise CourseError(f"git can't list the files of {ENGINE}: {said}") from error
    return frozenset(path.decode("utf-8", "replace") for path in done.stdout.split(b"\0") if path)
