"""`grade fetch`: a commit comes from a server as grading needs it, and whatever else is in it does no harm."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import nbformat
import pytest

from graders.engine.deliver.github import clock
from graders.engine.deliver.github.fetching import commit as fetching
from graders.engine.deliver.github.fetching import ending
from graders.engine.deliver.github.fetching import git as remotes
from graders.engine.deliver.github.fetching.commit import Fetched, fetch_commit
from graders.engine.deliver.github.fetching.settings import Remote
from graders.engine.errors import CourseError, ServiceError, SubmissionError, UsageError
from graders.engine.load import asked_for
from graders.engine.load.assignment import Assignment, Text, Wanted
from graders.engine.load.place import MAX_BYTES
from graders.engine.load.reading import load_commit
from tests.command_line import GRADERS_FAULT, NOT_ALL_PASSED, NOTHING_GRADED, ROOT
from tests.github.git_server import SILENCE, GitHost, commit, create, fork, hosting, open_pull, run_git, serving
from tests.github.talk import Waits

COURSE, ADA = "university/course", "ada/course"
FIRST, SECOND = "ex01_first_step", "ex02_second_one"
NOTEBOOK = "lesson.ipynb"
WANTED = Wanted(
    [
        Assignment(FIRST, f"{FIRST}.py", "", ("first",), (Text("essay", "essay.md", "# Essay\n"),)),
        Assignment(SECOND, f"{SECOND}.py", "", ("second",)),
    ],
    NOTEBOOK,
)
ONE = {f"exercises/{FIRST}.py": b"first = 1\n"}
TWO = f"exercises/{SECOND}.py"
ELSEWHERE = b"0123456789" * 4
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
TOKEN = "ghs_neverInAFile"

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("git") is None, reason="the server is git's own, as others than Windows have it"
)


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A server with an empty course and its fork; the working folder is elsewhere, and no command waits for a pause."""
    served = tmp_path / "served"
    served.mkdir()
    create(served, COURSE)
    fork(served, COURSE, ADA)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(clock, "SYSTEM_CLOCK", Waits().clock)
    return GitHost(served)


@pytest.fixture
def address(host):
    with hosting(host) as address:
        yield address


def fetched(address, sha, folder="got", name=ADA, token=""):
    return fetch_commit(Remote(address, name, token), sha, Path(folder), WANTED, Waits().clock)


def read(folder, sha):
    return load_commit(Path(folder), sha, WANTED.assignments, NOTEBOOK)


def notebook(source):
    held = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="one")])
    return nbformat.writes(held).encode()


# ------------------------------------------------------------ as from the whole repository


@pytest.mark.parametrize(
    "files",
    [
        {**ONE, TWO: b"second = 2\n", "exercises/essay.md": b"# Essay\nWords.\n"},
        {f"{FIRST}.py": b"first = 1\n", "essay.md": b"# Essay\n"},
        {**ONE, f"{SECOND}.py": b"beside\n"},
        {**ONE, f"exercises/{NOTEBOOK}": notebook("def second(): pass")},
        {**ONE, "exercises/mine.ipynb": notebook("def first(): pass"), NOTEBOOK: b"beside"},
        {"mine.ipynb": notebook("def first(): pass"), ".hidden.ipynb": b""},
        {**ONE, "exercises/a.ipynb": b"", "exercises/b.ipynb": b""},
        {**ONE, "exercises/ex2_second_one.py": b"", "exercises/EX02_second_one.PY": b""},
        {**ONE, "exercises/numpy/__init__.py": b"#", "exercises/data/x.txt": b"", "exercises/helper.py": b""},
        {f"{FIRST}.py": b"first = 1\n", "torch/__init__.py": b"# of the root", "json/__init__.py/x": b""},
        {**ONE, "exercises/math/__init__.py": ("120000", b"nowhere"), "exercises/random": ("160000", ELSEWHERE)},
        {**ONE, "exercises/tools": ("120000", b"../other"), "other/__init__.py": b"", "exercises/not a name.py": b""},
        {**ONE, f"{TWO}/x": b""},
        {**ONE, TWO: ("120000", b"/etc/passwd")},
        {
            **ONE,
            TWO: ("160000", ELSEWHERE),
            ".gitmodules": b'[submodule "x"]\n\tpath = x\n\turl = https://example.org\n',
        },
        {**ONE, TWO: LFS_POINTER, ".gitattributes": b"*.py filter=lfs diff=lfs merge=lfs -text ident\n"},
        {**ONE, TWO: b"#" * MAX_BYTES},
        {**ONE, TWO: os.urandom(MAX_BYTES)},
        {**ONE, TWO: b"#" * 5_000_000},
        {f"{FIRST}.py": b"first = 1\n", "exercises": ("120000", b"..")},
        {f"{FIRST}.py": ("100755", b"first = 1\n"), "exercises": b"no folder"},
    ],
    ids=lambda files: " ".join(name.removeprefix("exercises/") for name in files),
)
def test_what_is_fetched_is_read_as_the_whole_is(files, host, address):
    sha = commit(host.folder, ADA, files)
    fetched(address, sha)
    whole, part = read(host.folder / f"{ADA}.git", sha), read("got", sha)
    assert dataclasses.replace(part, label=whole.label) == whole


