"""The record is read as strictly as something by which files are deleted has to be."""

import json

import pytest

from graders.engine.deliver.release.record import Release, digest, record_from_json, record_to_json, require_inside
from graders.engine.errors import UsageError

RECIPIENT = "age1" + "q" * 58
RECORD = {"version": 1, "recipient": RECIPIENT, "files": {"exercises/README.md": "0" * 64}}


def test_what_was_written_is_read():
    record = Release(recipient=None, files={"z": digest(b"z"), "a/b.py": digest(b"")})
    data = record_to_json(record)
    assert record_from_json(data) == record
    assert list(json.loads(data)["files"]) == ["a/b.py", "z"]
    assert data == record_to_json(record_from_json(data))


def test_line_ends_make_no_other_text():
    assert digest(b"a\r\nb\r\n") == digest(b"a\nb\n") != digest(b"a\rb\n")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2}, {"version": True}, {"more": 1}, {"recipient": "age1"},
        {"recipient": RECIPIENT + "\n"}, {"recipient": "AGE-SECRET-KEY-1"}, {"files": []}, {"files": {"a": "0" * 63}},
        {"files": {"a": "G" * 64}}, {"files": {"../a": "0" * 64}}, {"files": {"a": None}},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_record_is_refused(change):
    with pytest.raises(UsageError, match=r"release\.json is no record of a release"):
        record_from_json(json.dumps(RECORD | change).encode())


def test_what_is_refused_is_not_told_at_length():
    with pytest.raises(UsageError) as refused:
        record_from_json(json.dumps(RECORD | {"files": {"../\x1b" + "a" * 5_000: "0" * 64}}).encode())
    assert len(str(refused.value)) < 500
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"null", b"[" * 100_000])
def test_what_is_no_json_is_refused(data):
    with pytest.raises(UsageError, match="is no record of a release"):
        record_from_json(data)


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../up", "a/../../b", "./a", "a//b", "a/", "a\\b", "C:/x", "c:x", ".git/config", ".GIT/hooks/x",
     "a/.git/config", "a/.Git",
     "a\nb", "a\0b", "a/ b", "a./b", "a/b.", "x" * 301],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(path):
    with pytest.raises(ValueError, match="is no path of a file in a course"):
        require_inside(path)


@pytest.mark.parametrize("path", [".github/workflows/grade.yml", ".gitignore", "a/b.git/c", "LICENSE"])
def test_a_path_within_is_taken(path):
    assert require_inside(path) == path
