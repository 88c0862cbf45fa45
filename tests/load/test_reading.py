"""What is read of a submission, what is refused, and the words in which a student is told."""

import hashlib
import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from graders.engine.errors import CourseError, SubmissionError
from graders.engine.load.assignment import Assignment
from graders.engine.load.place import MAX_BYTES, MAX_ENTRIES
from graders.engine.load.reading import load_submission

FIRST, SECOND = "ex01_first_step", "ex02_second_one"
SLUGS = (FIRST, SECOND)


def load(path, slugs):
    """The submission at a path, in a course of exercises in Python and without a notebook."""
    return load_submission(path, [Assignment(slug, f"{slug}.py") for slug in slugs])


links = pytest.mark.skipif(os.name == "nt", reason="links and pipes need rights that Windows rarely gives")


@pytest.fixture(params=["descriptors", "paths"], autouse=True)
def way(request, monkeypatch):
    """Every test runs with the system calls of Linux and macOS and again without them, as on Windows."""
    if request.param == "paths":
        monkeypatch.setattr(os, "supports_dir_fd", set())
    elif os.open not in os.supports_dir_fd:
        pytest.skip("this system cannot open files relative to a folder")
    return request.param


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A submission in the working folder, with the first exercise in exercises/."""
    monkeypatch.chdir(tmp_path)
    folder = Path("ann", "exercises")
    folder.mkdir(parents=True)
    (folder / f"{FIRST}.py").write_bytes(b"first = 1\n")
    return folder.parent


@pytest.fixture
def second(root):
    """Where the file of the second exercise belongs."""
    return root / "exercises" / f"{SECOND}.py"


@pytest.fixture
def before_opening(monkeypatch):
    """Has something happen between the look-up of a name and its opening."""
    system_open = os.open

    def before_opening(name, act):
        def opened(path, flags, *args, **kwargs):
            if Path(path).name == name:
                act()
            return system_open(path, flags, *args, **kwargs)

        monkeypatch.setattr(os, "supports_dir_fd", {opened} if os.supports_dir_fd else set())
        monkeypatch.setattr(os, "open", opened)

    return before_opening


def problem_of_second(root):
    file = load(root, SLUGS).files[1]
    assert (file.slug, file.source, file.sha256) == (SECOND, b"", "")
    return file.problem


def failure(path, slugs=SLUGS):
    with pytest.raises(SubmissionError) as caught:
        load(path, slugs)
    return str(caught.value)


# Where the files may lie


def test_files_in_the_folder_exercises(root, second):
    second.write_bytes(b"second = 2\n")
    found = load(root, SLUGS)
    assert [(file.slug, file.label, file.source, file.problem) for file in found.files] == [
        (FIRST, f"exercises/{FIRST}.py", b"first = 1\n", ""),
        (SECOND, f"exercises/{SECOND}.py", b"second = 2\n", ""),
    ]
    assert (found.label, found.notes) == ("ann", ())


def test_the_digest_is_of_the_bytes(root):
    assert load(root, [FIRST]).files[0].sha256 == hashlib.sha256(b"first = 1\n").hexdigest()


def test_files_come_in_the_order_of_the_selection(root, second):
    second.touch()
    assert [file.slug for file in load(root, (SECOND, FIRST)).files] == [SECOND, FIRST]


def test_the_folder_of_the_files_itself(root):
    (root / "exercises").rename(root / "work")
    assert load(root / "work", [FIRST]).files[0].label == f"{FIRST}.py"


def test_a_folder_named_exercises_keeps_its_name_in_labels(root):
    found = load(root / "exercises", [FIRST])
    assert (found.label, found.files[0].label) == ("ann/exercises", f"exercises/{FIRST}.py")


def test_files_in_exercises_win_and_the_ignored_are_named(root):
    (root / f"{FIRST}.py").write_bytes(b"other\n")
    found = load(root, [FIRST])
    assert found.files[0].source == b"first = 1\n"
    assert found.notes == (f"{FIRST}.py beside exercises/ was not read: the files in it count",)


def test_an_exercises_folder_without_exercises_does_not_win(root):
    (root / f"{SECOND}.py").write_bytes(b"direct\n")
    found = load(root, [SECOND])
    assert (found.files[0].source, found.files[0].label) == (b"direct\n", f"{SECOND}.py")
    assert found.notes == ()


def test_one_single_file(root):
    found = load(root / "exercises" / f"{FIRST}.py", [FIRST])
    assert (found.label, found.files[0].label) == (f"ann/exercises/{FIRST}.py", f"exercises/{FIRST}.py")


def test_a_single_file_leaves_the_other_exercises_not_given(root):
    first, second = load(root / "exercises" / f"{FIRST}.py", SLUGS).files
    assert (first.source, second.source) == (b"first = 1\n", b"")
    assert second.problem.startswith(f"not given: only exercises/{FIRST}.py was. Give the folder")


def test_a_single_file_may_have_any_name_if_one_exercise_is_selected(root):
    (root / "my answer.py").write_bytes(b"mine\n")
    file = load(root / "my answer.py", [FIRST]).files[0]
    assert (file.slug, file.label, file.source) == (FIRST, "my answer.py", b"mine\n")


def test_a_single_file_of_another_name_does_not_say_which_exercise_it_is(root):
    (root / "answer.py").touch()
    assert f"expected a file with the name {FIRST}.py or {SECOND}.py" in failure(root / "answer.py")


def test_a_single_file_must_be_python(root):
    (root / "answer.txt").touch()
    assert f"expected a file with the name {FIRST}.py; rename it" in failure(root / "answer.txt", [FIRST])


def test_a_path_outside_the_working_folder_is_shown_in_full(root, monkeypatch):
    absolute = root.resolve()
    assert load(absolute, [FIRST]).label == "ann"
    monkeypatch.chdir(root / "exercises")
    assert load(absolute, [FIRST]).label == absolute.as_posix()


# What a file may hold


@pytest.mark.parametrize("content", [b"", b"def (:\n", b"\x00\xff", b"# \xe9 in Latin-1\n"])
def test_any_bytes_are_read_as_they_are(root, second, content):
    second.write_bytes(content)
    file = load(root, SLUGS).files[1]
    assert (file.source, file.problem) == (content, "")
    assert file.sha256


def test_a_file_of_the_greatest_size_is_read(root, second):
    second.write_bytes(b"#" * MAX_BYTES)
    assert len(load(root, SLUGS).files[1].source) == MAX_BYTES


def test_a_larger_file_is_refused(root, second):
    second.write_bytes(b"#" * 5_000_000)
    assert problem_of_second(root).startswith(f"exercises/{SECOND}.py is too large (5.0 MB); expected 1 MB at most.")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a gap in a file may be written out")
def test_a_gap_of_a_gibibyte_is_refused_without_being_read(root, second):
    second.touch()
    os.truncate(second, 1 << 30)
    assert problem_of_second(root).startswith(f"exercises/{SECOND}.py is too large (1073.7 MB)")


def test_a_file_that_grows_while_it_is_read_is_cut_off(root, second, before_opening):
    second.touch()
    before_opening(second.name, lambda: second.write_bytes(b"#" * 3_000_000))
    assert problem_of_second(root).startswith(f"exercises/{SECOND}.py is too large (3.0 MB)")


# What is not read


@pytest.mark.parametrize("name", ["answer.txt", "answer.pyc", "answer.sh", "answer", ".py", "answer.PY"])
def test_other_kinds_of_files_are_not_read_whatever_a_course_asks_for(root, name):
    (root / "exercises" / name).write_bytes(b"content\n")
    with pytest.raises(CourseError, match=r"cannot be handed in; expected a name that ends in \.py, \.ipynb, \.yaml"):
        load_submission(root, [Assignment(FIRST, name)])


def test_a_pointer_of_lfs_is_no_file(root, second):
    second.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")
    assert problem_of_second(root).startswith(
        f"exercises/{SECOND}.py is a pointer of Git LFS; expected the file itself. Run `git lfs untrack`"
    )


def test_a_missing_file(root):
    assert problem_of_second(root) == (
        f"no file exercises/{SECOND}.py; expected it there. Copy the stub from the course and fill it in."
    )


@pytest.mark.parametrize(
    "name",
    [
        "ex02_second_one (1).py",
        "ex2_second_one.py",
        "ex02-second-one.py",
        "ex02_second_one.py.txt",
        "Copy of ex02_second_one.py",
        "ex02_secnod_one.py",
        "EX02_SECOND_ONE - final.PY",
    ],
)
def test_a_missing_file_with_another_spelling_beside_it(root, name):
    (root / "exercises" / name).touch()
    assert problem_of_second(root) == (
        f'no file exercises/{SECOND}.py; expected it there. There is "{name}": if that is your file, rename it.'
    )


def test_a_name_in_other_capitals_is_another_spelling(root, tmp_path):
    (tmp_path / "Probe").touch()
    if (tmp_path / "probe").exists():
        pytest.skip("this file system does not tell capitals apart")
    (root / "exercises" / "Ex02_Second_One.py").touch()
    assert 'There is "Ex02_Second_One.py"' in problem_of_second(root)


@pytest.mark.parametrize("name", ["ex02_second_one.ipynb", "ex05_quite_another.py", "README.md"])
def test_other_files_are_not_offered_for_renaming(root, name):
    (root / "exercises" / name).touch()
    assert "Copy the stub" in problem_of_second(root)


def test_the_file_of_another_exercise_is_not_offered_for_renaming(root):
    assert "Copy the stub" in load(root, (FIRST, "ex02_first_step")).files[1].problem


def test_a_folder_in_the_place_of_a_file(root, second):
    second.mkdir()
    assert problem_of_second(root) == (f"exercises/{SECOND}.py is a folder; expected a file. Move the folder away.")


@links
@pytest.mark.parametrize("target", [f"{FIRST}.py", "/etc/passwd", "nowhere"])
def test_a_link_in_the_place_of_a_file(root, second, target):
    second.symlink_to(target)
    assert problem_of_second(root) == (
        f"exercises/{SECOND}.py is a link to another place; expected a file. Put a copy there."
    )


@links
def test_a_file_with_a_second_name(root, second):
    os.link(root / "exercises" / f"{FIRST}.py", root / "elsewhere.py")
    second.touch()
    first = load(root, SLUGS).files[0]
    assert first.source == b""
    assert first.problem.startswith(f"exercises/{FIRST}.py has a second name in another place (a hard link)")
    assert "give the copy its name" in first.problem


@links
def test_a_fifo_is_refused_without_waiting_for_a_writer(root, second):
    os.mkfifo(second)
    assert f"exercises/{SECOND}.py is a pipe or a device; expected a file" in problem_of_second(root)


@links
def test_a_socket_is_refused(root, second, monkeypatch):
    monkeypatch.chdir(second.parent)  # the path of a socket has to be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(second.name)
        assert "is a pipe or a device" in load(Path(), SLUGS).files[1].problem


@links
def test_a_device_is_refused(root, second):
    try:
        os.mknod(second, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    assert "is a pipe or a device" in problem_of_second(root)


@links
def test_a_fifo_put_in_place_after_the_look_up_is_refused_too(root, second, before_opening):
    second.touch()

    def swap():
        second.unlink()
        os.mkfifo(second)

    before_opening(second.name, swap)
    assert "is a pipe or a device" in problem_of_second(root)


@links
def test_a_link_put_in_place_after_the_look_up_is_not_followed(root, second, before_opening, tmp_path):
    (tmp_path / "secret").write_text("secret")
    second.touch()

    def swap():
        second.unlink()
        second.symlink_to(tmp_path / "secret")

    before_opening(second.name, swap)
    assert f"exercises/{SECOND}.py cannot be read" in problem_of_second(root)


@links
def test_a_folder_exchanged_for_a_link_after_the_look_up_is_not_entered(root, way, before_opening):
    if way == "paths":
        pytest.skip("only descriptors protect from this")

    def swap():
        (root / "exercises").rename(root / "elsewhere")
        (root / "exercises").symlink_to("elsewhere")

    before_opening("exercises", swap)
    assert "exercises cannot be opened" in failure(root)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read everything")
def test_a_file_that_may_not_be_read(root, second):
    second.touch(mode=0)
    assert problem_of_second(root).startswith(f"exercises/{SECOND}.py cannot be read (Permission denied)")


def test_an_error_of_the_system_is_the_files_problem(root, second, before_opening):
    second.touch()

    def deny():
        raise PermissionError(13, "Permission denied")

    before_opening(second.name, deny)
    assert problem_of_second(root) == (
        f"exercises/{SECOND}.py cannot be read (Permission denied); expected a file you may read."
    )


# Links above the file


@links
def test_a_link_in_the_place_of_the_folder_exercises(root):
    (root / "exercises").rename(root / "elsewhere")
    (root / "exercises").symlink_to("elsewhere")
    message = failure(root)
    assert "exercises is a link to another place; expected a folder. Copy the files into one." in message


@links
def test_a_linked_folder_exercises_is_ignored_if_there_are_files_beside_it(root):
    (root / "exercises").rename(root / "elsewhere")
    (root / "exercises").symlink_to("elsewhere")
    (root / f"{FIRST}.py").write_bytes(b"direct\n")
    found = load(root, [FIRST])
    assert found.files[0].source == b"direct\n"
    assert found.notes[0].startswith("exercises is a link to another place")
    assert "only the files beside it are graded" in found.notes[0]


@links
def test_the_path_itself_may_be_a_link_to_a_folder(root):
    Path("shortcut").symlink_to(root)
    found = load(Path("shortcut"), [FIRST])
    assert (found.label, found.files[0].source) == ("shortcut", b"first = 1\n")


@links
def test_the_path_itself_may_be_a_link_to_a_file(root):
    Path("shortcut.py").symlink_to(root / "exercises" / f"{FIRST}.py")
    file = load(Path("shortcut.py"), [FIRST]).files[0]
    assert (file.label, file.source) == ("shortcut.py", b"first = 1\n")


def test_a_file_in_the_place_of_the_folder_exercises(root):
    (root / "exercises" / f"{FIRST}.py").unlink()
    (root / "exercises").rmdir()
    (root / "exercises").touch()
    assert "exercises is not a folder; expected one with the exercise files." in failure(root)


# Nothing to grade


def test_a_path_that_does_not_exist(root):
    message = failure(Path("bob"))
    assert message.startswith('nothing to grade in "bob":\n  it cannot be opened (No such file or directory)')
    assert message.endswith(
        "Give a folder with exercises/ in it, the folder of the exercise files itself, "
        f"or one exercise file, such as {FIRST}.py."
    )


def test_an_empty_folder(root):
    Path("bob").mkdir()
    message = failure(Path("bob"))
    assert all(f"no file {slug}.py; expected it there." in message for slug in SLUGS)
    assert "the folder is empty" in message


def test_a_folder_of_other_things_is_described(root):
    for name in "abcdefg":
        Path("bob", name).mkdir(parents=True)
    assert "the folder holds a, b, c, d, e and 2 more" in failure(Path("bob"))


@links
def test_every_problem_is_in_the_message_if_no_file_is_read(root, second):
    (root / "exercises" / f"{FIRST}.py").unlink()
    second.symlink_to("nowhere")
    message = failure(root)
    assert f"no file exercises/{FIRST}.py" in message
    assert f"exercises/{SECOND}.py is a link" in message


@links
def test_a_path_that_is_neither_file_nor_folder(root):
    os.mkfifo("pipe.py")
    assert "neither a folder nor an ordinary file" in failure(Path("pipe.py"), [FIRST])


@links
def test_names_cannot_steer_a_terminal(root):
    nasty = Path("bob\n\x1b[31m\u202e")
    (nasty / "exercises").mkdir(parents=True)
    (nasty / "exercises" / f"{FIRST}\x1b]0;x\x07.py").touch()
    (nasty / "\x9b2J").touch()
    message = failure(nasty, [FIRST])
    assert r'nothing to grade in "bob\n\x1b[31m\u202e":' in message
    assert rf'There is "{FIRST}\x1b]0;x\x07.py"' in message
    assert r"the folder holds exercises, \x9b2J" in message


@links
def test_names_that_are_no_text_can_be_printed(root):
    Path(os.fsdecode(b"bob\xff")).mkdir()
    failure(Path(os.fsdecode(b"bob\xff"))).encode("utf-8")


# What lies beside the file


def test_modules_and_packages_beside_a_file_are_named(root):
    folder = root / "exercises"
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").touch()
    (folder / "data").mkdir()
    for name in ("helper.py", f"{SECOND}.py", "not importable.py", "README.md", "model.pyc"):
        (folder / name).touch()
    first, second = load(root, SLUGS).files
    assert first.neighbours == (SECOND, "helper", "tools")
    assert second.neighbours == (FIRST, "helper", "tools")


def test_so_many_neighbours_and_no_more(root):
    for number in range(300):
        (root / "exercises" / f"helper{number}.py").touch()
    assert len(load(root, [FIRST]).files[0].neighbours) == 200


def test_a_folder_of_very_many_files_and_a_deep_one_are_not_walked(root, second):
    second.write_bytes(b"second = 2\n")
    deep = root / "exercises" / os.path.join(*"d" * 100)
    deep.mkdir(parents=True)
    for number in range(MAX_ENTRIES + 100):
        os.close(os.open(root / "exercises" / f"a{number}", os.O_CREAT))
    found = load(root, SLUGS)
    assert [file.source for file in found.files] == [b"first = 1\n", b"second = 2\n"]


@links
def test_links_beside_a_file_are_not_followed(root, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (root / "exercises" / "package").symlink_to(tmp_path / "package")
    assert load(root, [FIRST]).files[0].neighbours == ()


@pytest.mark.parametrize("name", ["torch", "numpy", "math", "random", "typing"])
def test_a_file_that_hides_a_module_is_pointed_out_once(root, second, name):
    second.touch()
    (root / "exercises" / f"{name}.py").touch()
    assert load(root, SLUGS).notes == (
        f"exercises/{name}.py is not part of the submission, "
        f"and can hide the real {name} when you run your file yourself; rename it",
    )


def test_a_package_that_hides_a_module_is_pointed_out(root):
    (root / "exercises" / "numpy").mkdir()
    (root / "exercises" / "numpy" / "__init__.py").touch()
    [note] = load(root, [FIRST]).notes
    assert note.startswith("exercises/numpy/ is not part of the submission")


def test_a_folder_without_code_hides_nothing(root):
    (root / "exercises" / "random").mkdir()
    assert load(root, [FIRST]).notes == ()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_no_folder_stays_open(root):
    before = len(os.listdir("/proc/self/fd"))
    load(root, SLUGS)
    failure(root, ["ex09_none"])
    assert len(os.listdir("/proc/self/fd")) == before
