"""What answers are made of: the stubs, references, right and wrong answers of this course, read once."""

from dataclasses import dataclass
from pathlib import Path

import yaml

Edits = tuple[tuple[str, str], ...]
"""Texts of the reference, and what stands in their place."""


@dataclass(frozen=True, slots=True)
class Material:
    """Texts by the name of their file in `exercises/` and `reference/`, and by exercise those of its graders."""

    stubs: dict[str, str]
    references: dict[str, str]
    right: dict[str, tuple[str, ...]]
    wrong: dict[str, dict[str, Edits]]
    notebook: str


def read_material(course: Path) -> Material:
    """Read all of it from the folder of a course."""
    graders = [path.parent for path in sorted((course / "graders").glob("ex*/wrong.yaml"))]
    return Material(
        _texts(course / "exercises"),
        _texts(course / "reference"),
        {folder.name: tuple(_texts(folder / "right").values()) for folder in graders},
        {folder.name: _wrong(folder / "wrong.yaml") for folder in graders},
        (course / "exercises/positional_embedding.ipynb").read_text(encoding="utf-8"),
    )


def _texts(folder: Path) -> dict[str, str]:
    found = [path for path in sorted(folder.iterdir()) if path.suffix in (".py", ".yaml", ".md")]
    return {path.name: path.read_text(encoding="utf-8") for path in found}


def _wrong(path: Path) -> dict[str, Edits]:
    # The loader that is written in C, where there is one: these files are long.
    read = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {
        name: tuple((edit["replace"], edit["by"]) for edit in entry["edits"])
        for name, entry in read.items()
        if "edits" in entry
    }
