"""A submission read from a commit: as from a folder, and with nothing of a hostile repository obeyed or believed."""

import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import nbformat
import pytest

from graders.engine.cli import common
from graders.engine.cli.students import student_of
from graders.engine.errors import SubmissionError, UsageError
from graders.engine.load import git_objects, git_repository, git_tree
from graders.engine.load.assignment import Assignment, Text
from graders.engine.load.course import find_course
from graders.engine.load.place import MAX_BYTES
from graders.engine.load.reading import load_commit, load_submission
from graders.engine.load.rubric import load_rubric
from tests.command_line import NOTHING_GRADED

FIRST, SECOND = "ex01_first_step", "ex02_second_one"
NOTEBOOK = "lesson.ipynb"
ASSIGNMENTS = [
    Assignment(FIRST, f"{FIRST}.py", "", ("first",), (Text("essay", "essay.md", "# Essay\n"),)),
    Assignment(SECOND, f"{SECOND}.py", "", ("second",)),
]
ONE = {f"exercises/{FIRST}.py": b"first = 1\n"}
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
ELSEWHERE = "0123456789" * 4

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("git") is None, reason="commits are read with git, where links can be made"
)


def git(folder, *arguments, stdin=b"", **variables):
    """Run git as nobody in particular: neither the user's settings nor the system's count."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        **variables,
    }
    command = ["git", "-C", str(folder), *map(str, arguments)]
    done = subprocess.run(command, env=environment, input=stdin, capture_output=True, check=True, timeout=60)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def blob(content):
    return b"data %d\n%s\n" % (len(content), content)


def commit(folder, files, branch="main"):
    """Add a commit of exactly these files to a branch; a pair for a content is a mode and what stands there."""
    lines = [f"commit refs/heads/{branch}\ncommitter a <a@b> 0 +0000\n".encode(), blob(b""), b"deleteall\n"]
    for name, content in files.items():
        mode, content = content if isinstance(content, tuple) else ("100644", content)
        path = b'"%s"' % name.encode("utf-8", "surrogateescape").replace(b"\n", b"\\n")
        if mode == "160000":
            lines.append(f"M {mode} {content} ".encode() + path + b"\n")
        else:
            lines += [f"M {mode} inline ".encode() + path + b"\n", blob(content)]
    git(folder, "fast-import", "--quiet", "--force", stdin=b"".join(lines))
    return git(folder, "rev-parse", branch)


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A bare repository without a commit, to copy."""
    folder = tmp_path_factory.mktemp("git") / "empty"
    git(folder.parent, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", folder)
    return folder


@pytest.fixture
def repository(tmp_path, monkeypatch, empty):
    """The bare repository ann in the working folder, without a commit."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(empty, "ann")
    return Path("ann")


@pytest.fixture
def holding(repository):
    """Commits files and reads them: ``holding({name: content})`` is the submission."""

    def holding(files):
        commit(repository, files)
        return load(repository)

    return holding


def load(path, revision="main"):
    return load_commit(path, revision, ASSIGNMENTS, NOTEBOOK)


def problem_of_second(submission):
    assert submission.files[0].source == b"first = 1\n", "one file that is refused costs no other"
    second = submission.files[1]
    assert (second.source, second.sha256) == (b"", "")
    return second.problem


def failure(path, revision="main"):
    with pytest.raises(SubmissionError) as caught:
        load(path, revision)
    return str(caught.value)


def object_file(repository, digest):
    return repository / "objects" / digest[:2] / digest[2:]


def digest_of(repository, name):
    return git(repository, "rev-parse", f"main:{name}")


# As from a folder


def notebook(source):
    held = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="one")])
    return nbformat.writes(held).encode()


@pytest.mark.parametrize(
    "files",
    [
        {**ONE, f"exercises/{SECOND}.py": b"second = 2\n", "exercises/essay.md": b"# Essay\nWords.\n"},
        {f"{FIRST}.py": b"first = 1\n", "essay.md": b"# Essay\n"},
        {**ONE, f"{SECOND}.py": b"beside\n"},
        {**ONE, f"exercises/{NOTEBOOK}": notebook("def second(): pass")},
        {"exercises/mine.ipynb": notebook("def first(): pass")},
        {**ONE, "exercises/ex2_second_one.py": b"", "exercises/EX02_second_one.PY": b""},
        {**ONE, "exercises/numpy/__init__.py": b"", "exercises/data/x.txt": b"", "exercises/helper.py": b""},
        {**ONE, "exercises/tools": ("120000", b"../other"), "other/__init__.py": b"", "exercises/not a name.py": b""},
        {**ONE, f"exercises/{SECOND}.py/x": b""},
        {**ONE, f"exercises/{SECOND}.py": ("120000", b"/etc/passwd")},
        {**ONE, f"exercises/{SECOND}.py": LFS_POINTER},
        {**ONE, f"exercises/{SECOND}.py": b"#" * MAX_BYTES},
        {**ONE, f"exercises/{SECOND}.py": b"#" * 5_000_000},
        {f"{FIRST}.py": b"first = 1\n", "exercises": ("120000", b"..")},
        {f"{FIRST}.py": ("100755", b"first = 1\n"), "exercises": b"no folder"},
    ],
    ids=lambda files: " ".join(name.removeprefix("exercises/") for name in files),
)
def test_a_commit_is_read_as_a_folder_is(files, holding, tmp_path):
    for name, content in files.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, tuple) and content[0] == "120000":
            path.symlink_to(content[1].decode())
        else:
            path.write_bytes(content[1] if isinstance(content, tuple) else content)
    from_folder = load_submission(tmp_path / "folder", ASSIGNMENTS, NOTEBOOK)
    from_commit = holding(files)
    assert from_commit.files == from_folder.files
    assert from_commit.notes == from_folder.notes


def test_the_words_for_a_commit_with_nothing_in_it(repository):
    commit(repository, {"README.md": b"", "notes.txt": b""})
    message = failure(repository)
    assert message.startswith('nothing to grade in "ann@main":\n')
    assert f"no file {FIRST}.py; expected it there." in message
    assert "the folder holds README.md, notes.txt" in message
    assert message.endswith(f"the exercise files themselves, such as {FIRST}.py.")


# Which commit


@pytest.mark.parametrize("revision", ["main", "HEAD", "refs/heads/main", "v1", "light", "whole", "beginning"])
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_branch_a_tag_or_a_digest(revision, packed, repository):
    digest = commit(repository, ONE)
    git(repository, "tag", "light", "main")
    git(repository, "tag", "--annotate", "--message=one", "v1", "main")
    commit(repository, {f"{SECOND}.py": b"on another branch"}, "other")
    if packed:
        git(repository, "gc", "--quiet")
        assert (repository / "packed-refs").exists()
    found = load(repository, {"whole": digest, "beginning": digest[:8]}.get(revision, revision))
    assert (found.label, found.files[0].source) == (f"ann@{digest[:12]}", b"first = 1\n")


def test_only_what_was_committed_counts(repository, tmp_path):
    digest = commit(repository, ONE)
    git(tmp_path, "clone", "--quiet", "--no-local", repository, "work")
    (tmp_path / "work" / "exercises" / f"{FIRST}.py").write_bytes(b"changed since\n")
    found = load(Path("work"), "HEAD")
    assert (found.label, found.files[0].source) == (f"work@{digest[:12]}", b"first = 1\n")


def test_a_path_that_is_a_link_is_followed(repository):
    commit(repository, ONE)
    Path("shortcut").symlink_to(repository)
    assert load(Path("shortcut")).files[0].source == b"first = 1\n"


def test_digests_of_the_longer_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", "--object-format=sha256", "ann")
    digest = commit(Path("ann"), ONE)
    assert len(digest) == 64
    assert load(Path("ann"), digest).files[0].source == b"first = 1\n"


@pytest.mark.parametrize(
    "revision",
    [
        *("nope", "", "--help", "-e", "main:exercises", "main^{tree}", "main\nmain", "ma\0in", ":/", "\udcff"),
        *(":exercises", "main@{1}", "@{-1}", "config", "said--batch-check", "../ann/refs/heads/main"),
        *("worktrees/w/HEAD", "refs/worktree/../heads/main"),
    ],
)
def test_what_names_no_commit(revision, repository):
    """Nor does what git would look up in other files than references: the index, journals, those of a worktree."""
    digest = commit(repository, ONE)
    (repository / "logs").mkdir()
    (repository / "worktrees" / "w").mkdir(parents=True)
    (repository / "logs" / "HEAD").write_text(f"{digest} {digest} a <a@b> 0 +0000\tcheckout: moving from main to v1\n")
    (repository / "worktrees" / "w" / "HEAD").write_text(f"{digest}\n")
    assert "there is no commit" in failure(repository, revision)


def test_the_digest_of_a_tag_is_not_that_of_a_commit(repository):
    digest = commit(repository, ONE)
    git(repository, "tag", "--annotate", "--message=one", "v1", "main")
    tag = git(repository, "rev-parse", "v1")
    assert f'"{tag}" is a tag; give the commit that it stands for, {digest}' in failure(repository, tag)


@pytest.mark.parametrize("revision", ["HEAD", "main", ELSEWHERE])
def test_a_repository_without_a_commit(revision, repository):
    assert f'there is no commit "{revision}" in it; expected a branch' in failure(repository, revision)


def test_what_is_no_repository(tmp_path):
    assert "it is no git repository; give the folder that holds .git" in failure(tmp_path)
    assert "the repository cannot be opened (No such file or directory)" in failure(tmp_path / "none")
    (tmp_path / "file").touch()
    assert "the repository cannot be opened (Not a directory)" in failure(tmp_path / "file")


def test_a_machine_without_git(repository, monkeypatch):
    monkeypatch.setenv("PATH", str(repository))
    with pytest.raises(UsageError, match="no git is on the PATH; install it"):
        load(repository)


# What is not read


def test_a_submodule_in_the_place_of_a_file_or_a_folder(holding, repository):
    found = holding({**ONE, f"exercises/{SECOND}.py": ("160000", ELSEWHERE)})
    assert problem_of_second(found).startswith(f"exercises/{SECOND}.py is a submodule, a commit of another repository;")
    commit(repository, {"exercises": ("160000", ELSEWHERE)})
    assert "exercises is a submodule, a commit of another repository; expected a folder" in failure(repository)


def test_a_pointer_of_lfs_says_what_to_do(holding):
    problem = problem_of_second(holding({**ONE, f"exercises/{SECOND}.py": LFS_POINTER}))
    assert problem.startswith(f"exercises/{SECOND}.py is a pointer of Git LFS; expected the file itself.")
    assert "git lfs untrack" in problem


def test_names_in_other_capitals_and_bytes_that_are_no_text(holding):
    found = holding(
        {
            **ONE,
            f"exercises/{FIRST.upper()}.PY": b"other\n",
            f"Exercises/{FIRST}.py": b"other\n",
            "exercises/line\nbreak.py": b"",
            "exercises/\udcff.py": b"",
            f"exercises/{SECOND}\udcff.py": b"",
        }
    )
    assert found.files[0].neighbours == ()
    assert f'There is "{SECOND}\\udcff.py"' in problem_of_second(found)
    "".join((*found.notes, *(file.problem for file in found.files))).encode()


def test_a_folder_with_very_many_names(repository):
    name = f"exercises/{FIRST}.py"
    commit(repository, ONE)
    file = digest_of(repository, name)
    lines = "".join(f"100644 blob {file}\t{other}\n" for other in [*(f"a{n}.py" for n in range(20_000)), f"{FIRST}.py"])
    inner = git(repository, "mktree", stdin=lines.encode())
    outer = git(repository, "mktree", stdin=f"040000 tree {inner}\texercises\n".encode())
    git(repository, "update-ref", "refs/heads/main", git(repository, "commit-tree", "-m", "many", outer))
    found = load(repository).files[0]
    assert (found.source, len(found.neighbours)) == (b"first = 1\n", 200)


def test_a_list_of_names_that_is_too_long_is_refused_unread(repository, monkeypatch):
    commit(repository, {f"exercises/{n}.py": b"" for n in range(40)})
    monkeypatch.setattr(git_tree, "MAX_TREE_BYTES", 1_000)
    assert "exercises is too large" in failure(repository)


# Objects that are not there, damaged, or forged


@pytest.fixture
def both(repository):
    """A repository with both files, the second of which can be done harm: its object's digest."""
    commit(repository, {**ONE, f"exercises/{SECOND}.py": b"second = 2\n"})
    return digest_of(repository, f"exercises/{SECOND}.py")


def test_a_missing_file_is_the_problem_of_that_file_alone(repository, both):
    object_file(repository, both).unlink()
    problem = problem_of_second(load(repository))
    assert problem.startswith(f"exercises/{SECOND}.py is in the commit, but not in this copy of the repository")


def test_a_damaged_file_is_the_problem_of_that_file_alone(repository, both):
    whole = zlib.compress(b"blob 11\0second = 2\n", 0)
    object_file(repository, both).unlink()
    object_file(repository, both).write_bytes(whole[:-8])
    problem = problem_of_second(load(repository))
    assert problem.startswith("git could not read what was asked of it (")
    assert str(repository.resolve()) not in problem, "a card names no place on this machine"


def test_bytes_of_another_digest_are_refused(repository, both):
    object_file(repository, both).unlink()
    object_file(repository, both).write_bytes(zlib.compress(b"blob 11\0second = 3\n"))
    assert git(repository, "cat-file", "blob", both) == "second = 3", "git itself is taken in"
    assert f"the bytes of {both[:12]} are not those of that digest" in problem_of_second(load(repository))


@pytest.mark.parametrize(
    ("name", "says"), [("main:exercises", "are not those of that digest"), ("main", "there is no commit")]
)
def test_a_folder_or_a_commit_of_another_digest_is_refused(name, says, repository):
    commit(repository, {f"exercises/{FIRST}.py": b"other\n"})
    other = git(repository, "rev-parse", name)
    genuine = commit(repository, ONE)
    taken = git(repository, "rev-parse", name)
    object_file(repository, taken).unlink()
    shutil.copy(object_file(repository, other), object_file(repository, taken))
    assert says in failure(repository, genuine)


def test_replacements_do_not_count(repository, both):
    other = git(repository, "hash-object", "-w", "--stdin", stdin=b"replaced\n")
    git(repository, "replace", both, other)
    assert git(repository, "cat-file", "blob", both) == "replaced", "git itself is taken in"
    assert load(repository).files[1].source == b"second = 2\n"


@pytest.mark.parametrize(
    "entries",
    [
        [b"100644 %s.py" % FIRST.encode()] * 2,
        [b"mode %s.py" % FIRST.encode()],
        [b"999999 %s.py" % FIRST.encode()],
    ],
    ids=["a name twice", "no mode", "no octal mode"],
)
def test_a_folder_that_git_would_not_have_written(entries, repository):
    commit(repository, ONE)
    file = bytes.fromhex(digest_of(repository, f"exercises/{FIRST}.py"))
    source = b"".join(entry + b"\0" + file for entry in entries)
    whole = b"tree %d\0" % len(source) + source
    tree = hashlib.sha1(whole).hexdigest()
    object_file(repository, tree).parent.mkdir(exist_ok=True)
    object_file(repository, tree).write_bytes(zlib.compress(whole))
    text = f"tree {tree}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\none\n"
    forged = git(repository, "hash-object", "-w", "-t", "commit", "--stdin", stdin=text.encode())
    assert "the commit's folder is damaged or forged" in failure(repository, forged)


def test_a_small_file_that_is_packed_as_a_piece_of_a_huge_one(repository, monkeypatch):
    commit(repository, {**ONE, f"huge/{SECOND}.py": b"\0" * 20_000_000, f"exercises/{SECOND}.py": b"\0" * 700_000})
    git(repository, "repack", "-a", "-d", "-q")
    piece = digest_of(repository, f"exercises/{SECOND}.py")
    base = git(repository, "cat-file", "--batch-check=%(deltabase)", stdin=piece.encode())
    assert base == digest_of(repository, f"huge/{SECOND}.py")
    assert len(load(repository).files[1].source) == 700_000
    if sys.platform == "linux":
        monkeypatch.setattr(git_objects, "MEMORY_BYTES", 24_000_000)
        assert "git could not read what was asked of it" in problem_of_second(load(repository))


# Objects of another repository


BORROWS = "it borrows from another repository ({}); expected objects and references of its own"


@pytest.fixture
def borrower(repository):
    """A copy of a repository with a commit, which will get at the objects in another way than by having them."""
    commit(repository, ONE)
    shutil.copytree(repository, "bob")
    return Path("bob")


def test_alternates_are_refused(repository, borrower):
    shutil.rmtree(borrower / "objects")
    (borrower / "objects" / "info").mkdir(parents=True)
    (borrower / "objects" / "info" / "alternates").write_text(f"{repository.resolve()}/objects\n")
    assert git(borrower, "show", f"main:exercises/{FIRST}.py") == "first = 1", "git itself borrows"
    assert BORROWS.format("objects/info/alternates") in failure(borrower)


@pytest.mark.parametrize("name", ["objects", "refs", "packed-refs", "HEAD", "config"])
def test_a_link_in_the_place_of_a_part_is_refused(name, repository, borrower):
    git(repository, "pack-refs", "--all")
    whole = borrower / name
    if whole.is_dir():
        shutil.rmtree(whole)
    whole.unlink(missing_ok=True)
    whole.symlink_to(repository.resolve() / name)
    assert re.search(f"{name} of the repository is a link to another place", failure(borrower))


@pytest.mark.parametrize("name", ["pack", "info", "aa", "pack/pack-1.pack"])
def test_a_link_among_the_objects_is_refused(name, borrower, tmp_path):
    place = borrower / "objects" / name
    if place.is_dir():
        shutil.rmtree(place)
    place.symlink_to(tmp_path)
    assert BORROWS.format(f"objects/{name} is a link") in failure(borrower)


def test_an_object_that_is_a_link_is_refused(repository, borrower):
    digest = digest_of(repository, f"exercises/{FIRST}.py")
    object_file(borrower, digest).unlink()
    object_file(borrower, digest).symlink_to(object_file(repository, digest).resolve())
    assert BORROWS.format(f"objects/{digest[:2]}/{digest[2:]} is a link") in failure(borrower)


@pytest.mark.parametrize("name", ["refs/heads", "refs/heads/other", "refs/remotes"])
def test_a_link_among_the_references_is_refused(name, repository, borrower):
    commit(repository, ONE, "other")
    shutil.rmtree(borrower / name, ignore_errors=True)
    (borrower / name).symlink_to((repository / name).resolve())
    assert BORROWS.format(f"{name} is a link") in failure(borrower)


def test_a_reference_with_a_second_name_is_refused(repository, borrower):
    os.link(repository / "refs" / "heads" / "main", borrower / "refs" / "heads" / "other")
    assert "refs/heads/other has a second name in another place (a hard link)" in failure(borrower)


def index_of_packs(idx, name):
    """A multi-pack-index that says of the objects in an .idx (the second version of it) that another pack has them."""
    source = idx.read_bytes()
    count = struct.unpack_from(">I", source, 8 + 255 * 4)[0]
    digests = 8 + 256 * 4
    places = struct.unpack_from(f">{count}I", source, digests + count * 24)
    names = name.encode() + b"\0"
    chunks = {
        b"PNAM": names + b"\0" * (-len(names) % 4),
        b"OIDF": source[8:digests],
        b"OIDL": source[digests : digests + count * 20],
        b"OOFF": b"".join(struct.pack(">II", 0, place) for place in places),
    }
    start = 12 + 12 * (len(chunks) + 1)
    header, body = struct.pack(">4s4BI", b"MIDX", 1, 1, len(chunks), 0, 1), b""
    for kind, chunk in chunks.items():
        header += struct.pack(">4sQ", kind, start + len(body))
        body += chunk
    whole = header + struct.pack(">4sQ", b"\0" * 4, start + len(body)) + body
    return whole + hashlib.sha1(whole).digest()


def test_an_index_that_names_packs_of_another_repository_is_not_followed(repository, borrower):
    digest = commit(repository, {f"exercises/{FIRST}.py": b"another's\n"})
    git(repository, "repack", "-a", "-d", "-q")
    idx = next((repository / "objects" / "pack").glob("*.idx"))
    forged = borrower / "objects" / "pack" / "multi-pack-index"
    forged.write_bytes(index_of_packs(idx, f"../../../ann/objects/pack/{idx.name}"))
    assert git(borrower, "show", f"{digest}:exercises/{FIRST}.py") == "another's", "git itself is taken in"
    assert "there is no commit" in failure(borrower, digest)
    assert load(borrower).files[0].source == b"first = 1\n"


def test_what_only_makes_git_faster_is_not_needed(repository):
    """As `git maintenance` writes it; and once more with rubbish in its place."""
    commits = {}
    for content in (b"first = 1\n", b"first = 2\n"):
        commits[content] = commit(repository, {f"exercises/{FIRST}.py": content})
        git(repository, "repack", "-d", "-q")
    git(repository, "multi-pack-index", "write")
    git(repository, "commit-graph", "write", "--reachable")
    for content, digest in commits.items():
        assert load(repository, digest).files[0].source == content
    store = repository / "objects"
    (store / "pack" / "multi-pack-index.d").mkdir()
    pack = next((store / "pack").glob("*.pack"))
    places = [store / "pack" / "multi-pack-index", store / "info" / "commit-graph", repository / "shallow"]
    places += [pack.with_suffix(kind) for kind in (".rev", ".bitmap", ".mtimes", ".promisor")]
    for place in places:
        place.unlink(missing_ok=True)
        place.write_bytes(b"rubbish\n")
    for content, digest in commits.items():
        assert load(repository, digest).files[0].source == content


@pytest.mark.parametrize("name", ["http-alternates", "packs"])
def test_what_other_programs_follow_is_not_followed(name, repository, borrower):
    digest = commit(repository, {f"exercises/{FIRST}.py": b"another's\n"})
    (borrower / "objects" / "info").mkdir(exist_ok=True)
    (borrower / "objects" / "info" / name).write_text(f"{repository.resolve()}/objects\n")
    assert "there is no commit" in failure(borrower, digest)


@pytest.mark.parametrize(
    "target", ["../../../ann/refs/heads/main", "refs/../../ann/refs/heads/main", "/refs/heads/main", "HEAD"]
)
def test_a_reference_to_one_that_is_not_below_refs_is_none(target, borrower):
    (borrower / "refs" / "heads" / "other").write_text(f"ref: {target}\n")
    assert 'there is no commit "other"' in failure(borrower, "other")
    (borrower / "HEAD").write_text(f"ref: {target}\n")
    assert "HEAD of the repository is damaged" in failure(borrower)


def test_a_reference_to_another_is_followed_and_a_damaged_one_costs_no_other(borrower):
    (borrower / "refs" / "remotes" / "origin").mkdir(parents=True)
    (borrower / "refs" / "remotes" / "origin" / "HEAD").write_text("ref: refs/heads/main\n")
    (borrower / "refs" / "heads" / "crashed").touch()
    assert load(borrower, "origin").files[0].source == b"first = 1\n"


def test_odd_names_among_the_packed_references(borrower):
    git(borrower, "pack-refs", "--all")
    packed = borrower / "packed-refs"
    digest = packed.read_text().split()[-2]
    lines = [f"{digest} {name}\n" for name in ("../ann/HEAD", "/etc/passwd", "refs/heads/../../x", "refs/heads/main")]
    packed.write_text("".join(lines))
    assert load(borrower).files[0].source == b"first = 1\n"
    for name in ("../ann/HEAD", "/etc/passwd", "refs/heads/../../x"):
        assert "there is no commit" in failure(borrower, name)
    packed.write_text("rubbish\n")
    assert "what was asked of it (fatal: unexpected line in packed-refs: rubbish)" in failure(borrower)


def test_references_in_another_format_are_not_seen_but_commits_are(borrower):
    digest = (borrower / "refs" / "heads" / "main").read_text().strip()
    shutil.rmtree(borrower / "refs" / "heads")
    (borrower / "refs" / "heads").write_text("this repository uses the reftable format\n")
    (borrower / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert "there is no commit" in failure(borrower)
    assert load(borrower, digest).files[0].source == b"first = 1\n"


@pytest.mark.parametrize(
    "name",
    [
        *("HEAD", "config", "packed-refs", "refs/x", "refs/heads/x", "objects/aa", "objects/pack/multi-pack-index"),
        *("objects/pack/x.idx", f"objects/{ELSEWHERE[:2]}/{ELSEWHERE[2:]}"),
    ],
)
def test_a_pipe_is_refused_unopened(name, borrower):
    (borrower / name).parent.mkdir(exist_ok=True)
    (borrower / name).unlink(missing_ok=True)
    os.mkfifo(borrower / name)
    assert re.search(f"{name}.* is a pipe or a device; expected a file", failure(borrower, ELSEWHERE))


@pytest.mark.parametrize(
    ("limit", "name"), [("MAX_NAMES", "refs"), ("MAX_NAMES", "objects/aa"), ("MAX_DEPTH", "refs/heads/a/b")]
)
def test_too_much_to_look_at_is_refused(limit, name, borrower, monkeypatch):
    (borrower / name).mkdir(parents=True, exist_ok=True)
    for number in range(30):
        (borrower / name / str(number)).touch()
    assert load(borrower).files[0].source == b"first = 1\n"
    monkeypatch.setattr(git_repository, limit, {"MAX_NAMES": 20, "MAX_DEPTH": 3}[limit])
    assert f"there is too much in {name}; run `git gc`" in failure(borrower)


def test_files_of_references_that_are_too_long_are_refused(borrower, monkeypatch):
    (borrower / "refs" / "heads" / "long").write_bytes(b"0" * 5_000)
    assert "refs/heads/long is 5000 bytes long; expected a reference" in failure(borrower)
    (borrower / "refs" / "heads" / "long").unlink()
    monkeypatch.setattr(git_repository, "MAX_PACKED_BYTES", 20)
    git(borrower, "pack-refs", "--all")
    assert "packed-refs of the repository is too large" in failure(borrower)


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_git_folder_that_leads_elsewhere_is_refused(kind, repository):
    commit(repository, ONE)
    Path("work").mkdir()
    if kind == "file":
        Path("work", ".git").write_text(f"gitdir: {repository.resolve()}\n")
    else:
        Path("work", ".git").symlink_to(repository.resolve())
    assert git("work", "show", f"main:exercises/{FIRST}.py") == "first = 1", "git itself follows it"
    assert ".git in it leads to another repository" in failure(Path("work"))


def test_a_folder_for_all_worktrees_is_not_followed(repository, borrower):
    shutil.rmtree(borrower / "objects")
    shutil.rmtree(borrower / "refs")
    (borrower / "commondir").write_text(f"{repository.resolve()}\n")
    assert git(borrower, f"--git-dir={borrower.resolve()}", "show", f"main:exercises/{FIRST}.py") == "first = 1"
    assert "it is no git repository" in failure(borrower)
    for name in ("objects", "refs"):
        (borrower / name).mkdir()
    assert "there is no commit" in failure(borrower)


# Nothing is obeyed


SETTINGS_THAT_RUN = {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.url": "here",
    "remote.other.promisor": "true",
    "remote.other.url": "ext::TRAP",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "filter.x.required": "true",
    "credential.helper": "!TRAP",
    "alias.cat-file": "!TRAP",
    "core.hooksPath": "hooks",
    "include.path": "more",
    "pager.cat-file": "true",
    **dict.fromkeys(
        (
            *(f"core.{name}" for name in ("alternateRefsCommand", "editor", "gitProxy", "pager", "sshCommand")),
            *(f"filter.x.{name}" for name in ("clean", "process", "smudge")),
            *("diff.external", "diff.x.textconv", "gpg.program", "remote.origin.uploadpack"),
        ),
        "TRAP",
    ),
}


def test_commands_that_a_repository_names_are_not_run(repository, tmp_path):
    """Two of the traps are sprung with git itself, to show that they are set."""
    commit(repository, {**ONE, f"exercises/{SECOND}.py": b"second = 2\n", ".gitattributes": b"* filter=x diff=x\n"})
    Path("work").mkdir()
    folder, ran = repository.rename("work/.git").resolve(), tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    trap.chmod(0o755)
    (folder / "hooks").mkdir()
    for hook in ("fsmonitor-watchman", "post-checkout", "post-index-change", "pre-auto-gc", "reference-transaction"):
        shutil.copy(trap, folder / "hooks" / hook)
    missing = digest_of(folder, f"exercises/{SECOND}.py")
    object_file(folder, missing).unlink()
    for name, value in SETTINGS_THAT_RUN.items():
        git(folder, "config", "--file", folder / "config", name, value.replace("TRAP", str(trap)))
    (folder / "config").write_text((folder / "config").read_text().replace("bare = true", "bare = false"))
    (folder / "more").write_text(f'[core]\n\tfsmonitor = "{trap}"\n')
    for command in (["status"], ["cat-file", "blob", missing]):
        subprocess.run(["git", "-C", "work", *command], capture_output=True, check=False, timeout=60)
        assert ran.exists(), command
        ran.unlink()

    problem = problem_of_second(load(Path("work")))
    assert "is in the commit, but not in this copy of the repository" in problem
    assert not ran.exists()


@pytest.fixture
def pretended(tmp_path, monkeypatch):
    """Puts a shell script in the place of git."""

    def pretended(script):
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "git").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / "git").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    return pretended


