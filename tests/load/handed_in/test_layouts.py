"""The same work comes to the same, whatever a class is handed over as."""

import datetime
import pickle
import tarfile
from dataclasses import replace

import pytest

from graders.engine.errors import SubmissionError, UsageError
from graders.engine.load.handed_in.finding import find_handed_in
from graders.engine.load.handed_in.loading import load_handed_in
from graders.engine.load.reading import load_submission
from graders.engine.load.roster import read_roster
from tests.load.handed_in.layouts import (
    ADA,
    ASSIGNMENTS,
    BOB,
    FIRST,
    NOTEBOOK,
    SECOND,
    THEN,
    WORK,
    canvas,
    gradescope,
    moodle,
    moodle_flat,
    tarred,
    under,
    written,
    zipped,
)

MAC = {"__MACOSX/exercises/._x.py": b"\0", "exercises/.DS_Store": b"\0"}
CLASSES = {
    "folder with exercises": under("ada/exercises"),
    "folder of the files": under("ada"),
    "folder around exercises": under("ada/course-main/exercises"),
    "folder with a zip": {"ada/work.zip": zipped(under("exercises")), "ada/.DS_Store": b""},
    "folder beside a program's": under("ada/course-main/exercises") | {"ada/.ipynb_checkpoints/x.ipynb": b""},
    "zip": {"ada.zip": zipped(under("exercises"))},
    "zip of the files": {"ada.ZIP": zipped()},
    "zip with a folder around": {"ada.zip": zipped(under("course-main/exercises"))},
    "zip from a Mac": {"ada.zip": zipped(under("exercises") | MAC)},
    "zip from Windows": {"ada.zip": zipped({f"exercises\\{name}": source for name, source in WORK.items()})},
    "stored zip": {"ada.zip": zipped(under("exercises"), 0)},
    "tar": {"ada.tar": tarred(under("exercises"), "")},
    "tar.gz": {"ada.tar.gz": tarred(under("exercises"))},
    "tar.gz of the files": {"ada.tgz": tarred()},
    "tar.xz with a folder": {"ada.tar.xz": tarred(under("course-main/exercises"), "xz")},
    "tar.bz2": {"ada.tar.bz2": tarred(under("./exercises"), "bz2")},
    "old tar": {"ada.tar": tarred(under("exercises"), "", tarfile.USTAR_FORMAT)},
    "GNU's tar": {"ada.tar": tarred(under(f"{'long' * 30}/exercises"), "", tarfile.GNU_FORMAT)},
    "long names": {"ada.tar": tarred(under(f"{'lång' * 30}/exercises"), "")},
    "Canvas": canvas("lovelaceada", 77),
    "Canvas, again": canvas("lovelaceada", 77, {name.replace(".", "-1."): WORK[name] for name in WORK}),
    "Canvas, zip": canvas("lovelaceada", 77, {"work.zip": zipped(under("exercises"))}),
    "Canvas, zip again": canvas("lovelaceada", 77, {"work-2.zip": zipped(under("ada/exercises"))}),
    "Moodle": moodle("Ada Lovelace", 1234567),
    "Moodle, older": moodle("Ada Lovelace", 1234567, end=""),
    "Moodle, exercises": moodle("Ada Lovelace", 1234567, under("exercises")),
    "Moodle, zip": moodle("Ada Lovelace", 1234567, {"work.zip": zipped(under("exercises"))}),
    "Moodle, flat": moodle_flat("Ada Lovelace", 1234567),
    "Moodle, flat zip": moodle_flat("Ada Lovelace", 1234567, {"work.zip": zipped(under("exercises"))}),
    "Moodle, with a text": moodle("Ada Lovelace", 1234567)
    | {"Ada Lovelace_1234567_assignsubmission_onlinetext_/onlinetext.html": b"<p>hello</p>"},
    "Gradescope": gradescope({12: ([ADA], THEN)}),
    "Gradescope, exercises": gradescope({12: ([ADA], THEN)}, under("exercises")),
}


