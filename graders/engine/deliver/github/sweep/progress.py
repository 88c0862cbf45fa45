"""What an interrupted sweep has seen so far: kept line by line, so that the next one goes on where it ended."""

import datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from graders.engine.deliver.github.sweep.look import Look
from graders.engine.errors import UsageError, shown_path

FILE = "sweep.jsonl"
MOST_AGE = datetime.timedelta(hours=6)
MOST_AGE_BEFORE = datetime.timedelta(hours=1)
"""Where the deadline has not come yet, and the next push may come at any time."""
DOUBT = datetime.timedelta(minutes=5)
"""So far this machine's clock may be from the server's, and the server's record behind what it has received."""
MOST_BYTES = 64_000_000


class _Begun(BaseModel):
    """The first line: whose sweep it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    course: int


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    written_at: AwareDatetime
    look: Look


class Progress:
    """The file of one sweep, open for more; each look is in it as soon as it is kept."""

    def __init__(self, folder: Path, course: int, now: datetime.datetime) -> None:
        """Go on with the file of that folder, or begin one anew where there is none of this course."""
        self._path = folder / FILE
        lines = _lines(self._path)
        self.kept: dict[int, Look] = {}
        begun = _Begun(version=1, course=course)
        if not lines or _first(lines[0]) != begun:
            self._path.write_text(begun.model_dump_json() + "\n", encoding="utf-8")
            return
        for line in lines[1:]:
            if (look := _look(line, now)) is not None:
                self.kept[look.fork] = look
        # What is at the end of a file that was cut off must not become one line with the next.
        with open(self._path, "ab") as file:
            file.write(b"\n")

    def keep(self, look: Look, now: datetime.datetime) -> None:
        """Write a look down."""
        self.kept[look.fork] = look
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(_Line(written_at=now, look=look).model_dump_json() + "\n")

    def usable(self, fork: int, deadline: datetime.datetime, now: datetime.datetime) -> Look | None:
        """Return a look that still says what another would: it was for this deadline, which has not passed since."""
        look = self.kept.get(fork)
        if look is None or look.deadline != deadline:
            return None
        if now < deadline:
            return look if now - look.looked_at <= MOST_AGE_BEFORE else None
        return look if look.looked_at >= deadline + DOUBT else None


def finish(folder: Path) -> None:
    """Remove what was kept: it is in the list by now."""
    (folder / FILE).unlink(missing_ok=True)


def _lines(path: Path) -> list[str]:
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from error
    return data.decode("utf-8", "replace").split("\n") if len(data) <= MOST_BYTES else []


def _first(line: str) -> _Begun | None:
    try:
        return _Begun.model_validate_json(line)
    except ValidationError:
        return None


def _look(line: str, now: datetime.datetime) -> Look | None:
    """Return what a line holds, if it is whole and not too old."""
    if not line:
        return None
    try:
        read = _Line.model_validate_json(line)
    except ValidationError:
        return None  # the end of one that was cut off; it is looked at once more
    return read.look if datetime.timedelta(0) <= now - read.written_at <= MOST_AGE else None
