"""The commands on a small staff repository: what they write, what they refuse, and that a refusal changes nothing."""

import json
import shutil
import stat
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from graders.engine.cli import files
from graders.engine.deliver.release import placing
from graders.engine.deliver.seal import new_key, padded, seal
from graders.engine.errors import UsageError
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.rubric import load_rubric
from graders.engine.load.submission import ExerciseFile
from graders.engine.score.card import card_to_json
from graders.engine.score.scoring import score
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOTHING_GRADED
from tests.deliver.small_upstream import FILES, PRIVATE, PUBLIC, SLUG, STUB
from tests.made_by import PRACTICE

RECORD, BUNDLE = "graders/release.json", "graders/hidden.age"
LESSON, VISIBLE = "exercises/README.md", f"graders/{SLUG}/visible.py"


def edit(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


# ------------------------------------------------------------ keygen


def test_a_key_is_a_file_for_its_owner_and_a_line_for_everybody(small):
    done = small.run("keygen", "course.key")
    assert done.returncode == ALL_PASSED
    recipient = done.stdout.removesuffix("\n")
    assert recipient.startswith("age1")
    assert "\n" not in recipient
    assert stat.S_IMODE(small.key.stat().st_mode) == 0o600
    comment, identity = small.key.read_text().splitlines()
    assert comment == f"# public key: {recipient}"
    assert identity.startswith("AGE-SECRET-KEY-1")
    assert identity not in done.stdout + done.stderr


def test_no_key_is_written_over_or_through_a_link(small):
    small.recipient()
    before = small.key.read_bytes()
    done = small.run("keygen", "course.key")
    assert (done.returncode, done.stdout, small.key.read_bytes()) == (NOTHING_GRADED, "", before)
    assert "course.key is there already" in done.stderr
    (small.folder / "link").symlink_to("elsewhere")
    assert small.run("keygen", "link").returncode == NOTHING_GRADED
    assert not (small.folder / "elsewhere").exists()
    assert "no/course.key cannot be written: No such file" in small.run("keygen", "no/course.key").stderr


@pytest.mark.parametrize("made", ["folder", "file"])  # a worktree and a submodule have a file
def test_no_key_is_put_where_a_commit_could_take_it_along(small, made):
    edit(small.folder, "repository/a/b/notes.txt", "")
    git = small.folder / "repository/.git"
    git.mkdir() if made == "folder" else git.write_text("gitdir: elsewhere\n")
    (small.folder / "link").symlink_to("repository/a")
    for name in ("repository/course.key", "repository/a/b/course.key", "link/b/course.key"):
        done = small.run("keygen", name)
        assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
        assert f"{name} would lie in the git repository " in done.stderr
    assert list(small.folder.rglob("course.key")) == []


# ------------------------------------------------------------ release


def test_a_first_release(small):
    recipient = small.recipient()
    done = small.release("--recipient", recipient)
    assert set(small.files()) == PUBLIC | {RECORD, BUNDLE}
    assert f"written: {len(PUBLIC)}\n" in done.stdout
    assert f"  and {len(PUBLIC) - 10} more\n" in done.stdout
    assert f"sealed anew: {BUNDLE}, to {recipient}" in done.stdout
    assert "The key that opens it is the secret GRADING_KEY" in done.stdout
    assert 'Next: git -C "tree" init -b main; git -C "tree" add --all;' in done.stdout
    record = json.loads(small.files()[RECORD])
    assert record["recipient"] == recipient
    assert set(record["files"]) == PUBLIC | {BUNDLE}


def test_a_release_without_a_key_has_no_hidden_checks_and_says_so(small):
    done = small.release()
    assert set(small.files()) == PUBLIC | {RECORD}
    assert "no hidden checks: there is no key yet" in done.stdout


def test_a_release_into_an_empty_repository(small):
    subprocess.run(["git", "init", "-q", small.tree], check=True, timeout=60)
    head = (small.tree / ".git/HEAD").read_bytes()
    assert 'Next: git -C "tree" add --all;' in small.release().stdout
    assert (small.tree / ".git/HEAD").read_bytes() == head


def test_a_second_release_seals_anew_for_the_key_it_remembers_and_changes_nothing_else(small):
    recipient = small.recipient()
    small.release("--recipient", recipient)
    before = small.files()
    done = small.release()
    after = small.files()
    assert {path for path in after if after[path] != before[path]} == {RECORD, BUNDLE}
    assert json.loads(after[RECORD])["recipient"] == recipient
    assert not [word for word in ("written", "updated", "removed", "kept") if f"{word}:" in done.stdout]


def test_another_key_takes_the_place_of_the_first(small):
    small.release("--recipient", new_key().recipient)
    small.release("--recipient", small.recipient())
    assert small.run("unseal", "whole", "--key", "course.key", "--course", "tree").returncode == ALL_PASSED


def test_what_is_new_upstream_comes_and_what_the_course_added_or_changed_stays(small):
    small.release()
    edit(small.upstream, LESSON, "# Doubling, told better\n")  # without the figure
    edit(small.upstream, f"graders/{SLUG}/given.py", "def third(x):\n    return x / 3\n")
    edit(small.tree, "README.md", "# Our own welcome\n")
    edit(small.tree, "slides/week1.md", "our own\n")
    (small.tree / "LICENSE").unlink()
    done = small.release()
    files = small.files()
    assert files[LESSON] == b"# Doubling, told better\n"
    assert files["README.md"] == b"# Our own welcome\n"
    assert files["slides/week1.md"] == b"our own\n"
    assert not {"LICENSE", "exercises/twice.svg"} & set(files)
    assert f"updated: 2\n  {LESSON}\n  graders/{SLUG}/given.py\n" in done.stdout
    assert "removed: 1\n  exercises/twice.svg\n" in done.stdout
    assert "kept, as the course has changed or deleted it: 2\n  LICENSE\n  README.md\n" in done.stdout
    # What was kept is kept by later releases too.
    small.release()
    assert small.files()["README.md"] == b"# Our own welcome\n"


def test_a_file_that_is_released_no_longer_is_left_to_the_course_that_changed_it(small):
    small.release()
    edit(small.upstream, LESSON, "# Doubling\n")
    edit(small.tree, "exercises/twice.svg", "<svg>ours</svg>\n")
    assert "left to the course, which has changed it: 1\n  exercises/twice.svg\n" in small.release().stdout
    assert "twice.svg" not in small.release().stdout
    assert small.files()["exercises/twice.svg"] == b"<svg>ours</svg>\n"


def test_a_folder_that_a_release_empties_goes(small):
    small.release()
    shutil.rmtree(small.upstream / "graders/engine/judge")
    small.release()
    assert not (small.tree / "graders/engine/judge").exists()
    assert (small.tree / "graders/engine").is_dir()


def test_files_that_both_changed_are_all_named_and_nothing_is_written(small):
    small.release()
    for path in (LESSON, "LICENSE"):
        edit(small.upstream, path, "upstream\n")
    edit(small.upstream, "constraints.txt", "torch==3\n")
    edit(small.tree, LESSON, "course\n")
    (small.tree / "LICENSE").unlink()
    said = small.refused()
    assert f"changed both in the course and in this release:\n  LICENSE\n  {LESSON}\n" in said
    assert "\n  constraints.txt" not in said
    done = small.release("--overwrite")
    assert {small.files()[path] for path in (LESSON, "LICENSE")} == {b"upstream\n"}
    assert "updated: 1\n  constraints.txt\n" in done.stdout
    assert f"written over, though the course had changed or deleted it: 2\n  LICENSE\n  {LESSON}\n" in done.stdout


def test_what_is_written_over_is_named_in_full(small):
    figures = [f"exercises/figure{number}.svg" for number in range(15)]
    links = "".join(f"![]({path.removeprefix('exercises/')})\n" for path in figures)
    edit(small.upstream, LESSON, f"# Doubling\n\n{links}")
    for text in ("<svg/>", "<svg></svg>"):
        for path in figures:
            edit(small.upstream, path, text)
        if text == "<svg/>":
            small.release()
    for path in figures:
        edit(small.tree, path, "<svg>ours</svg>")
    said = small.release("--overwrite").stdout
    assert [path for path in figures if f"  {path}\n" not in said] == []


def test_a_conflict_says_what_the_file_is_called_upstream(small):
    small.release()
    edit(small.upstream, "graders/handout/README.md", "upstream\n")
    edit(small.tree, "README.md", "course\n")
    assert "\n  README.md (upstream graders/handout/README.md)\n--overwrite takes" in small.refused()


def test_overwriting_leaves_what_only_the_course_changed(small):
    small.release()
    edit(small.tree, "README.md", "course\n")
    small.release("--overwrite")
    assert small.files()["README.md"] == b"course\n"


def test_a_file_of_the_courses_own_is_in_the_way_of_a_new_one(small):
    small.release()
    edit(small.upstream, LESSON, "# D\n\n![](new.svg) ![](twice.svg)\n")
    edit(small.upstream, "exercises/new.svg", "<svg/>\n")
    edit(small.tree, "exercises/new.svg", "<svg>ours</svg>\n")
    assert "\n  exercises/new.svg\n" in small.refused()


HELPER = f"graders/{SLUG}/sizes.py"


@pytest.mark.parametrize("path", [VISIBLE, HELPER, f"graders/{SLUG}/given.py", "graders/handed_out.json"])
@pytest.mark.parametrize("harm", ["changed", "deleted"])
def test_a_course_does_not_keep_its_own_of_what_hidden_checks_are_held_against(small, path, harm):
    small.release("--recipient", small.recipient())
    edit(small.tree, path, "# ours\n") if harm == "changed" else (small.tree / path).unlink()
    said = small.refused()
    assert f"hidden checks do not open beside the course's own version of these:\n  {path}\n--overwrite takes" in said
    done = small.run("unseal", "whole", "--key", "course.key", "--course", "tree")
    assert done.returncode == GRADERS_FAULT
    assert f"released with:\n  {path}\n" in done.stderr
    assert not (small.folder / "whole").exists()
    assert f"had changed or deleted it: 1\n  {path}\n" in small.release("--overwrite").stdout
    assert small.run("unseal", "whole", "--key", "course.key", "--course", "tree").returncode == ALL_PASSED


@pytest.mark.parametrize(
    ("old", "new", "fits"),
    [
        ("seconds: 5", "seconds: 9", True), ("limits:", "post: {hidden: none}\nlimits:", True),
        ("shape: 1", "shape: 2", False),
    ],
)  # fmt: skip
def test_a_course_keeps_its_own_settings_and_not_its_own_points(small, old, new, fits):
    small.release("--recipient", small.recipient())
    rubric = small.tree / "grading.yaml"
    rubric.write_text(rubric.read_text().replace(old, new))
    if not fits:
        assert "own version of these:\n  grading.yaml\n" in small.refused()
        small.release("--overwrite")
    else:
        assert "kept, as the course has changed or deleted it: 1\n  grading.yaml\n" in small.release().stdout
    assert (new in rubric.read_text()) is fits
    assert small.run("unseal", "whole", "--key", "course.key", "--course", "tree").returncode == ALL_PASSED


def test_without_hidden_checks_a_course_keeps_its_own_visible_ones(small):
    small.release()
    edit(small.tree, VISIBLE, "# ours\n")
    assert f"kept, as the course has changed or deleted it: 1\n  {VISIBLE}\n" in small.release().stdout


def test_a_stub_that_is_not_the_recorded_one_is_told(small):
    path = f"exercises/{SLUG}.py"
    assert small.release().stderr == ""
    edit(small.upstream, path, STUB.replace("Twice x.", "Two times x."))
    said = f"warning: {path} is not what graders/handed_out.json has, and what that has was released."
    done = small.release()
    assert done.stderr.startswith(said)
    assert "run `grade notebook`, and release again" in done.stderr
    assert small.files()[path].decode() == STUB
    (small.upstream / path).unlink()
    assert small.release().stderr.startswith(said)


def test_places_that_no_release_goes_to(small):
    edit(small.folder, "full/notes.txt", "")
    edit(small.folder, "file", "")
    cases = {
        "upstream": "lie in one another",
        "upstream/tree": "lie in one another",
        ".": "lie in one another",
        "full": "full holds files (notes.txt) but no graders/release.json",
        "file": "file is no folder",
        "no/tree": "no/tree is no folder, and can't become one",
    }
    (small.folder / "link").symlink_to("upstream")
    for place, words in (cases | {"link": "lie in one another"}).items():
        done = small.run("release", place, "--course", "upstream")
        assert (done.returncode, done.stdout) == (NOTHING_GRADED, ""), place
        assert words in done.stderr
    assert not (small.upstream / "tree").exists()


def test_links_and_folders_in_the_way_are_told_and_nothing_goes_through_them(small):
    small.release()
    edit(small.upstream, LESSON, "# New\n")
    edit(small.folder, "outside/README.md", FILES[LESSON])
    shutil.rmtree(small.tree / "exercises")
    (small.tree / "exercises").symlink_to("../outside")
    (small.tree / "LICENSE").unlink()
    (small.tree / "LICENSE").mkdir()
    said = small.refused()
    assert "\n  tree/LICENSE is no file" in said
    assert said.count("tree/exercises is a link") == 1
    assert (small.folder / "outside/README.md").read_text() == FILES[LESSON]


def test_a_record_behind_a_link_is_not_believed(small):
    small.release()
    (small.tree / RECORD).rename(small.folder / "record")
    (small.tree / RECORD).symlink_to("../../record")
    assert f"tree/{RECORD} is a link" in small.refused()


def test_a_broken_record_is_refused(small):
    small.release()
    edit(small.tree, RECORD, '{"version": 1, "files": {"../../upstream/LICENSE": "0"}}')
    assert "is no record of a release" in small.refused()


def test_a_bad_recipient_is_refused_before_anything_is_written(small):
    assert "the recipient is none of age" in small.refused("--recipient", "age1nothing")
    assert not small.tree.exists()


def fill_the_disk(monkeypatch):
    """Let the second file that is written find no space; return the list of those that were begun."""
    real, written = files.Path.write_bytes, []

    def full(path, data):
        written.append(path)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(files.Path, "write_bytes", full)
    return written


def test_a_disk_that_is_full_leaves_the_tree_as_it_was(small, monkeypatch):
    small.release()
    edit(small.upstream, LESSON, "# New\n")
    edit(small.upstream, "LICENSE", "New\n")
    written = fill_the_disk(monkeypatch)
    assert "tree cannot be written: No space left on device; mend" in small.refused()
    assert len(written) == 2
    assert [path.name for path in small.tree.iterdir() if path.name.startswith(".release")] == []


def test_a_disk_that_is_full_at_once_leaves_no_folder(small, monkeypatch):
    monkeypatch.setattr(
        files.Path, "write_bytes", lambda *arguments: (_ for _ in ()).throw(OSError(28, "No space left"))
    )
    assert "tree cannot be written: No space left; mend" in small.refused()
    assert not small.tree.exists()


def cut_after(number, monkeypatch, error):
    """Let a release put so many files in their places, and no more."""
    real, placed = placing._place, []

    def cut(draft, target):
        if len(placed) == number:
            raise error
        placed.append(target)
        real(draft, target)

    monkeypatch.setattr(placing, "_place", cut)


def test_a_release_that_was_cut_off_says_how_far_it_got_and_is_finished_by_the_next(small, monkeypatch):
    small.release()
    for path in (LESSON, "LICENSE", "graders/handout/README.md"):
        edit(small.upstream, path, "New\n")
    with monkeypatch.context() as patch:
        cut_after(1, patch, OSError(5, "Input/output error"))
        done = small.run("release", "tree", "--course", "upstream")
    assert (done.returncode, done.stdout) == (GRADERS_FAULT, "")
    # The figure is no longer linked to, and would have gone.
    assert "tree is written in part: 1 of 4 files, and then: Input/output error. Mend that, and repeat" in done.stderr
    assert "Nothing was done" not in done.stderr
    assert len([data for data in small.files().values() if data == b"New\n"]) == 1
    small.release()
    assert {small.files()[path] for path in (LESSON, "LICENSE", "README.md")} == {b"New\n"}


class Killed(BaseException):
    """What nothing handles."""


@pytest.mark.parametrize("number", [0, 1, 7])
def test_a_first_release_that_was_killed_is_finished_by_the_next(small, monkeypatch, number):
    recipient = small.recipient()
    with monkeypatch.context() as patch:
        cut_after(number, patch, Killed())
        patch.setattr(shutil, "rmtree", lambda *arguments, **options: None)
        patch.setattr(files.Path, "unlink", lambda *arguments, **options: None)
        with pytest.raises(Killed):
            small.run("release", "tree", "--course", "upstream", "--recipient", recipient)
    (draft,) = small.tree.glob(".release-????????")
    assert draft.is_dir()
    (small.tree / ".release-lock").touch()
    small.release("--recipient", recipient)
    assert set(small.files()) == PUBLIC | {RECORD, BUNDLE}
    assert small.run("unseal", "whole", "--key", "course.key", "--course", "tree").returncode == ALL_PASSED


def test_drafts_of_releases_are_removed_and_nothing_of_a_like_name(small):
    small.release()
    edit(small.tree, ".release-0a1b2c3d/exercises/README.md", "a draft")
    edit(small.tree, ".release-notes/README.md", "the course's own")
    edit(small.folder, "elsewhere/README.md", "")
    (small.tree / ".release-00000000").symlink_to("../elsewhere")
    small.release()
    assert not (small.tree / ".release-0a1b2c3d").exists()
    assert small.files()[".release-notes/README.md"] == b"the course's own"
    assert (small.folder / "elsewhere/README.md").exists()


def test_no_two_releases_are_written_at_once(small, monkeypatch):
    small.release()
    monkeypatch.setattr(files, "WAIT_SECONDS", 0.0)
    with files.alone_by(small.tree / ".release-lock"):
        said = small.refused()
    assert "tree cannot be written: another process has been writing it" in said
    small.release()
    assert ".release-lock" not in small.files()


def test_a_lock_that_goes_each_time_still_keeps_all_but_one_out(tmp_path):
    inside, together = [], []

    def enter(number):
        for _ in range(20):
            with files.alone_by(tmp_path / "lock"):
                inside.append(number)
                time.sleep(0.0005)
                together.append(len(inside))
                inside.remove(number)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(enter, range(6)))
    assert set(together) == {1}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["/proc/tree", "n" * 300, "file/tree", "circle"])