def handed_over(tmp_path, way, files):
    """The class as a folder, as a zip, or as a zip with a folder around everything."""
    if way == "folder":
        return written(tmp_path / "class", files)
    path = tmp_path / "class.zip"
    path.write_bytes(zipped(under("export", files) if way == "zip around" else files))
    return path


def content(submission):
    """What is graded, without the names of the places where it lay."""
    return (
        [
            replace(file, label="", written=tuple(replace(text, label="") for text in file.written))
            for file in submission.files
        ],
        submission.notes,
        submission.commit,
    )


@pytest.mark.parametrize("way", ["folder", "zip", "zip around"])
@pytest.mark.parametrize("kind", CLASSES)
def test_the_same_work_is_the_same_in_every_layout(tmp_path, roster, kind, way):
    found = find_handed_in(
        handed_over(tmp_path, way, CLASSES[kind] | OTHER_STUDENT.get(kind.partition(",")[0], {})), roster
    )
    (ada,) = [one for one in found.handed_in if one.student == "ada"]
    assert found.unread == ()
    assert ada.findings == ()
    expected = load_submission(written(tmp_path / "plain", under("exercises")), ASSIGNMENTS, NOTEBOOK)
    submission = load_handed_in(pickle.loads(pickle.dumps(ada)), ASSIGNMENTS, NOTEBOOK)
    assert content(submission) == content(expected)
    assert submission.label == ada.label
    assert str(tmp_path) not in ada.label


# In every zip there is somebody else, so that the folder around everything is not taken for theirs.
OTHER_STUDENT = {kind: {"bob/nothing.txt": b""} for kind in CLASSES} | {
    "Canvas": canvas("kahnbob", 78, {"nothing.txt": b""}),
    "Moodle": moodle("Bob Kahn", 7654321, {"nothing.txt": b""}),
    "Gradescope": {},
}


@pytest.mark.parametrize("name", ["ada.ipynb", "ada.py", "ada.md"])
def test_one_file_for_each_student(tmp_path, name):
    """A notebook under any name; a file of code where one exercise alone is graded."""
    source = WORK[f"{FIRST}.py"]
    if name == "ada.ipynb":
        cell = {"cell_type": "code", "source": "first = 1", "metadata": {"tags": [FIRST]}}
        source = repr({"nbformat": 4, "metadata": {}, "cells": [cell]}).replace("'", '"').encode()
    (ada,) = find_handed_in(written(tmp_path, {name: source})).handed_in
    assert (ada.student, ada.label) == ("ada", name)
    assignment = replace(ASSIGNMENTS[0], file=f"{FIRST}{name[3:]}") if name != "ada.ipynb" else ASSIGNMENTS[0]
    (file,) = load_handed_in(ada, [assignment], NOTEBOOK).files
    assert file.source.strip().endswith(b"first = 1")


def test_a_group_on_gradescope_is_a_submission_for_each(tmp_path, roster):
    export = gradescope({12: ([ADA, BOB], THEN)})
    found = find_handed_in(written(tmp_path / "class", export), roster)
    assert [one.student for one in found.handed_in] == ["ada", "bob"]
    assert len({one.origin for one in found.handed_in}) == 1
    assert found.missing == ("eve",)
    at = datetime.datetime(2026, 11, 30, 22, 59, 24, 395123, tzinfo=datetime.UTC)
    for one in found.handed_in:
        assert one.handed_in_at == at
        assert one.findings == (("other", "handed in as a group: Ada Lovelace, Bob Kahn"),)


