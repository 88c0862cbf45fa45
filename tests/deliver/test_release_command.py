"""The commands on a small staff repository: what they write, what they refuse, and that a refusal changes nothing."""

import json
import shutil
import stat
import subprocess

import pytest

from graders.engine.deliver.release import tree
from graders.engine.deliver.seal import new_key, seal
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.load.rubric import load_rubric
from graders.engine.load.submission import ExerciseFile
from graders.engine.score.card import card_to_json
from graders.engine.score.scoring import score
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
    assert done.returncode == 0
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
    assert (done.returncode, done.stdout, small.key.read_bytes()) == (2, "", before)
    assert "course.key is there already" in done.stderr
    (small.folder / "link").symlink_to("elsewhere")
    assert small.run("keygen", "link").returncode == 2
    assert not (small.folder / "elsewhere").exists()
    assert "no/course.key cannot be written" in small.run("keygen", "no/course.key").stderr


# ------------------------------------------------------------ release


def test_a_first_release(small):
    recipient = small.recipient()
    done = small.release("--recipient", recipient)
    assert set(small.files()) == PUBLIC | {RECORD, BUNDLE}
    assert f"written: {len(PUBLIC)}\n" in done.stdout
    assert f"  and {len(PUBLIC) - 10} more\n" in done.stdout
    assert f"sealed anew: {BUNDLE}, to {recipient}" in done.stdout
    assert "GRADING_KEY" in done.stdout
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
    small.release()
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
    assert small.run("unseal", "whole", "--key", "course.key", "--course", "tree").returncode == 0


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
    small.release("--overwrite")
    assert {small.files()[path] for path in (LESSON, "LICENSE")} == {b"upstream\n"}


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


def test_a_course_that_keeps_its_own_visible_checks_hears_that_hidden_ones_will_not_open(small):
    small.release("--recipient", small.recipient())
    edit(small.tree, VISIBLE, FILES[VISIBLE] + "# ours\n")
    assert f"warning: hidden checks belong to another {VISIBLE} than the course keeps" in small.release().stderr
    done = small.run("unseal", "whole", "--key", "course.key", "--course", "tree")
    assert done.returncode == 3
    assert f"released with:\n  {VISIBLE}\n" in done.stderr
    assert not (small.folder / "whole").exists()


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
        assert (done.returncode, done.stdout) == (2, ""), place
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


def test_a_disk_that_is_full_leaves_the_tree_as_it_was(small, monkeypatch):
    small.release()
    edit(small.upstream, LESSON, "# New\n")
    edit(small.upstream, "LICENSE", "New\n")
    real, written = tree.Path.write_bytes, []

    def full(path, data):
        written.append(path)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(tree.Path, "write_bytes", full)
    assert "tree can't be written" in small.refused()
    assert len(written) == 2
    assert [path.name for path in small.tree.iterdir() if path.name.startswith(".release")] == []


def test_a_release_that_was_cut_off_is_finished_by_the_next(small, monkeypatch):
    small.release()
    for path in (LESSON, "LICENSE", "README.md"):
        edit(small.upstream, "graders/handout/README.md" if path == "README.md" else path, "New\n")
    real, placed = tree._place, []

    def cut(draft, target):
        placed.append(target)
        if len(placed) == 2:
            raise OSError(5, "Input/output error")
        real(draft, target)

    with monkeypatch.context() as patch:
        patch.setattr(tree, "_place", cut)
        assert small.run("release", "tree", "--course", "upstream").returncode == 2
    assert len([data for data in small.files().values() if data == b"New\n"]) == 1
    small.release()
    assert {small.files()[path] for path in (LESSON, "LICENSE", "README.md")} == {b"New\n"}


def test_a_notebook_that_somebody_worked_in_is_not_released(small, monkeypatch):
    rubric = small.upstream / "grading.yaml"
    rubric.write_text(rubric.read_text().replace("limits:", "notebook: book.ipynb\nlimits:"))
    edit(small.upstream, LESSON, f"# Doubling\n\nDo [it]({SLUG}.py).\n")
    assert small.run("notebook", "--course", "upstream").returncode == 0
    small.release()
    book = small.upstream / "exercises/book.ipynb"
    assert small.files()["exercises/book.ipynb"] == book.read_bytes()
    book.write_text(book.read_text().replace("raise NotImplementedError", "return 2 * x  #"))
    assert "book.ipynb is not what the lesson and the recorded stubs make" in small.refused(code=3)


# ------------------------------------------------------------ unseal


def test_the_private_course_is_opened_for_its_owner(small):
    small.release("--recipient", small.recipient())
    done = small.run("unseal", "whole", "--course", "tree", GRADING_KEY=small.key.read_text())
    assert done.returncode == 0, done.stderr
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
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert words in done.stderr
        assert identity[20:40] not in done.stderr
        assert other[20:40] not in done.stderr
    assert not (small.folder / "whole").exists()
    assert list((small.folder / "there").iterdir()) == []


def test_a_course_that_is_none_or_has_no_hidden_checks(small):
    assert "upstream is no released course" in small.run("unseal", "whole", "--course", "upstream").stderr
    small.release()
    key = new_key().identity
    assert f"tree/{BUNDLE} cannot be read" in small.run("unseal", "whole", "--course", "tree", GRADING_KEY=key).stderr


def test_a_bundle_of_something_else_is_the_courses_fault(small):
    small.release("--recipient", small.recipient())
    recipient = small.key.read_text().split()[3]
    (small.tree / BUNDLE).write_bytes(seal(b"no archive", recipient))
    done = small.run("unseal", "whole", "--key", "course.key", "--course", "tree")
    assert done.returncode == 3
    assert "the sealed files are no private course" in done.stderr


def test_hidden_checks_cannot_run_where_they_are_only_counted(small):
    small.release()
    done = small.run("grade", "tree/exercises", "--course", "tree", "--hidden")
    assert (done.returncode, done.stdout) == (2, "")
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
    (small.folder / "card.json.age").write_bytes(seal(card.encode(), recipient))
    done = small.run("unseal-card", "card.json.age", "--json", "card.json", "--key", "course.key")
    assert (done.returncode, done.stdout) == (0, "wrote card.json\n"), done.stderr
    assert (small.folder / "card.json").read_text() == card


def test_what_is_no_sealed_card(small, card):
    recipient = small.recipient()
    (small.folder / "plain.age").write_text(card)
    (small.folder / "other.age").write_bytes(seal(b"{}", recipient))
    cases = {"plain.age": "never sealed", "other.age": "no score card", "no.age": "cannot be read"}
    for name, words in cases.items():
        done = small.run("unseal-card", name, "--json", "card.json", "--key", "course.key")
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
    assert not (small.folder / "card.json").exists()