def test_nothing_else_comes(host, address):
    names = [*ONE, "exercises/essay.md", "exercises/numpy/__init__.py"]
    others = ["README.md", ".github/workflows/x.yml", "exercises/other.py", "graders/engine/x.py", "numpy/core.py"]
    sha = commit(host.folder, ADA, {name: name.encode() for name in [*names, *others]})
    assert fetched(address, sha) == Fetched(files=len(names))
    here = run_git(Path("got"), "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
    blobs = {line.split()[1] for line in here.splitlines() if line.startswith("blob")}
    assert blobs == {run_git(host.folder / f"{ADA}.git", "rev-parse", f"main:{name}") for name in names}
    assert here.count("commit ") == 1


def test_one_commit_comes_without_those_before_it(host, address):
    commit(host.folder, ADA, {"exercises/old.py": b"old"})
    second = commit(host.folder, ADA, ONE)
    fetched(address, second)
    assert run_git(Path("got"), "rev-list", "--count", second) == "1"


def test_the_head_of_a_pull_request_comes_from_the_course(host, address):
    """The fork may have gone since, or may not be read by the course's token."""
    commit(host.folder, COURSE, {"README.md": b"the course"})
    sha = commit(host.folder, ADA, ONE)
    open_pull(host.folder, COURSE, 12, ADA, sha)
    shutil.rmtree(host.folder / f"{ADA}.git")
    fetched(address, sha, name=COURSE)
    assert read("got", sha).files[0].source == b"first = 1\n"


def test_a_card_is_the_same(host, address, command_line):
    """By the commands themselves, with a course of one exercise, and a neighbour that is told of."""
    course = ROOT / "tests" / "attacks" / "course"
    files = {"exercises/ex01_lookup.py": b"nothing = 0\n", "exercises/torch/__init__.py": b"#"}
    sha = commit(host.folder, ADA, files)
    done = command_line.run(Path(), "fetch", ADA, sha, "got", "--course", course, GITHUB_SERVER_URL=address)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Fetched {sha[:12]} of {ADA} into got: files: 2\n"
    cards, said = [], []
    for place in (host.folder / f"{ADA}.git", Path("got")):
        options = (
            "--commit",
            sha,
            "--course",
            course,
            "--hidden",
            "--seed",
            1,
            "--student",
            "ada",
            "--json",
            "card.json",
        )
        done = command_line.grade(Path(), place, *options)
        assert done.returncode == NOT_ALL_PASSED, done.stderr
        card = json.loads(Path("card.json").read_text(encoding="utf-8"))
        for check in card["exercises"][0]["checks"]:
            del check["seconds"]
        cards.append(card)
        said.append(done.stdout)
    assert cards[0] == cards[1]
    assert all("exercises/torch/ is not part of the submission" in " ".join(text.split()) for text in said)


# ------------------------------------------------------------ too much of something


def test_a_file_above_its_limit_costs_no_other(host, address, monkeypatch):
    for name in ("MAX_BYTES", "MAX_NOTEBOOK_BYTES"):
        monkeypatch.setattr(asked_for, name, 50_000)
    sha = commit(host.folder, ADA, {**ONE, TWO: os.urandom(800_000)})
    assert fetched(address, sha) == Fetched(files=1, too_large=1)
    first, second = read("got", sha).files
    assert first.source == b"first = 1\n"
    assert second.problem.startswith(f"{TWO} is in the commit, but not in this copy of the repository")
    assert "make it smaller if it is above 1 MB" in second.problem


def test_a_file_that_is_packed_small_is_refused_when_it_is_read(host, address):
    sha = commit(host.folder, ADA, {**ONE, TWO: bytes(20_000_000)})
    fetched(address, sha)
    first, second = read("got", sha).files
    assert first.source == b"first = 1\n"
    assert second.problem.startswith(f"{TWO} is too large (20.0 MB)")


def test_folders_that_take_too_much(host, address, monkeypatch):
    sha = commit(host.folder, ADA, {f"exercises/{number}/{os.urandom(20).hex()}": b"" for number in range(1_000)})
    monkeypatch.setattr(fetching, "FOLDERS_BYTES", 20_000)
    with pytest.raises(SubmissionError, match=r"expected those of a course\. Commit only your own work"):
        fetched(address, sha)
    assert not Path("got").exists()


def test_very_many_files(host, address):
    place = host.folder / f"{ADA}.git"
    commit(host.folder, ADA, ONE)
    file = run_git(place, "rev-parse", f"main:exercises/{FIRST}.py")
    lines = "".join(f"100644 blob {file}\t{name}.py\n" for name in [*(f"a{n}" for n in range(30_000)), FIRST])
    inner = run_git(place, "mktree", stdin=lines.encode())
    outer = run_git(place, "mktree", stdin=f"040000 tree {inner}\texercises\n".encode())
    sha = run_git(place, "commit-tree", "-m", "many", outer)
    run_git(place, "update-ref", "refs/heads/main", sha)
    assert fetched(address, sha) == Fetched(files=1)
    found = read("got", sha).files[0]
    assert (found.source, len(found.neighbours)) == (b"first = 1\n", 200)


def test_a_file_that_the_server_has_lost(host, address):
    sha = commit(host.folder, ADA, {**ONE, TWO: b"second = 2\n"})
    place = host.folder / f"{ADA}.git"
    lost = run_git(place, "rev-parse", f"main:{TWO}")
    run_git(place, "config", "fetch.unpackLimit", "1000")
    for pack in (place / "objects" / "pack").glob("*.pack"):
        pack.rename(place / "moved.pack")
        run_git(place, "unpack-objects", "-q", stdin=(place / "moved.pack").read_bytes())
    for index in (place / "objects" / "pack").iterdir():
        index.unlink()
    (place / "objects" / lost[:2] / lost[2:]).unlink()
    assert fetched(address, sha) == Fetched(files=1, missing=1)
    assert "is in the commit, but not in this copy" in read("got", sha).files[1].problem


# ------------------------------------------------------------ what is not there, or not given


def test_a_commit_that_is_not_there(host, address):
    commit(host.folder, ADA, ONE)
    with pytest.raises(SubmissionError, match=f"has no commit {'1' * 40}; it may have been replaced by a forced push"):
        fetched(address, "1" * 40)
    assert not Path("got").exists()
    assert len(host.requests) < 10, "what waiting does not mend is not tried again"


def test_the_digest_of_something_else(host, address):
    commit(host.folder, ADA, ONE)
    tree = run_git(host.folder / f"{ADA}.git", "rev-parse", "main^{tree}")
    with pytest.raises(SubmissionError, match="there is no commit"):
        fetched(address, tree)


def test_a_repository_that_is_not_there(address):
    with pytest.raises(CourseError, match=r"there is no repository http://.*/bob/course, or it may not be read"):
        fetched(address, "1" * 40, name="bob/course")


@pytest.mark.parametrize(
    "sha", ["main", "", "1" * 39, "1" * 64, "A" * 40, "1" * 40 + "\n", "--upload-pack=x", "-" * 40]
)
def test_what_is_no_digest(sha):
    with pytest.raises(UsageError, match=r"the commit is .*; expected the whole digest of a commit, 40 of the digits"):
        fetched("http://127.0.0.1:9", sha)
    assert not Path("got").exists()


def test_a_folder_that_is_there_is_not_touched(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "work").touch()
    with pytest.raises(UsageError, match=r"cannot be made \(File exists\); give a folder that is new"):
        fetched("http://127.0.0.1:9", "1" * 40, tmp_path / "mine")
    assert (tmp_path / "mine" / "work").exists()


def test_a_machine_without_git(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="no git is on the PATH; install it"):
        fetched("http://127.0.0.1:9", "1" * 40, tmp_path / "got")


# ------------------------------------------------------------ the network


def test_what_passes_is_waited_for(host, address):
    sha = commit(host.folder, ADA, ONE)
    host.faults = [502, 503, 429]
    fetched(address, sha)
    assert read("got", sha).files[0].source == b"first = 1\n"


def test_a_server_that_stays_broken(host, address):
    host.faults = [500] * 20
    with pytest.raises(ServiceError, match=r"could not be read \(.*500\); look whether the server is at work"):
        fetched(address, "1" * 40)
    assert len(host.requests) == 1 + len(remotes.PAUSES)
    assert not Path("got").exists()


def test_no_server_at_all(host):
    with hosting(host) as address:
        pass
    with pytest.raises(ServiceError, match="could not be read"):
        fetched(address, "1" * 40)


def test_a_server_that_says_nothing_and_no_part_of_git_that_still_waits_for_it(host, monkeypatch):
    """What talks to the server is a process that git has started, and would wait for much longer."""
    monkeypatch.setattr(remotes, "SECONDS", 2.0)
    host.faults = [SILENCE]
    with hosting(host) as address:
        with pytest.raises(ServiceError, match="did not give what was asked for within 2 seconds"):
            fetched(address, "1" * 40)
        assert not Path("got").exists()
    assert (len(host.requests), host.gone) == (1, 1)


@pytest.fixture
def signalled():
    """What reaches the handler that was there before, for one signal to end."""
    seen = []
    former = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    yield seen
    signal.signal(signal.SIGTERM, former)


def test_a_signal_to_end_leaves_neither_git_nor_a_folder(host, monkeypatch, signalled):
    monkeypatch.setattr(remotes, "SECONDS", 20.0)
    remove = shutil.rmtree

    def remove_and_be_asked_again(folder, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        remove(folder, **options)

    monkeypatch.setattr(fetching.shutil, "rmtree", remove_and_be_asked_again)
    handlers = [signal.getsignal(number) for number in ending.SIGNALS]
    host.faults = [SILENCE]
    with hosting(host) as address:
        sender = threading.Thread(target=signal_when, args=(lambda: host.requests,))
        sender.start()
        with pytest.raises(SystemExit) as caught:
            fetched(address, "1" * 40)
        sender.join()
        assert not Path("got").exists()
    assert (caught.value.code, host.gone, signalled) == (128 + signal.SIGTERM, 1, [])
    assert [signal.getsignal(number) for number in ending.SIGNALS] == handlers


def signal_when(condition):
    """Ask this process to end as soon as that is so."""
    while not condition():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)


def test_a_signal_while_git_is_started_finds_it_all_the_same(address, monkeypatch, signalled):
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, command, **options):
            super().__init__(["sleep", "60"], **options)
            started.append(self)
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(remotes.subprocess, "Popen", Interrupted)
    with pytest.raises(SystemExit):
        fetched(address, "1" * 40)
    (process,) = started
    assert process.returncode == -signal.SIGKILL
    assert not Path("got").exists()