@pytest.mark.parametrize(
    ("written_as", "expected"),
    [
        ("2026-11-30 22:59:24 Z", "2026-11-30T22:59:24+00:00"),
        ("2026-11-30T23:59:24+01:00", "2026-11-30T22:59:24+00:00"),
        ("'2026-11-30 14:59:24.5 -08:00'", "2026-11-30T22:59:24.500000+00:00"),
        (
            "!ruby/object:ActiveSupport::TimeWithZone\n    utc: 2026-11-30 22:59:24.0 Z\n    zone: &1 {name: Etc/UTC}\n"
            "    time: 2026-11-30 14:59:24.0 Z",
            "2026-11-30T22:59:24+00:00",
        ),
        ("2026-11-30 22:59:24", "has no time zone"),
        ("yesterday", "is no moment"),
        ("[]", "is no moment"),
        ("0001-01-01 00:00:00 Z", "lies in another age"),
    ],
)
def test_when_gradescope_got_it(tmp_path, written_as, expected):
    (ada,) = find_handed_in(written(tmp_path, gradescope({12: ([ADA], written_as)}))).handed_in
    if ada.handed_in_at is not None:
        assert (ada.handed_in_at.isoformat(), ada.findings) == (expected, ())
    else:
        assert expected in ada.findings[0][1]


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        (b"submission_12:\n  :submitters: []\n", "has no submitters in"),
        (b"submission_12: 5\n", "has no submitters in"),
        (b"submission_12:\n  :submitters:\n  - 3\n  - :name: {}\n", "is no student's: a name has letters"),
        (b"[1, 2]\n", "holds no submissions"),
        (b"", "holds no submissions"),
        (b"{\n", "is no YAML"),
        (b"[" * 100_000, "is no YAML"),
        (b"\xff\n", "is not in UTF-8"),
        (b"? [a, {b: c}]\n: d\n", "is not in submission_metadata"),
    ],
)
def test_an_export_of_gradescope_that_is_damaged(tmp_path, metadata, words):
    export = gradescope({12: ([ADA], THEN)}) | {"submission_metadata.yml": metadata}
    with pytest.raises(UsageError, match=words):
        find_handed_in(written(tmp_path, export))


def test_what_gradescope_does_not_name_is_left_out(tmp_path):
    found = find_handed_in(written(tmp_path, gradescope({12: ([ADA], THEN)}) | under("stranger")))
    assert [one.student for one in found.handed_in] == ["Ada Lovelace"]
    assert found.unread == ("stranger is not in submission_metadata.yml; it was left out",)


def test_what_gradescope_names_and_does_not_hold(tmp_path):
    export = gradescope({12: ([ADA], THEN), 13: ([BOB], THEN)})
    held = {name: source for name, source in export.items() if not name.startswith("submission_13/")}
    ada, bob = find_handed_in(written(tmp_path, held)).handed_in
    assert load_handed_in(ada, ASSIGNMENTS).files[0].source == WORK[f"{FIRST}.py"]
    with pytest.raises(SubmissionError, match="the export holds no folder submission_13"):
        load_handed_in(bob, ASSIGNMENTS)


def test_late_on_canvas_is_a_finding(tmp_path):
    (ada,) = find_handed_in(written(tmp_path, canvas("lovelaceada", 77, late="LATE_"))).handed_in
    assert (ada.student, ada.handed_in_at) == ("lovelaceada", None)
    assert ada.findings == (("other", "Canvas calls this late; it does not say by how much"),)


def test_canvas_without_names_and_typed_texts(tmp_path):
    files = {
        "anon_3kXyZ_901_work.zip": zipped(),
        "LATE_anon_9AbCd_902_work.zip": zipped(),
        "kahnbob_78_text.html": b"",
        "stray.csv": b"",
    }
    found = find_handed_in(written(tmp_path, files))
    assert [one.student for one in found.handed_in] == ["anon 3kXyZ", "anon 9AbCd", "kahnbob"]
    assert [len(one.findings) for one in found.handed_in] == [0, 1, 0]
    assert found.unread == ("stray.csv is not called as Canvas calls files; it was left out",)
    with pytest.raises(SubmissionError, match=r"the folder holds text\.html"):
        load_handed_in(found.handed_in[2], ASSIGNMENTS)


