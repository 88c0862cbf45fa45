"""A folder that is sealed and opened again is the same; what is no such folder leaves nothing."""

import gzip
import io
import os
import tarfile
from pathlib import Path

import pytest

from graders.engine.deliver import packed_folder
from graders.engine.deliver.packed_folder import pack_folder, unpack_folder
from graders.engine.errors import UsageError
from tests.command_line import ALL_PASSED, NOTHING_GRADED, CommandLine

FILES = {"class.json": b"{}", "cards/ada.json": b"a card", ".class.json.lock": b"", "repositories/ada/HEAD": b"ref"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "given"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_comes_back_the_same(folder: Path, tmp_path: Path) -> None:
    data = pack_folder(folder)
    assert len(data) == packed_folder.PAGE, "its size tells little of what it holds"
    assert unpack_folder(data, tmp_path / "back") == len(FILES)
    assert files(tmp_path / "back") == FILES
    assert (tmp_path / "back").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/etc/passwd"), os.mkfifo], ids=["link", "pipe"])
def test_what_is_no_file_is_not_packed(make, folder: Path) -> None:  # type: ignore[no-untyped-def]
    make(folder / "x")
    with pytest.raises(UsageError, match="is neither a file nor a folder"):
        pack_folder(folder)


def packed(name: str, kind: bytes = tarfile.REGTYPE, times: int = 1) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for _ in range(times):
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, "/etc/passwd", 1 if kind == tarfile.REGTYPE else 0
            tar.addfile(member, io.BytesIO(b"x"))
    return data.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        gzip.compress(b"nonsense" * 1000),
        packed("x")[:-20],
        packed("../x"),
        packed("/x"),
        packed("a/../../x"),
        packed("a\\..\\x"),
        packed(".git/config"),
        packed("x", times=2),
        packed("x", tarfile.SYMTYPE),
        packed("x", tarfile.LNKTYPE),
        packed("x", tarfile.FIFOTYPE),
        packed("x", tarfile.CHRTYPE),
    ],
)
def test_whatever_else_it_is_becomes_nothing(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this is no folder that `grade seal-folder` packed"):
        unpack_folder(data, tmp_path / "back")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("limit", "most"), [("MOST_FILES", 3), ("MOST_BYTES", 10)])
def test_there_is_an_end_to_it(
    limit: str, most: int, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pack_folder(folder)
    monkeypatch.setattr(packed_folder, limit, most)
    with pytest.raises(UsageError, match="too many files, or too large"):
        unpack_folder(data, tmp_path / "back")


def test_the_commands(folder: Path, tmp_path: Path) -> None:
    command_line = CommandLine(None)
    key = tmp_path / "key"
    recipient = command_line.run(tmp_path, "keygen", key).stdout.strip()
    sealed = command_line.run(tmp_path, "seal-folder", folder, "--out", "sealed", "--recipient", recipient)
    assert sealed.returncode == ALL_PASSED, sealed.stderr
    assert b"a card" not in (tmp_path / "sealed").read_bytes()
    opened = command_line.run(tmp_path, "unseal-folder", "sealed", "back", "--key", key)
    assert (opened.returncode, files(tmp_path / "back")) == (ALL_PASSED, FILES)
    again = command_line.run(tmp_path, "unseal-folder", "sealed", "back", "--key", key)
    assert again.returncode == NOTHING_GRADED
    assert "give a folder that is new" in again.stderr
    assert files(tmp_path / "back") == FILES
    for options in (["--recipient", ""], []):
        unnamed = command_line.run(tmp_path, "seal-folder", folder, "--out", "other", *options)
        assert unnamed.returncode == NOTHING_GRADED
        assert "names nobody to seal to; give --recipient AGE" in unnamed.stderr
        assert not (tmp_path / "other").exists()