def test_a_signal_that_is_passed_over_stays_so(host, address, signalled):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sha = commit(host.folder, ADA, ONE)
    with ending.orderly_end():
        os.kill(os.getpid(), signal.SIGTERM)
        fetched(address, sha)
    assert Path("got").exists()


def test_nobody_is_followed_elsewhere(host, address, tmp_path):
    other = GitHost(host.folder)
    sha = commit(host.folder, ADA, ONE)
    with hosting(other) as elsewhere:
        host.redirect = elsewhere
        with pytest.raises(CourseError, match="has moved, and nothing is followed there; give the new name"):
            fetched(address, sha, token=TOKEN)
    assert other.requests == []


# ------------------------------------------------------------ the token, and whose settings count


@pytest.fixture
def started(monkeypatch):
    """Every program that is started: its command line and its environment."""
    seen = []

    class Watched(subprocess.Popen):
        def __init__(self, command, **options):
            seen.append((command, options.get("env") or {}))
            super().__init__(command, **options)

    monkeypatch.setattr(remotes.subprocess, "Popen", Watched)
    return seen


def test_a_token_opens_and_is_written_nowhere(host, address, started):
    host.token = TOKEN
    sha = commit(host.folder, ADA, ONE)
    fetched(address, sha, token=TOKEN)
    asked = [(command, variables) for command, variables in started if "fetch" in command]
    assert len(asked) == 2, "once for the folders, once for the files"
    secrets = [TOKEN, asked[0][1]["GIT_CONFIG_VALUE_0"].split()[-1]]
    for path in Path("got").rglob("*"):
        assert not path.is_file() or not any(secret.encode() in path.read_bytes() for secret in secrets), path
    assert not any(secret in word for command, _ in started for word in command for secret in secrets)
    assert TOKEN not in repr(Remote(address, ADA, TOKEN))
    assert {variables["GIT_CONFIG_KEY_0"] for _, variables in asked} == {f"http.{address}/.extraHeader"}