def test_git_sees_nothing_of_our_environment_and_an_empty_configuration(repository, pretended, monkeypatch, tmp_path):
    commit(repository, {**ONE, "x": b""})
    git(repository, "config", "remote.origin.url", "https://example.org/x")
    real = shutil.which("git")
    for name in ("GIT_DIR", "GIT_CONFIG_PARAMETERS", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_TRACE", "A_SECRET"):
        monkeypatch.setenv(name, str(tmp_path / "trace"))
    pretended(
        f'env > "{tmp_path}/environment"\n"{real}" "$1" config --local --list > "{tmp_path}/settings"\n'
        f'exec "{real}" "$@"'
    )
    assert load(repository).files[0].source == b"first = 1\n"
    lines = (tmp_path / "environment").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines} - {"PWD", "OLDPWD", "SHLVL", "_"}  # the shell's own
    assert names == {*git_objects._ENVIRONMENT, "PATH"}
    settings = (tmp_path / "settings").read_text().split()
    assert settings == ["core.repositoryformatversion=0", "core.bare=true"]
    assert not (tmp_path / "trace").exists()


def test_a_git_that_does_not_answer_is_ended(repository, pretended, monkeypatch):
    commit(repository, ONE)
    monkeypatch.setattr(git_objects, "SECONDS", 0.2)
    pretended("exec sleep 600")
    assert "git did not answer within" in failure(repository)


