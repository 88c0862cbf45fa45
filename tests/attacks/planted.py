"""Secrets of one test session, the places where they are planted, and whether one of them has come out."""

import base64
import ctypes
import os
import secrets
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graders.engine.load.course import Course

HERE = Path(__file__).parent
SLUG = "ex01_lookup"
SHARED = Path("/dev/shm")


@dataclass(frozen=True)
class Planted:
    """A course to be attacked: its secrets by place, the files they lie in, and what an attack leaves its traces with.

    `token` is a buffer of this process that holds one of them; `mark` names everything that an attack makes.
    """

    course: Course
    folder: Path
    secrets: dict[str, str]
    files: dict[str, Path]
    token: ctypes.Array[ctypes.c_char]
    mark: str
    won: str

    @property
    def ipc_key(self) -> int:
        """The number for what has no name: shared memory, semaphores and queues of System V."""
        return int(self.mark[-7:], 16)

    def leaks(self, text: str) -> list[str]:
        """Return the places whose secret stands in a text, as it is or in another form."""
        found = [place for place, secret in self.secrets.items() if any(form in text for form in disguises(secret))]
        return found + (["a claim to have won"] if self.won in text else [])


def disguises(secret: str) -> Iterator[str]:
    """Yield forms in which a text might be carried out: itself, backwards, in hexadecimal and in base64."""
    data = secret.encode()
    yield from (secret, secret[::-1], data.hex(), data[::-1].hex())
    for offset in range(3):
        # Base64 depends on where in a longer text it begins; both ends are cut to what does not.
        yield base64.b64encode(b"\0" * offset + data).decode()[4:-4]


@contextmanager
def planted(folder: Path) -> Iterator[Planted]:
    """Make the course in this folder, hide a secret in each place, and take away what lies elsewhere at the end."""
    places = (
        "token",
        "environment",
        "hidden",
        "reference",
        "private",
        "public",
        "neighbour",
        "shared",
        "history",
        "checkout",
    )
    secret = {place: f"secret-{place}-{secrets.token_hex(16)}" for place in places}
    mark = f"mark{secrets.token_hex(8)}"
    root = folder / "course"
    files = {
        "hidden": root / "graders" / SLUG / "hidden.py",
        "reference": root / "reference" / f"{SLUG}.py",
        "private": root / "private.txt",
        "public": root / "public.txt",
        "neighbour": folder / "others" / "exercises" / f"{SLUG}.py",
        "history": root / ".git" / "objects" / "ab" / ("c" * 38),
        "checkout": root / ".git" / "config",
        "shared": SHARED / f"planted-{mark[4:]}",
        "output": folder / "github_output",
    }
    shutil.copytree(HERE / "course", root, ignore=shutil.ignore_patterns("__pycache__"))
    for place in ("hidden", "reference"):
        text = files[place].read_text(encoding="utf-8")
        assert text.count(f"@{place}@") == 1
        files[place].write_text(text.replace(f"@{place}@", secret[place]), encoding="utf-8")
    for place in ("private", "public", "neighbour", "shared", "checkout"):
        files[place].parent.mkdir(parents=True, exist_ok=True)
        files[place].write_text(secret[place], encoding="utf-8")
    files["private"].chmod(0o600)
    files["output"].write_text("", encoding="utf-8")
    files["history"].parent.mkdir(parents=True)
    files["history"].write_bytes(zlib.compress(secret["history"].encode()))
    variables = {"GRADER_TOKEN": secret["environment"], "GITHUB_OUTPUT": str(files["output"])}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    token = ctypes.create_string_buffer(secret["token"].encode())
    try:
        yield Planted(Course(root), folder, secret, files, token, mark, f"won-{secrets.token_hex(16)}")
    finally:
        files["shared"].unlink()
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