@pytest.mark.parametrize("token", ["", "ghs_another"])
def test_a_private_repository_without_its_token(token, host, address):
    host.token = TOKEN
    sha = commit(host.folder, ADA, ONE)
    with pytest.raises(CourseError, match="GITHUB_TOKEN needs the permission `contents: read`") as caught:
        fetched(address, sha, token=token)
    assert TOKEN not in str(caught.value)


def test_no_setting_of_the_user_counts(host, address, tmp_path, monkeypatch):
    """Neither what leads to another server, nor what runs a program, nor a password for a server of that name."""
    sha = commit(host.folder, ADA, ONE)
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", encoding="utf-8")
    hook.chmod(0o755)
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password secret\n", encoding="utf-8")
    (tmp_path / ".gitconfig").write_text(
        f'[url "http://127.0.0.1:9/"]\n\tinsteadOf = {address}/\n[core]\n\taskPass = {hook}\n\tfsmonitor = {hook}\n'
        f"\tsshCommand = {hook}\n[credential]\n\thelper = {hook}\n[http]\n\tproxy = http://127.0.0.1:9\n",
        encoding="utf-8",
    )
    leading = {"HOME": tmp_path, "GIT_CONFIG_GLOBAL": tmp_path / ".gitconfig", "GIT_ASKPASS": hook, "GIT_SSH": hook}
    leading |= {"GIT_DIR": tmp_path, "GIT_OBJECT_DIRECTORY": tmp_path, "http_proxy": "http://127.0.0.1:9"}
    leading |= {
        "GIT_CONFIG_PARAMETERS": f"'core.askPass={hook}'",
        "GIT_EXEC_PATH": tmp_path,
        "GIT_TRACE": tmp_path / "t",
    }
    for name, value in leading.items():
        monkeypatch.setenv(name, str(value))
    fetched(address, sha)
    assert sorted(path.name for path in Path("got").iterdir()) == ["HEAD", "config", "objects", "refs", "shallow"]
    host.token = TOKEN
    with pytest.raises(CourseError, match="may not be read"):
        fetched(address, sha, "again")
    assert not (tmp_path / "ran").exists()