def test_a_place_that_cannot_be_written_or_looked_at_is_the_users_to_mend(small, place):
    edit(small.folder, "file", "")
    (small.folder / "circle").symlink_to("circle")
    for command in (["release", place, "--course", "upstream"], ["unseal", place, "--course", "tree"]):
        if command[0] == "unseal":
            small.release("--recipient", small.recipient())
            command += ["--key", "course.key"]
        done = small.run(*command)
        assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
        assert done.stderr.startswith("Nothing was done: ")


def test_a_folder_that_may_not_be_looked_at_is_told(small, monkeypatch):
    small.release()
    real = files.Path.exists

    def shut(path):
        if path.name == "LICENSE":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(files.Path, "exists", shut)
    assert "tree cannot be looked at: Permission denied" in small.refused()


def test_a_notebook_that_somebody_worked_in_is_not_released(small, monkeypatch):
    rubric = small.upstream / "grading.yaml"
    rubric.write_text(rubric.read_text().replace("limits:", "notebook: book.ipynb\nlimits:"))
    edit(small.upstream, LESSON, f"# Doubling\n\nDo [it]({SLUG}.py).\n")
    assert small.run("notebook", "--course", "upstream").returncode == ALL_PASSED
    small.release()
    book = small.upstream / "exercises/book.ipynb"
    assert small.files()["exercises/book.ipynb"] == book.read_bytes()
    fresh = book.read_text()
    book.write_text(fresh.replace("raise NotImplementedError", "return 2 * x  #"))
    said = (
        "book.ipynb is not what the lesson and the recorded stubs make: one of these was edited, or somebody has worked"
    )
    assert said in small.refused(code=GRADERS_FAULT)
    book.write_text(fresh)
    edit(small.upstream, LESSON, f"# Doubling, told better\n\nDo [it]({SLUG}.py).\n")
    assert said in small.refused(code=GRADERS_FAULT)


