"""Git over HTTP, as GitHub has it: `git http-backend` on this machine, over bare repositories OWNER/NAME.git.

Everybody may read; or, with a token, only who sends that. Nobody may push: repositories are made with `create`, `fork`
and `open_pull`, which act on the folder itself.
"""

import base64
import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

# As GitHub's: any object may be asked for by its digest, and what is not wanted may be left out.
SETTINGS = ("uploadpack.allowAnySHA1InWant=true", "uploadpack.allowFilter=true", "gc.auto=0")
CHUNK = 1 << 16
SILENCE = 0
PATIENCE = 10.0
"""Seconds that a silent server waits for the other one to go."""


@dataclass
class GitHost:
    """What is served, to whom, what was asked for, and what goes wrong next."""

    folder: Path
    token: str | None = None
    requests: list[str] = field(default_factory=list)
    faults: list[int] = field(default_factory=list)
    """Statuses that the next requests are answered with, one each. With SILENCE, nothing is said at all."""
    gone: int = 0
    """How many of those who were told nothing have gone while they were waited for."""
    redirect: str | None = None
    """The address that everything has moved to."""


@contextmanager
def serving(folder: Path, token: str | None = None) -> Iterator[str]:
    """Serve the repositories of a folder, and return the address that their names follow."""
    with hosting(GitHost(folder, token)) as address:
        yield address


@contextmanager
def hosting(host: GitHost) -> Iterator[str]:
    """As `serving`, for a host that can be looked at and changed meanwhile."""

    class Handler(_Handler):
        pass

    Handler.host = host
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def create(folder: Path, name: str) -> Path:
    """Make an empty repository, and return its place."""
    place = folder / f"{name}.git"
    run_git(folder, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", place)
    return place


def fork(folder: Path, name: str, new: str) -> Path:
    """Make a repository that begins as another one."""
    place = folder / f"{new}.git"
    run_git(folder, "clone", "--quiet", "--bare", "--template=", folder / f"{name}.git", place)
    return place


def open_pull(folder: Path, name: str, number: int, head: str, commit: str) -> None:
    """Give a repository a commit of another one as the head of a pull request, new or moved."""
    source, target = folder / f"{head}.git", folder / f"{name}.git"
    run_git(target, "fetch", "--quiet", "--no-tags", source, f"+{commit}:refs/pull/{number}/head")


def run_git(folder: Path, *arguments: object, stdin: bytes = b"") -> str:
    """Run git as nobody in particular, and return what it prints."""
    variables = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    settings = (*SETTINGS, "user.name=a", "user.email=a@b")
    command = [_git(), "-C", str(folder), *(word for setting in settings for word in ("-c", setting))]
    environment = {**variables, "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [*command, *map(str, arguments)], env=environment, input=stdin, check=True, timeout=60, capture_output=True
    )
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def commit(folder: Path, name: str, files: Mapping[str, bytes | tuple[str, bytes]], branch: str = "main") -> str:
    """Add a commit of exactly these files, and return it. A pair is a mode of git and what stands there."""
    lines = [f"commit refs/heads/{branch}\ncommitter a <a@b> 0 +0000\ndata 0\ndeleteall\n".encode()]
    for path, given in files.items():
        mode, content = given if isinstance(given, tuple) else ("100644", given)
        if mode == "160000":
            lines.append(f"M {mode} {content.decode()} {path}\n".encode())
        else:
            lines.append(f"M {mode} inline {path}\ndata {len(content)}\n".encode() + content + b"\n")
    place = folder / f"{name}.git"
    run_git(place, "fast-import", "--quiet", "--force", stdin=b"".join(lines))
    return run_git(place, "rev-parse", branch)


class _Handler(http.server.BaseHTTPRequestHandler):
    """Hands a request to `git http-backend`, which speaks CGI."""

    host: GitHost

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            self._answer(b"".join(self._chunks()))
        else:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: who wants to know reads `requests`."""

    def _answer(self, body: bytes) -> None:
        self.host.requests.append(f"{self.command} {self.path}")
        if self.host.redirect is not None:
            self._end(301, {"Location": self.host.redirect + self.path})
        elif self.host.faults and self.host.faults[0] == SILENCE:
            self.host.faults.pop(0)
            self._say_nothing()
        elif self.host.faults:
            self._end(self.host.faults.pop(0), {})
        elif not self._is_let_in():
            self._end(401, {"WWW-Authenticate": 'Basic realm="GitHub"'})
        else:
            self._run_backend(body)

    def _say_nothing(self) -> None:
        """Wait until whoever asked ends the connection, which is when the program that has it ends."""
        self.close_connection = True
        self.connection.settimeout(PATIENCE)
        try:
            gone = not self.connection.recv(1)
        except ConnectionResetError:
            gone = True
        except TimeoutError:
            gone = False
        self.host.gone += gone

    def _is_let_in(self) -> bool:
        if self.host.token is None:
            return True
        expected = base64.b64encode(f"x-access-token:{self.host.token}".encode()).decode()
        kind, _, given = self.headers.get("Authorization", "").partition(" ")
        return kind.lower() == "basic" and given == expected

    def _run_backend(self, body: bytes) -> None:
        address = urlsplit(self.path)
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": str(len(SETTINGS)),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROJECT_ROOT": str(self.host.folder),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REMOTE_ADDR": self.client_address[0],
        }
        for number, setting in enumerate(SETTINGS):
            environment[f"GIT_CONFIG_KEY_{number}"], _, environment[f"GIT_CONFIG_VALUE_{number}"] = setting.partition(
                "="
            )
        process = subprocess.Popen(
            [_git(), "http-backend"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            # It reads all of a body before it answers.
            process.stdin.write(body)
            process.stdin.close()
            status, headers = 200, {}
            while line := process.stdout.readline().strip():
                name, _, value = line.decode("latin-1").partition(": ")
                if name.lower() == "status":
                    status = int(value.split()[0])
                else:
                    headers[name] = value
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                shutil.copyfileobj(process.stdout, self.wfile, CHUNK)
            except (BrokenPipeError, ConnectionResetError):  # whoever asked has heard enough
                process.kill()

    def _end(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()


def _git() -> str:
    found = shutil.which("git")
    assert found, "these tests need git"
    return found