def test_a_proxy_that_is_none_is_not_quoted(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://ada:pass/word@proxy.example")
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(UsageError, match="HTTPS_PROXY is no address of a proxy") as caught:
        fetched("https://git.example", "1" * 40)
    assert "pass" not in str(caught.value)
    assert not Path("got").exists()


def test_a_file_and_another_protocol_are_no_server(host, tmp_path):
    """The command checks the address; git is told of one protocol all the same."""
    sha = commit(host.folder, ADA, ONE)
    for server in (f"file://{host.folder}", f"ext::sh -c touch% {tmp_path}/ran #"):
        with pytest.raises((ServiceError, CourseError)):
            fetched(server, sha)
    assert not (tmp_path / "ran").exists()


# ------------------------------------------------------------ the command


@pytest.mark.parametrize(
    ("came", "words"),
    [
        (Fetched(3), "files: 3"),
        (Fetched(1, too_large=2), "files: 1; 2 left out, as too large"),
        (Fetched(1, missing=1), "files: 1; 1 that the server does not have"),
        (Fetched(0, 2, 1), "files: 0; 2 left out, as too large; 1 that the server does not have"),
    ],
)
def test_what_is_left_out_is_said(came, words, command_line, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "fetch_commit", lambda *arguments: came)
    done = command_line.run(tmp_path, "fetch", ADA, "1" * 40, "got", GITHUB_TOKEN="", GITHUB_SERVER_URL="")
    assert (done.returncode, done.stdout) == (0, f"Fetched 111111111111 of ada/course into got: {words}\n")


@pytest.mark.parametrize(
    ("repository", "server", "token", "said"),
    [
        ("course", "", "", 'REPOSITORY is "course"; expected a repository as owner/name'),
        ("../course", "", "", "expected a repository as owner/name"),
        ("ada/..", "", "", "expected a repository as owner/name"),
        ("ada/course/x", "", "", "expected a repository as owner/name"),
        ("ada/course?x", "", "", "expected a repository as owner/name"),
        (ADA, "http://example.org", "", "GITHUB_SERVER_URL"),
        (ADA, "https://a@example.org", "", "GITHUB_SERVER_URL"),
        (ADA, "ftp://example.org", "", "GITHUB_SERVER_URL"),
        (ADA, "http://127.0.0.1:9", "two\nlines", "GITHUB_TOKEN holds blanks"),
    ],
)
def test_arguments_that_do_not_fit(repository, server, token, said, command_line, tmp_path):
    variables = {"GITHUB_SERVER_URL": server, "GITHUB_TOKEN": token}
    done = command_line.run(tmp_path, "fetch", repository, "1" * 40, "got", **variables)
    assert done.returncode == NOTHING_GRADED
    assert said in done.stderr
    assert not (tmp_path / "got").exists()


def test_the_exit_code_tells_what_failed(host, command_line):
    """Whether it was the submission or the way to it: for the one the student is told, for the other the staff."""
    sha = commit(host.folder, ADA, ONE)
    with serving(host.folder) as address:
        done = command_line.run(Path(), "fetch", ADA, "1" * 40, "got", GITHUB_SERVER_URL=address, GITHUB_TOKEN="")
        assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
        assert done.stderr.startswith(f"Nothing was graded: {address}/{ADA} has no commit")
    done = command_line.run(Path(), "fetch", ADA, sha, "got", GITHUB_SERVER_URL=address, GITHUB_TOKEN="")
    assert (done.returncode, done.stdout) == (GRADERS_FAULT, "")
    assert done.stderr.startswith(f"Nothing was done: {address}/{ADA} could not be read")