def test_a_solved_stub_is_not_recorded(small):
    rubric = small.upstream / "grading.yaml"
    rubric.write_text(rubric.read_text().replace("limits:", "notebook: book.ipynb\nlimits:"))
    edit(small.upstream, LESSON, f"# Doubling\n\nDo [it]({SLUG}.py).\n")
    edit(small.upstream, f"exercises/{SLUG}.py", STUB.replace("raise NotImplementedError", "return 2 * x  #"))
    record = (small.upstream / "graders/handed_out.json").read_bytes()
    done = small.run("notebook", "--course", "upstream")
    assert (done.returncode, done.stdout) == (GRADERS_FAULT, "")
    assert f"exercises/{SLUG}.py is no stub: no NotImplementedError is left in it" in done.stderr
    assert "git checkout -- exercises" in done.stderr
    assert (small.upstream / "graders/handed_out.json").read_bytes() == record
    assert not (small.upstream / "exercises/book.ipynb").exists()


def test_a_stub_that_lost_a_todo_since_it_was_recorded_is_not_recorded_anew(small):
    """As solved as the reference is, it could be given; what was handed out before tells."""
    more = "\n\ndef triple(x):\n    {}\n"
    begun, given = (
        STUB + more.format(body) for body in ('raise NotImplementedError("TODO 2: triple")', "return 3 * x")
    )
    rubric = small.upstream / "grading.yaml"
    rubric.write_text(rubric.read_text().replace("limits:", "notebook: book.ipynb\nlimits:"))
    edit(small.upstream, LESSON, f"# Doubling\n\nDo [it]({SLUG}.py).\n")
    edit(small.upstream, "graders/handed_out.json", json.dumps({f"{SLUG}.py": begun}))
    edit(small.upstream, f"exercises/{SLUG}.py", given)
    done = small.run("notebook", "--course", "upstream")
    assert done.returncode == GRADERS_FAULT
    assert (
        "triple has no TODO any more, against what graders/handed_out.json has; if that is meant, take" in done.stderr
    )
    edit(small.upstream, "graders/handed_out.json", "{}")
    assert small.run("notebook", "--course", "upstream").returncode == ALL_PASSED


