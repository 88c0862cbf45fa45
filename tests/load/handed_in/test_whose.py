"""Whose each submission is, one for each student, and what is said where that is not clear."""

import os
import pickle
import sys

import pytest

from graders.engine.errors import SubmissionError, UsageError
from graders.engine.load.handed_in.finding import find_handed_in
from graders.engine.load.handed_in.loading import load_handed_in
from graders.engine.load.handed_in.records import PackedFolder
from tests.load.handed_in.layouts import (
    ADA,
    ASSIGNMENTS,
    FIRST,
    THEN,
    WORK,
    canvas,
    gradescope,
    moodle,
    under,
    written,
    zipped,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not make such names, links or pipes")


@pytest.mark.parametrize(
    "name", ["ada", "ADA", "1815", "ada@example.org", "Ada@Example.org", "Ada  Lovelace", "ada lovelace"]
)
def test_a_student_is_found_under_every_name_of_theirs(tmp_path, roster, name):
    found = find_handed_in(written(tmp_path / "class", under(name)), roster)
    assert [(one.student, one.label, one.findings) for one in found.handed_in] == [("ada", name, ())]
    assert found.missing == ("bob", "eve")


IMPOSTORS = {
    "Moodle, a login": moodle("ada", 9),
    "Moodle, an id": moodle("1815", 9),
    "Moodle, an address": moodle("ada@example.org", 9),
    "Moodle, the name of another": moodle("Ada Lovelace", 8) | moodle("Ada Lovelace", 9),
    "Canvas, a login": canvas("ada", 9),
    "Canvas, the name of another": canvas("lovelaceada", 8) | canvas("lovelaceada", 9),
    "Canvas, the name of another, by numbers": canvas("kahnbob", 1938) | canvas("lovelaceada", 9),
    "Gradescope, the name of another": gradescope({9: ([("Ada Lovelace", "9", "m@example.org")], THEN)}),
    "Gradescope, the name of another, without number": gradescope({9: ([("Ada Lovelace", "", "m@example.org")], THEN)}),
    "Gradescope, an id": gradescope({9: ([("1815", "9", "m@example.org")], THEN)}),
}


@pytest.mark.parametrize("kind", IMPOSTORS)
def test_nobody_becomes_another_student_by_calling_themselves_so(tmp_path, roster, kind):
    """Students choose their names in these systems. Who is not known for sure is told, under a name of nobody else."""
    found = find_handed_in(written(tmp_path / "class", IMPOSTORS[kind]), roster)
    assert "ada" in found.missing
    strangers = [one for one in found.handed_in if one.student != "bob"]
    assert strangers
    for one in strangers:
        assert roster.find(one.student) is None
        assert "not on the roster" in one.findings[-1][1]


def test_a_name_is_enough_where_nothing_speaks_against_it(tmp_path, roster):
    export = gradescope({9: ([("Ada Lovelace", "", "")], THEN), 10: ([("Eve", "", "eve@example.org")], THEN)})
    assert [one.student for one in find_handed_in(written(tmp_path / "class", export), roster).handed_in] == [
        "ada",
        "eve",
    ]


def test_who_is_not_on_the_roster_is_graded_all_the_same(tmp_path, roster):
    found = find_handed_in(written(tmp_path / "class", under("mallory")), roster)
    (mallory,) = found.handed_in
    assert mallory.findings[0][1].startswith("not on the roster; expected a login")
    assert found.missing == ("ada", "bob", "eve")
    assert load_handed_in(mallory, ASSIGNMENTS).files[0].sha256


def test_of_two_submissions_the_newest_counts_where_that_is_known(tmp_path, roster):
    export = gradescope({1: ([ADA], "2026-11-30 10:00:00 Z"), 2: ([ADA], "2026-11-30 09:00:00 Z")})
    (ada,) = find_handed_in(written(tmp_path / "class", export), roster).handed_in
    assert ada.label == "submission_1"
    assert (
        "submission_1 counts, the newest of 2 submissions of this student; not read: submission_2."
        in ada.findings[0][1]
    )


@pytest.mark.parametrize("names", [["ada", "ada.zip"], ["1815.zip", "ada"], ["Ada.zip", "ada.tar"]])
def test_of_two_submissions_one_is_taken_and_that_is_said(tmp_path, roster, names):
    files = {}
    for name in names:
        files |= {name: zipped()} if "." in name else under(name)
    (ada,) = find_handed_in(written(tmp_path / "class", files), roster).handed_in
    assert ada.label == sorted(names)[0]
    assert "taken without knowing which is the newest of 2 submissions" in ada.findings[0][1]


def test_names_that_differ_in_capitals_alone(tmp_path):
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(under("ada") | under("Ada") | under("bob")))
    found = find_handed_in(archive)
    assert [one.student for one in found.handed_in] == ["Ada", "ada", "bob"]
    assert [words.partition(";")[0] for one in found.handed_in for _, words in one.findings] == [
        "differs from ada only in capitals",
        "differs from Ada only in capitals",
    ]


@linux
@pytest.mark.parametrize("name", ["\x07", "a\u202eb", "x\u200b", "a\nb", " "])
def test_names_of_nobody(tmp_path, name):
    files = under("bob") | under(name)
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(files))
    for source in (archive, written(tmp_path / "class", files)):
        found = find_handed_in(source)
        assert [one.student for one in found.handed_in] == ["bob"]
        assert "is no student's" in found.unread[0]
        assert found.unread[0].isprintable()