def test_a_git_that_ends_at_once_is_told_in_its_own_words(repository, pretended):
    commit(repository, ONE)
    pretended("echo 'fatal: I am\033[31m too old' >&2; exit 129")
    assert "git could not read what was asked of it (fatal: I am\\x1b[31m too old)" in failure(repository)


# The command


def test_what_the_command_reads_and_as_whose_work(repository):
    slug, source = "ex01_sinusoidal", b"raise SystemExit\n"
    commit(repository, {f"exercises/{slug}.py": source})
    course = find_course(None)
    found = common.load_commit(repository, "main", course, load_rubric(course.rubric), [slug])
    assert [(file.slug, file.source) for file in found.files] == [(slug, source)]
    assert student_of(repository, None) == "ann"


def test_a_commit_that_is_not_there_is_said_by_the_command(repository, tmp_path, command_line):
    commit(repository, {"exercises/ex01_sinusoidal.py": b""})
    done = command_line.grade(tmp_path, repository, "--commit", "--hidden")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert 'nothing to grade in "ann@--hidden":\n  there is no commit "--hidden" in it' in done.stderr


# Afterwards


def children_now():
    """The processes that this one has started and not waited for."""
    return set(Path("/proc/thread-self/children").read_text().split())


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_nothing_stays_behind(repository, both, monkeypatch, tmp_path):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    object_file(repository, both).unlink()
    before, children = len(os.listdir("/proc/self/fd")), children_now()
    load(repository)
    failure(repository, "nope")
    assert len(os.listdir("/proc/self/fd")) == before
    assert list((tmp_path / "temporary").iterdir()) == []
    assert children_now() == children
