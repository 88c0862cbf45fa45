"""The project's description as a release has it: what installing and running need, and nothing of tests and tools."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from graders.engine.errors import CourseError

PROJECT = "pyproject.toml"
EXTRAS, EXTRA = "project.optional-dependencies", "staff"
_WHOLE = re.compile(r"build-system|project(\.scripts)?|tool\.setuptools(\..+)?")
_HEADER = re.compile(r"\[\[?([^\[\]]+)\]\]?\s*(#.*)?")
_ENTRY = re.compile(r"([A-Za-z0-9_-]+)\s*=")


def public_project(text: str) -> str:
    """The text of pyproject.toml with those sections that students need, as they were written.

    Raises CourseError if they can't be cut out of the text.
    """
    kept = [_extra(lines) if name == EXTRAS else lines for name, lines in _sections(text) if _is_public(name)]
    public = "\n\n".join("\n".join(lines).strip("\n") for lines in kept if lines) + "\n"
    try:
        same = tomllib.loads(public) == _expected(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        raise CourseError(
            f"what students need of {PROJECT} can't be taken out of its text; begin every section and every extra in a "
            "line of its own, at its first column"
        )
    return public


def _is_public(name: str) -> bool:
    return name == EXTRAS or bool(_WHOLE.fullmatch(name))


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each section's name and lines, the comments above its header among them."""
    name, lines = "", list[str]()
    for line in text.splitlines():
        header = _HEADER.fullmatch(line)
        if header:
            above = len(lines)
            while above and lines[above - 1].startswith("#"):
                above -= 1
            yield name, lines[:above]
            name, lines = header[1].strip().replace('"', ""), lines[above:]
        lines.append(line)
    yield name, lines


def _extra(lines: list[str]) -> list[str]:
    """The section of extras with the one that students get, or nothing."""
    found, wanted = list[str](), True
    for line in lines:
        entry = _ENTRY.match(line)
        wanted = entry[1] == EXTRA if entry else wanted and (not found or not line.startswith("#"))
        found += [line] if wanted else []
    return found if any(_ENTRY.match(line) for line in found) else []


def _expected(whole: dict[str, Any]) -> dict[str, Any]:
    """What the public text has to say."""
    project = dict(whole.get("project", {}))
    extras = {name: needs for name, needs in project.pop("optional-dependencies", {}).items() if name == EXTRA}
    project = {**project, **({"optional-dependencies": extras} if extras else {})}
    tool = {name: value for name, value in whole.get("tool", {}).items() if name == "setuptools"}
    parts = {"build-system": whole.get("build-system"), "project": project, "tool": tool}
    return {name: part for name, part in parts.items() if part}