@pytest.mark.parametrize("way", ["folder", "zip"])
def test_a_file_that_canvas_has_twice(tmp_path, way):
    """The one with the higher number came later, and the student is told."""
    files = canvas("lovelaceada", 77, {f"{FIRST}.py": b"old = 1\n", f"{FIRST}-1.py": b"new = 1\n"})
    (ada,) = find_handed_in(handed_over(tmp_path, way, files)).handed_in
    submission = load_handed_in(ada, ASSIGNMENTS)
    assert submission.files[0].source == b"new = 1\n"
    assert submission.notes == (f"{FIRST}.py was handed in more than once, and the last was read: {FIRST}-1.py",)


def test_archives_beside_work_are_told(tmp_path):
    files = canvas("lovelaceada", 77, WORK | {"rest.zip": zipped()})
    (ada,) = find_handed_in(written(tmp_path, files)).handed_in
    assert load_handed_in(ada, ASSIGNMENTS).notes == ("rest.zip was not read: the files beside it count",)


def test_names_in_other_scripts_on_canvas(tmp_path):
    """Their marks are no letters for everybody, and some systems take them off."""
    devi, muller = "\u0926\u0947\u0935\u0940\u0906\u0936\u093e", "mu\u0308llermax"
    path = tmp_path / "roster.csv"
    path.write_text(
        "login,name\nasha,\u0906\u0936\u093e \u0926\u0947\u0935\u0940\nmax,Max M\u00fcller\n", encoding="utf-8"
    )
    source = written(tmp_path / "class", canvas(devi, 1) | canvas(muller, 2))
    assert [one.student for one in find_handed_in(source, read_roster(path)).handed_in] == ["asha", "max"]


def test_files_that_look_like_those_of_canvas_do_not_make_folders_something_else(tmp_path):
    found = find_handed_in(written(tmp_path, under("ada") | under("bob") | {"notes_1_2_x.py": b""}))
    assert (found.layout, [one.student for one in found.handed_in]) == (
        "a folder of submissions",
        ["ada", "bob", "notes_1_2_x"],
    )


@pytest.mark.parametrize("way", ["folder", "zip"])
def test_namesakes_are_two_students(tmp_path, roster, way):
    """By their numbers, with and without a roster that knows one of them."""
    for files in (
        moodle("Ada Lovelace", 1) | moodle("Ada Lovelace", 2),
        canvas("lovelaceada", 1) | canvas("lovelaceada", 2),
        gradescope({1: ([("Ada Lovelace", "1", "")], THEN), 2: ([("Ada Lovelace", "2", "")], THEN)}),
    ):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        source = handed_over(folder, way, files)
        for known in (None, roster):
            students = [one.student for one in find_handed_in(source, known).handed_in]
            assert students in (["Ada Lovelace 1", "Ada Lovelace 2"], ["lovelaceada 1", "lovelaceada 2"])


def test_numbers_of_canvas_where_the_roster_has_them(tmp_path):
    """A student who goes by another name is found by number, once names of others show what the numbers are."""
    path = tmp_path / "roster.csv"
    path.write_text("login,id,name\nada,77,Ada Lovelace\nsasha,78,Alexandra Kahn\n", encoding="utf-8")
    source = tmp_path / "class"
    sasha = canvas("kahnsasha", 78)
    assert find_handed_in(written(source, sasha), read_roster(path)).handed_in[0].student == "kahnsasha"
    both = find_handed_in(written(source, canvas("lovelaceada", 77)), read_roster(path))
    assert [one.student for one in both.handed_in] == ["ada", "sasha"]


def test_work_of_somebody_for_the_last_of_the_exercises_alone(tmp_path):
    (ada,) = find_handed_in(written(tmp_path, {f"ada/{SECOND}.md": b"because\n"})).handed_in
    submission = load_handed_in(ada, ASSIGNMENTS)
    assert [bool(file.sha256) for file in submission.files] == [False, False]
    assert submission.files[1].written[0].sha256