def test_in_a_released_course_what_is_for_the_staff_repository_is_refused_in_fitting_words(small):
    small.release("--recipient", small.recipient())
    before = small.files()
    cases = {
        ("lint",): "it has no references and no wrong answers",
        ("new", "ex08_more", "More"): "a new exercise is begun where",
        ("notebook",): "its notebook and its stubs are those of the last release",
        ("release", "other"): "it counts its hidden checks and does not have them",
        ("export-autograder", "a.zip"): "it counts its hidden checks and does not have them",
    }
    for arguments, words in cases.items():
        done = small.run(*arguments, "--course", "tree")
        assert (done.returncode, done.stdout) == (NOTHING_GRADED, ""), arguments
        assert done.stderr.startswith(f"Nothing was done: this is a released course: {words}")
        assert done.stderr.endswith("run this command in the staff repository, or give --course DIR\n")
        assert done.stderr.count("\n") == 1
    assert small.files() == before


# ------------------------------------------------------------ unseal


def test_the_private_course_is_opened_for_its_owner(small):
    small.release("--recipient", small.recipient())
    done = small.run("unseal", "whole", "--course", "tree", GRADING_KEY=small.key.read_text())
    assert done.returncode == ALL_PASSED, done.stderr
    whole = small.folder / "whole"
    assert stat.S_IMODE(whole.stat().st_mode) == 0o700
    found = {path.relative_to(whole).as_posix() for path in whole.rglob("*") if path.is_file()}
    assert found == PRIVATE
    assert (whole / "grading.yaml").read_text() == FILES["grading.yaml"]
    assert (whole / f"exercises/{SLUG}.py").read_text() == STUB


