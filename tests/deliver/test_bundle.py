"""The private files in one piece: packed, unpacked as data of strangers, and held against a released tree."""

import io
import tarfile

import pytest

from graders.engine.deliver.release import bundle
from graders.engine.deliver.release.bundle import differing, pack, unpack
from graders.engine.deliver.release.public_rubric import public_rubric
from graders.engine.errors import CourseError

RUBRIC = "objectives: {}\nlimits: {}\nexercises:\n  ex01_a:\n    visible: {a: 1}\n    hidden: {b: 2}\n"
FILES = {
    "grading.yaml": RUBRIC.encode(),
    "graders/handed_out.json": b"{}",
    "graders/ex01_a/visible.py": b"visible",
    "graders/ex01_a/sizes.py": b"sizes",
    "graders/ex01_a/hidden.py": b"hidden",
    "reference/ex01_a.py": b"reference",
    "exercises/ex01_a.py": b"stub",
}
RELEASED = {"graders/ex01_a/sizes.py": "", "graders/ex01_a/visible.py": "", "exercises/ex01_a.py": ""}


def test_the_same_files_are_the_same_bytes_and_come_back():
    assert pack(FILES) == pack(dict(reversed(FILES.items())))
    assert unpack(pack(FILES)) == FILES


def archive(*members):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return held.getvalue()


def member(name, kind=tarfile.REGTYPE, link=""):
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


@pytest.mark.parametrize(
    "made",
    [
        member("../up"), member("a/../../up"), member(".git/config"), member("a", tarfile.DIRTYPE),
        member("a", tarfile.SYMTYPE, "b"), member("a", tarfile.SYMTYPE, "/etc/passwd"),
        member("a", tarfile.LNKTYPE, "b"), member("a", tarfile.FIFOTYPE), member("a", tarfile.CHRTYPE),
        member("a\\b"), member("a\nb"), member("/etc/passwd"), member("a/.git/hooks"),
    ],
    ids=lambda made: f"{made.name!r}-{made.type!r}",
)  # fmt: skip
def test_an_archive_of_anything_but_files_of_a_course_is_refused(made):
    with pytest.raises(CourseError, match="the sealed files are no private course"):
        unpack(archive((made, b"")))


def test_a_python_without_filters_of_archives_unpacks_as_well(monkeypatch):
    monkeypatch.delattr(tarfile, "data_filter")  # as in 3.11.2
    assert unpack(pack(FILES)) == FILES


@pytest.mark.parametrize("data", [b"", b"no archive", pack(FILES)[:700]])
def test_what_is_no_archive_is_refused(data):
    with pytest.raises(CourseError, match="the sealed files are no private course"):
        unpack(data)


def test_sizes_and_numbers_have_limits(monkeypatch):
    monkeypatch.setattr(bundle, "MOST_BYTES", 5)
    monkeypatch.setattr(bundle, "MOST_FILES", 2)
    assert len(unpack(archive((member("a"), b"123"), (member("b"), b"45")))) == 2
    with pytest.raises(CourseError, match="too many files, too large"):
        unpack(archive((member("a"), b"123"), (member("b"), b"456")))
    with pytest.raises(CourseError, match="too many files, too large"):
        unpack(archive((member("a"), b""), (member("b"), b""), (member("c"), b"")))
    with pytest.raises(CourseError, match="or one of them twice"):
        unpack(archive((member("a"), b""), (member("a"), b"")))


@pytest.fixture
def tree(tmp_path):
    for path in ("graders/handed_out.json", *RELEASED):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(FILES[path])
    (tmp_path / "grading.yaml").write_text(public_rubric(RUBRIC))
    return tmp_path


def test_a_tree_and_its_own_bundle_belong_together(tree):
    assert differing(FILES, tree, RELEASED) == []


@pytest.mark.parametrize("path", ["graders/handed_out.json", "graders/ex01_a/visible.py", "graders/ex01_a/sizes.py"])
def test_a_public_file_that_differs_or_is_gone_is_named(tree, path):
    (tree / path).write_bytes(b"another")
    assert differing(FILES, tree, RELEASED) == [path]
    (tree / path).unlink()
    assert differing(FILES, tree, RELEASED) == [path]


def test_visible_checks_are_compared_whatever_the_record_says(tree):
    (tree / "graders/ex01_a/visible.py").write_bytes(b"another")
    assert differing(FILES, tree, {}) == ["graders/ex01_a/visible.py"]


def test_line_ends_of_a_checkout_and_a_stub_somebody_works_in_make_no_difference(tree):
    files = FILES | {"graders/ex01_a/visible.py": b"one\ntwo\n"}
    (tree / "graders/ex01_a/visible.py").write_bytes(b"one\r\ntwo\r\n")
    (tree / "exercises/ex01_a.py").write_bytes(b"filled in")
    assert differing(files, tree, RELEASED) == []


@pytest.mark.parametrize(
    ("old", "new", "belongs"),
    [
        ("a: 1", "a: 2", False), ("hidden_points: 2", "hidden_points: 3", False),
        ("objectives: {}", "objectives: []", False),
        ("limits: {}", "limits: {seconds: 9}", True), ("limits: {}", "limits: {}\npost: {hidden: none}", True),
        ("limits: {}", "limits: {}\nnotebook: a.ipynb", False), (RUBRIC[:3], "- a\n", False), (RUBRIC[:3], "\t", False),
    ],
)  # fmt: skip
def test_a_rubric_with_other_points_is_another_and_the_courses_own_settings_are_not(tree, old, new, belongs):
    path = tree / "grading.yaml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert differing(FILES, tree, RELEASED) == ([] if belongs else ["grading.yaml"])
