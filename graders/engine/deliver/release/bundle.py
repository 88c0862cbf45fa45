"""The private files as one piece: packed the same way each time, read back as data, compared with a released tree."""

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import yaml

from graders.engine.deliver.release.public_rubric import public_rubric
from graders.engine.deliver.release.record import BUNDLE, Release, digest, require_inside
from graders.engine.errors import CourseError
from graders.engine.load.course import RUBRIC

MOST_FILES, MOST_BYTES = 2_000, 32 * 1024 * 1024
ALWAYS_PUBLIC = ("visible.py", "given.py", "handed_out.json")
FOR_THE_COURSE_TO_SAY = ("limits", "post")
"""Keys of the rubric that decide no points: a course may have its own."""


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files as an archive, the same bytes for the same files."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, data in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.size, member.mode, member.mtime = len(data), 0o644, 0
            tar.addfile(member, io.BytesIO(data))
    return archive.getvalue()


def unpack(archive: bytes) -> Mapping[str, bytes]:
    """The files of an archive; raises CourseError for one that holds anything but files of a course, or too much."""
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
            for member in tar:
                path = require_inside(member.name)
                left -= member.size
                if path in files or len(files) == MOST_FILES or left < 0:
                    raise ValueError("too many files, too large, or one of them twice")
                content = tar.extractfile(member) if member.isreg() else None
                if content is None:
                    raise ValueError(f"{path} is no file")
                files[path] = content.read()
    except (tarfile.TarError, ValueError, OSError) as error:
        raise CourseError(f"the sealed files are no private course ({error}); release again from upstream") from error
    return files


def require_released(bundle: bytes, release: Release) -> None:
    """Raise CourseError for a sealed bundle that is not the one which this release wrote."""
    if release.files.get(BUNDLE) != digest(bundle):
        raise CourseError(
            f"{BUNDLE} is not what the last release wrote, but that of another release or course; get the committed "
            "one back, with `git checkout`, or release again from upstream"
        )


def differing(files: Mapping[str, bytes], tree: Path, released: Mapping[str, str]) -> list[str]:
    """The public files that the tree has otherwise than the bundle, or not at all: the two do not belong together.

    Stubs are compared through their record, and `released` names the files that a release made public.
    """
    public = [path for path in files if path in released or PurePosixPath(path).name in ALWAYS_PUBLIC]
    compared = [path for path in public if path.startswith("graders/")]
    found = [path for path in compared if _digest_of(tree / path) != digest(files[path])]
    return found if _same_rubric(files, tree) else [RUBRIC, *found]


def _digest_of(path: Path) -> str | None:
    try:
        return digest(path.read_bytes())
    except OSError:
        return None


def _same_rubric(files: Mapping[str, bytes], tree: Path) -> bool:
    """Whether the tree's rubric is the one in the bundle, but for its hidden checks."""
    try:
        theirs = yaml.safe_load((tree / RUBRIC).read_bytes())
        ours = yaml.safe_load(public_rubric(files[RUBRIC].decode("utf-8")))
    except (OSError, KeyError, UnicodeDecodeError, yaml.YAMLError):
        return False
    if not isinstance(theirs, dict):
        return False
    return all(theirs.get(key) == ours.get(key) for key in {*ours, *theirs} if key not in FOR_THE_COURSE_TO_SAY)