def test_what_keeps_it_shut(small):
    small.release("--recipient", small.recipient())
    identity = small.key.read_text().splitlines()[1]
    other = new_key().identity
    (small.folder / "there").mkdir()
    cases = [
        (["whole"], {}, "there is no key: expected --key FILE, or the identity in the variable GRADING_KEY"),
        (["whole"], {"GRADING_KEY": " \n"}, "there is no key"),
        (["whole"], {"GRADING_KEY": other}, "sealed to another key"),
        (["whole"], {"GRADING_KEY": identity[:-3]}, "the key is no age identity"),
        (["whole", "--key", "no.key"], {}, "no.key cannot be read"),
        (["there"], {"GRADING_KEY": identity}, "there is there already"),
        (["no/whole"], {"GRADING_KEY": identity}, "make it first"),
        (["tree/whole"], {"GRADING_KEY": identity}, "lies in the course, where a commit could take it along"),
    ]
    for arguments, variables, words in cases:
        done = small.run("unseal", *arguments, "--course", "tree", **{"GRADING_KEY": "", **variables})
        assert (done.returncode, done.stdout) == (NOTHING_GRADED, ""), arguments
        assert words in done.stderr
        assert identity[20:40] not in done.stderr
        assert other[20:40] not in done.stderr
    assert not (small.folder / "whole").exists()
    assert list((small.folder / "there").iterdir()) == []


