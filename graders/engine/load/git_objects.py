"""Objects of a git repository, asked of `git cat-file` and believed only where their bytes have the digest asked for.

So neither a forged index nor a replacement can pass for a commit, whoever wrote the repository.
"""

import hashlib
import os
import re
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from graders.engine.clean import one_line
from graders.engine.load.place import Refused

SECONDS = 30
"""So long all questions to a repository may take together."""
MEMORY_BYTES = 1 << 30
"""So much git may map, on Linux: a small object can be packed as the difference from a huge one."""

_LATE = f"git did not answer within {SECONDS} seconds; expected a repository of an ordinary size"
_DIGESTS = {40: "sha1", 64: "sha256"}
_FOUND = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) (commit|tree|blob|tag) ([0-9]+)")
_ENVIRONMENT = {
    # Nothing of the user's or the machine's, and no second thoughts: what is missing stays missing.
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SETTINGS = (
    # Files that name other files; the store of ours holds neither, whatever a version of git makes of the settings.
    "core.commitGraph=false",
    "core.multiPackIndex=false",
    "core.packedGitWindowSize=16m",
    "core.packedGitLimit=128m",
)


@dataclass(frozen=True, slots=True)
class Found:
    """An object that is there: its digest, its kind, and the size that it is said to have."""

    digest: str
    kind: str
    size: int


class Objects:
    """Objects by name. A git that gives up, as it does on a damaged object, is started anew for the next one."""

    def __init__(self, git: str, folder: Path, stack: ExitStack) -> None:
        """Ask the program `git`, at work in a git folder of our own, about the objects in it."""
        self._command = [git, f"--git-dir={folder}", *(word for setting in _SETTINGS for word in ("-c", setting))]
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._late = threading.Event()
        timer = threading.Timer(SECONDS, self._stop)
        timer.daemon = True
        timer.start()
        stack.callback(self._close)
        stack.callback(timer.cancel)

    def find(self, name: str) -> Found | None:
        """The object of that name, which may be an abbreviation or a reference; None if it is not there."""
        answer = _FOUND.fullmatch(self._ask("--batch-check", name)[0])
        return Found(answer[1], answer[2], int(answer[3])) if answer else None

    def read(self, found: Found) -> bytes:
        """The object's bytes; raises Refused where they are not what its digest says."""
        digest = found.digest
        answer, stream = self._ask("--batch", digest)
        if answer != f"{digest} {found.kind} {found.size}":
            raise Refused(f"git said two things about {digest[:12]}; expected a repository that nobody writes to now")
        source = stream.read(found.size)
        if stream.read(1) != b"\n":
            raise Refused(self._why("--batch"))
        header = f"{found.kind} {len(source)}\0".encode()
        if hashlib.new(_DIGESTS[len(digest)], header + source).hexdigest() != digest:
            raise Refused(f"the bytes of {digest[:12]} are not those of that digest; fetch the repository anew")
        return source

    def _ask(self, mode: str, name: str) -> tuple[str, IO[bytes]]:
        process = self._process(mode)
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended, and there is no answer either
            process.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
            process.stdin.flush()
        answer = process.stdout.readline()
        if not answer.endswith(b"\n"):
            raise Refused(self._why(mode))
        return answer[:-1].decode("utf-8", "replace"), process.stdout

    def _process(self, mode: str) -> subprocess.Popen[bytes]:
        if mode not in self._running:
            if self._late.is_set():
                raise Refused(_LATE)
            self._running[mode] = self._start(mode)
            if self._late.is_set():  # since then, and the timer did not see this one
                self._running[mode].kill()
        return self._running[mode]

    def _start(self, mode: str) -> subprocess.Popen[bytes]:
        with open(self._folder / f"said{mode}", "wb") as said:
            process = subprocess.Popen(
                [*self._command, "cat-file", mode],
                env={**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            )
        if sys.platform == "linux":
            import resource

            with suppress(ProcessLookupError):  # it has ended, as the first question will tell
                _, most = resource.prlimit(process.pid, resource.RLIMIT_AS)
                limit = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
                resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, most))
        return process

    def _why(self, mode: str) -> str:
        """Why git ended in the middle of an answer, in its own last words; the next question starts another one."""
        _end(self._running.pop(mode))
        if self._late.is_set():
            return _LATE
        said = (self._folder / f"said{mode}").read_text(encoding="utf-8", errors="replace").splitlines()
        last = one_line("".join(said[-1:]).replace(f"{self._folder}{os.sep}", ""))[:300]
        return f"git could not read what was asked of it ({last or 'it gave no reason'})"

    def _stop(self) -> None:
        self._late.set()
        for process in list(self._running.values()):
            process.kill()

    def _close(self) -> None:
        for process in self._running.values():
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()
