"""In which form the work is handed in: the folders of a download from Gradescope, and the list beside them."""

import datetime
import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.demo.material import Material
from tests.demo.people import Person
from tests.demo.work import Files

NOTEBOOK_FILE = "positional_embedding.ipynb"
LIST = "submission_metadata.yml"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of everything in an archive, or two of them would differ."""


@dataclass(frozen=True, slots=True)
class HandIn:
    """What one person has handed in at one time: the bytes of each file, by its path."""

    number: int
    person: Person
    at: datetime.datetime
    files: dict[str, bytes]


def as_files(files: Files) -> dict[str, bytes]:
    """Return the files as they lie side by side."""
    return {name: text.encode() for name, text in files.items()}


def as_fork(files: Files) -> dict[str, bytes]:
    """Return the files in `exercises/`, and beside it what else lies in a fork and is nobody's concern."""
    return {f"exercises/{name}": text.encode() for name, text in files.items()} | {"README.md": b"# my fork\n"}


def as_zip(files: Files) -> dict[str, bytes]:
    """Return one archive with all files in a folder."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(f"homework/{name}", LONG_AGO), text, zipfile.ZIP_DEFLATED)
    return {"homework.zip": held.getvalue()}


def as_broken_zip(files: Files) -> dict[str, bytes]:
    """Return an archive whose end was lost on the way."""
    (data,) = as_zip(files).values()
    return {"homework.zip": data[: len(data) // 2]}


def as_notebook(files: Files, handed_out: str) -> dict[str, bytes]:
    """Return the notebook with the work in its tagged cells."""
    notebook = json.loads(handed_out)
    for cell in notebook["cells"]:
        first, _, rest = "".join(cell["source"]).partition("\n")
        if first.startswith("%%writefile "):
            cell["source"] = f"{first}\n{files.get(first.split()[1], rest)}".splitlines(keepends=True)
        elif tags := cell["metadata"].get("tags"):
            cell["source"] = files[f"{tags[0]}.py"].splitlines(keepends=True)
    return {NOTEBOOK_FILE: (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()}


def packed(files: Files, person: Person, material: Material) -> dict[str, bytes]:
    """Return the files in the form in which this person hands in."""
    if person.story == "notebook":
        return as_notebook(files, material.notebook)
    if person.story == "broken":
        return as_broken_zip(files)
    return person.chance("form").choice((as_files, as_files, as_fork, as_zip))(files)


def write_download(root: Path, hand_ins: Iterable[HandIn]) -> None:
    """Write a folder as Gradescope's Export Submissions makes it: a folder for each, and who handed in when."""
    lines = ["---"]
    for hand_in in hand_ins:
        name = f"submission_{hand_in.number}"
        for path, data in hand_in.files.items():
            (root / name / path).parent.mkdir(parents=True, exist_ok=True)
            (root / name / path).write_bytes(data)
        lines += [
            f"{name}:",
            "  :submitters:",
            f"  - :name: {json.dumps(hand_in.person.name, ensure_ascii=False)}",
            f"    :sid: '{hand_in.person.id}'",
            f"    :email: {hand_in.person.email}",
            f"  :created_at: {hand_in.at.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f} Z",
            "  :score: 0.0",
            "  :status: processed",
            "  :history: []",
        ]
    (root / LIST).write_text("\n".join(lines) + "\n", encoding="utf-8")