def test_a_disk_that_is_full_leaves_nothing_opened(small, monkeypatch):
    small.release("--recipient", small.recipient())
    written = fill_the_disk(monkeypatch)
    done = small.run("unseal", "whole", "--key", "course.key", "--course", "tree")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "whole cannot be written: No space left on device" in done.stderr
    assert len(written) == 2
    assert not (small.folder / "whole").exists()


def test_a_folder_that_appears_meanwhile_is_left_alone(small):
    (small.folder / "whole").mkdir()
    edit(small.folder, "whole/theirs.txt", "")
    with pytest.raises(UsageError, match="whole cannot be written: File exists"):
        placing.write_new(small.folder / "whole", {"ours.txt": b""})
    assert [path.name for path in (small.folder / "whole").iterdir()] == ["theirs.txt"]


def test_a_course_that_is_none_or_has_no_hidden_checks(small):
    said = small.run("unseal", "whole", "--course", "upstream").stderr
    assert "upstream is no released course; run this in the repository that students fork, or give --course DIR" in said
    small.release()
    key = new_key().identity
    assert f"tree/{BUNDLE} cannot be read" in small.run("unseal", "whole", "--course", "tree", GRADING_KEY=key).stderr


def test_a_bundle_of_something_else_is_the_courses_fault(small):
    small.release("--recipient", small.recipient())
    recipient = small.key.read_text().split()[3]
    small.put_bundle(seal(b"no archive", recipient))
    done = small.run("unseal", "whole", "--key", "course.key", "--course", "tree")
    assert done.returncode == GRADERS_FAULT
    assert "the sealed files are no private course" in done.stderr


