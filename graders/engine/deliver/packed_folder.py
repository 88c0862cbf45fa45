"""A folder as one piece of data, and a folder made of such a piece: how a class goes from one machine to another.

The piece comes from a machine that has run student code. Of it become regular files in a new folder, and nothing else.
"""

import io
import os
import shutil
import stat
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from graders.engine.deliver.release.record import require_inside
from graders.engine.errors import UsageError, shown_path

MOST_FILES, MOST_BYTES = 500_000, 4 * 1024**3
LEVEL = 6
PAGE = 1024 * 1024
"""A packed folder has a whole number of these: by its size, everybody could see how much a student's card says."""


def pack_folder(folder: Path) -> bytes:
    """Return all files of a folder; raises UsageError for a link or a pipe in it, or where it can't be read."""
    archive = io.BytesIO()
    try:
        with tarfile.open(fileobj=archive, mode="w:gz", format=tarfile.PAX_FORMAT, compresslevel=LEVEL) as tar:
            for path in _files(folder):
                member = tarfile.TarInfo(path.relative_to(folder).as_posix())
                with open(path, "rb") as file:
                    member.size, member.mode, member.mtime = os.fstat(file.fileno()).st_size, 0o600, 0
                    tar.addfile(member, file)
    except OSError as error:
        raise UsageError(f"{shown_path(folder)} cannot be read: {error.strerror or error}") from error
    data = archive.getvalue()
    return data + bytes(-len(data) % PAGE)


def unpack_folder(data: bytes, folder: Path) -> int:
    """Make a new folder with these files, for its owner alone; return how many there are.

    Raises UsageError, and leaves no folder, for data that are no such piece, and for a folder that is there already.
    """
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise UsageError(f"{shown_path(folder)} cannot be made: {error.strerror}; give a folder that is new") from error
    try:
        return _unpack(data, folder)
    except (tarfile.TarError, zlib.error, EOFError, ValueError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"this is no folder that `grade seal-folder` packed ({error})") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            yield path
        elif not stat.S_ISDIR(mode):
            raise UsageError(f"{shown_path(path)} is neither a file nor a folder; take it out")


def _unpack(data: bytes, folder: Path) -> int:
    number, left = 0, MOST_BYTES
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|gz") as tar:
        for member in tar:
            path = folder / require_inside(member.name)
            number, left = number + 1, left - member.size
            if number > MOST_FILES or left < 0:
                raise ValueError("too many files, or too large")
            content = tar.extractfile(member) if member.isreg() else None
            if content is None:
                raise ValueError(f"{member.name[:80]!a} is no file")
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as file:
                shutil.copyfileobj(content, file)
    return number
