"""The record of a release, `graders/release.json`: which files it wrote, as what, and to whom it sealed."""

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from graders.engine.clean import one_line
from graders.engine.errors import UsageError, first_problem

RECORD, BUNDLE = "graders/release.json", "graders/hidden.age"
LONGEST_PATH = 300


def require_inside(path: str) -> str:
    """The path, if it leads to a file in the course's folder whatever the system; raises ValueError otherwise."""
    parts = path.split("/")
    odd = any(part in ("", ".", "..") or part != part.strip() or part.endswith(".") for part in parts)
    within_git = any(part.lower() == ".git" for part in parts)
    if odd or within_git or len(path) > LONGEST_PATH or re.search(r'[\\:*?"<>|\x00-\x1f]', path):
        raise ValueError(f"{one_line(path)[:80]} is no path of a file in a course")
    return path


FilePath = Annotated[str, AfterValidator(require_inside)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Release(BaseModel):
    """What one release wrote. A later one compares with it what the course has by then."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    version: Annotated[int, Field(ge=1, le=1)] = 1
    recipient: Annotated[str, Field(pattern=r"^age1[0-9a-z]{1,100}$")] | None
    """Whose key opens the hidden checks, and whole cards; None if there are no hidden checks here."""
    files: Mapping[FilePath, Digest]


def digest(data: bytes) -> str:
    """The SHA-256 of a text, whichever way its lines end: git on Windows changes that."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def record_to_json(release: Release) -> bytes:
    """The record as a file, the same bytes for the same record."""
    files = dict(sorted(release.files.items()))
    return f"{release.model_copy(update={'files': files}).model_dump_json(indent=1)}\n".encode()


def record_from_json(data: bytes) -> Release:
    """The record in a file's bytes; raises UsageError for anything else."""
    try:
        return Release.model_validate_json(data)
    except ValidationError as error:
        raise UsageError(
            f"{RECORD} is no record of a release ({first_problem(error)}); get the committed one back, with "
            "`git checkout`"
        ) from error