def test_a_bundle_of_another_release_or_course_does_not_open(small):
    """Visible files are alike; what the hidden checks were then, nobody can tell from these."""
    small.release("--recipient", small.recipient())
    stale = (small.tree / BUNDLE).read_bytes()
    small.release()
    (small.tree / BUNDLE).write_bytes(stale)
    done = small.run("unseal", "whole", "--key", "course.key", "--course", "tree")
    assert (done.returncode, done.stdout) == (GRADERS_FAULT, "")
    assert f"{BUNDLE} is not what the last release wrote, but that of another release or course" in done.stderr
    assert not (small.folder / "whole").exists()


def test_hidden_checks_cannot_run_where_they_are_only_counted(small):
    small.release()
    done = small.run("grade", "tree/exercises", "--course", "tree", "--hidden")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "counts hidden checks, and they are not here; open them with `grade unseal DIR`" in done.stderr


# ------------------------------------------------------------ unseal-card


@pytest.fixture
def card(small):
    rubric = load_rubric(small.upstream / "grading.yaml")
    outcome = Outcome(SLUG, "shape", "has the shape", "implement", "visible", Verdict.PASS)
    return card_to_json(
        score(rubric, [ExerciseFile(SLUG, f"{SLUG}.py", b"", "a" * 64)], [outcome], PRACTICE, "ada", {})
    )


def test_a_sealed_card_is_opened(small, card):
    recipient = small.recipient()
    (small.folder / "card.json.age").write_bytes(seal(padded(card.encode()), recipient))
    done = small.run("unseal-card", "card.json.age", "--json", "card.json", "--key", "course.key")
    assert (done.returncode, done.stdout) == (ALL_PASSED, "wrote card.json\n"), done.stderr
    assert (small.folder / "card.json").read_text() == card


def test_what_is_no_sealed_card(small, card):
    recipient = small.recipient()
    (small.folder / "plain.age").write_text(card)
    (small.folder / "other.age").write_bytes(seal(b"{}", recipient))
    cases = {"plain.age": "never sealed", "other.age": "no score card", "no.age": "cannot be read"}
    for name, words in cases.items():
        done = small.run("unseal-card", name, "--json", "card.json", "--key", "course.key")
        assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
        assert words in done.stderr
    assert not (small.folder / "card.json").exists()