@linux
def test_what_lies_in_a_folder_and_is_no_submission(tmp_path):
    source = written(tmp_path / "class", under("bob") | {"notes.pdf": b"", "README.md": b"", ".git/HEAD": b""})
    (source / "eve").symlink_to(source / "bob")
    os.mkfifo(source / "pipe.py")
    os.mkdir(os.fsencode(source) + b"/\xff")
    found = find_handed_in(source)
    assert [one.student for one in found.handed_in] == ["bob", "pipe"]
    assert [line.partition(" is ")[0] for line in found.unread] == ["README.md", "\\udcff", "eve", "notes.pdf"]
    with pytest.raises(SubmissionError, match="a pipe or a device"):
        load_handed_in(found.handed_in[1], ASSIGNMENTS[:1])


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no submission in"),
        ({"notes.pdf": b""}, "notes.pdf is nobody's submission"),
        (under("exercises"), "this is one submission"),
    ],
)
def test_what_is_no_class(tmp_path, files, words):
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(files))
    (tmp_path / "class").mkdir()
    for source in (archive, written(tmp_path / "class", files)):
        with pytest.raises(UsageError, match=words):
            find_handed_in(source)


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("none", None, "there is no "),
        ("class.txt", b"", "is no class"),
        ("class.zip", b"no zip", "it is no zip, or only the beginning"),
        ("class.zip", zipped() + b"x", None),
    ],
)
def test_sources_that_cannot_be(tmp_path, name, source, words):
    if source is not None:
        (tmp_path / name).write_bytes(source)
    if words is None:
        assert find_handed_in(tmp_path / name).handed_in
    else:
        with pytest.raises(UsageError, match=words):
            find_handed_in(tmp_path / name)


def test_empty_folders_are_submissions_with_nothing_in_them(tmp_path):
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped({"ada/": b"", "bob/": b""}))
    for source in (archive, written(tmp_path / "class", {"ada/": b"", "bob/": b""})):
        found = find_handed_in(source)
        assert [one.student for one in found.handed_in] == ["ada", "bob"]
        with pytest.raises(SubmissionError, match="the folder is empty"):
            load_handed_in(found.handed_in[0], ASSIGNMENTS)


def test_a_class_that_is_gone_before_it_is_read(tmp_path):
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(under("ada") | under("bob")))
    folder = written(tmp_path / "class", under("ada"))
    for source in (archive, folder):
        ada = find_handed_in(source).handed_in[0]
        source.rename(tmp_path / f"{source.name}.moved")
        with pytest.raises(SubmissionError, match="nothing to grade") as caught:
            load_handed_in(ada, ASSIGNMENTS)
        assert str(tmp_path) not in str(caught.value)


def test_thousands_of_students(tmp_path):
    """Each is cheap to send to another process: what lies deep in a submission is not carried along."""
    installed = {f"venv/lib/python/{number}.py": b"" for number in range(100)}
    files = {}
    for number in range(3_000):
        files |= under(f"student{number:04}", {f"{FIRST}.py": b"a = 1\n"})
    files |= under("student0000", installed)
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(files, 0))
    found = find_handed_in(archive)
    assert len(found.handed_in) == 3_000
    first, last = found.handed_in[0], found.handed_in[-1]
    assert isinstance(first.origin, PackedFolder)
    assert len(pickle.dumps(first)) < 3_000
    assert load_handed_in(last, ASSIGNMENTS).files[0].source == b"a = 1\n"


def test_too_much_of_one_student_costs_that_student_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("graders.engine.load.handed_in.sources.MOST_OF_ONE", 5)
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(under("ada", {f"{n}.py": b"" for n in range(6)}) | under("bob")))
    ada, bob = find_handed_in(archive).handed_in
    with pytest.raises(SubmissionError, match="it has 6 files; expected 5 at most"):
        load_handed_in(ada, ASSIGNMENTS)
    assert load_handed_in(bob, ASSIGNMENTS).files[0].sha256


def test_a_hostile_name_in_the_archive_of_a_class_costs_that_file_alone(tmp_path):
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(under("ada") | {"../eve/x.py": b"", "/etc/x.py": b""} | under("bob")))
    found = find_handed_in(archive)
    assert [one.student for one in found.handed_in] == ["ada", "bob"]
    assert len(found.unread) == 2
    assert all("leads out of it" in line for line in found.unread)


@pytest.mark.parametrize("files", [moodle("Ada Lovelace", 5), canvas("lovelaceada", 5), gradescope({5: ([ADA], THEN)})])
def test_labels_are_the_same_wherever_the_class_lies(tmp_path, files):
    labels = set()
    for place in ("here", "there/deeper"):
        source = written(tmp_path / place, files)
        labels.add(find_handed_in(source).handed_in[0].label)
        archive = tmp_path / f"{place.replace('/', '')}.zip"
        archive.write_bytes(zipped(files))
        labels.add(find_handed_in(archive).handed_in[0].label)
    assert len(labels) == 1


@linux
def test_work_without_a_link_to_anything_else(tmp_path):
    """A link inside a submission leads nowhere, as in a folder that is graded alone."""
    source = written(tmp_path / "class", under("ada", {f"{FIRST}.py": WORK[f"{FIRST}.py"]}) | under("bob", {}))
    (source / "bob").mkdir()
    (source / "bob" / f"{FIRST}.py").symlink_to(source / "ada" / f"{FIRST}.py")
    with pytest.raises(SubmissionError, match="is a link to another place"):
        load_handed_in(find_handed_in(source).handed_in[1], ASSIGNMENTS)
