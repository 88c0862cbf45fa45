"""The command `grade mark`: what is recorded, what a card shows then, what is refused, and that nothing is lost."""

import datetime
import hashlib
import json
import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graders.engine.cli import files
from graders.engine.cli.app import main
from graders.engine.cli.students import student_of, students_folder
from graders.engine.errors import UsageError
from tests.author.conftest import FILES
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOT_ALL_PASSED, NOTHING_GRADED, ROOT, CommandLine

SLUG, FURTHER = "ex91_doubling", "ex92_further"
TODAY = datetime.date.today().isoformat()
RUBRIC = (
    (
        FILES["grading.yaml"]
        + """\
    person:
      words:
        title: why doubling is enough, argued
        objective: explain
        points: 2
        file: ex91_words.md
        criteria: ["1 point: takes a side", "1 point: gives a reason"]
  ex92_further:
    title: Further
    bonus: true
    visible: {shape: 1}
    hidden: {values: 2}
"""
    )
    .replace("  implement: Implement things\n", "  implement: Implement things\n  explain: Explain things\n")
    .replace("seconds: 5", "seconds: 60")
)
ANSWER = FILES[f"reference/{SLUG}.py"]
FLAT = ANSWER.replace("return 2 * x", "return (2 * x).flatten()")
TEXT = "Twice is enough, since more would be too much.\n"
links = pytest.mark.skipif(os.name == "nt", reason="links need rights that Windows rarely gives")
RECORDED = f"Recorded in course/marks.json: ann, words of {SLUG}, "

Card = dict[str, Any]
Mark = Callable[..., str]


@dataclass(frozen=True)
class Place:
    """A folder with the course in course/, and Ann's answer and text in ann/exercises/."""

    root: Path
    command_line: CommandLine

    @property
    def book(self) -> Path:
        return self.root / "course" / "marks.json"

    @property
    def answer(self) -> Path:
        return self.root / "ann" / "exercises" / f"{SLUG}.py"

    @property
    def text(self) -> Path:
        return self.root / "ann" / "exercises" / "ex91_words.md"

    @property
    def card(self) -> Path:
        return self.root / "card.json"

    def marks(self) -> list[dict[str, Any]]:
        marks: list[dict[str, Any]] = read(self.book)["marks"]
        return marks

    def start(self, command: str, *words: object) -> "subprocess.Popen[str]":
        """Start the real command beside the course."""
        return subprocess.Popen(
            [sys.executable, "-m", "graders", command, *map(str, words), "--course", "course"],
            cwd=self.root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def grade(self, *words: object, ends: int = ALL_PASSED) -> str:
        """Grade Ann's exercise into card.json, and return what is printed."""
        done = self.command_line.grade(
            self.root, "ann", "-e", SLUG, "--json", "card.json", *words, "--course", "course"
        )
        assert done.returncode == ends, done.stdout + done.stderr
        return done.stdout + done.stderr


@dataclass(frozen=True)
class Graded:
    """Real cards of Ann's: a right answer with a text, and a wrong one with hidden checks."""

    practice: str
    strict: str


def fill(root: Path, command_line: CommandLine) -> Place:
    """Write the course, and Ann's work."""
    for path, text in FILES.items():
        for name in (path, path.replace(SLUG, FURTHER)):
            (root / "course" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "course" / name).write_text(text, encoding="utf-8")
    (root / "course" / "grading.yaml").write_text(RUBRIC, encoding="utf-8")
    (root / "course" / "exercises" / "ex91_words.md").write_text("# Why is doubling enough?\n", encoding="utf-8")
    place = Place(root, command_line)
    place.answer.parent.mkdir(parents=True)
    place.answer.write_text(ANSWER, encoding="utf-8")
    place.text.write_text(TEXT, encoding="utf-8")
    return place


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, command_line: CommandLine) -> Graded:
    place = fill(tmp_path_factory.mktemp("graded"), command_line)
    place.grade()
    practice = place.card.read_text(encoding="utf-8")
    place.answer.write_text(FLAT, encoding="utf-8")
    place.grade("--hidden", "--seed", 1, ends=NOT_ALL_PASSED)
    return Graded(practice, place.card.read_text(encoding="utf-8"))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command_line: CommandLine) -> Place:
    """A course and Ann's work, in the working folder."""
    monkeypatch.chdir(tmp_path)
    return fill(tmp_path, command_line)


@pytest.fixture
def run(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command line, without the half second that a process of its own takes: its code, output and errors."""

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["grade", "mark", *map(str, words), "--course", "course"])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def mark(run: Callable[..., tuple[int, str, str]]) -> Mark:
    """Marks, which must succeed, and returns the one line that is printed."""

    def mark(target: object, points: object, *words: object, exercise: str = "ex91", note: str = "Good.") -> str:
        code, output, errors = run(target, exercise, "--points", points, "--note", note, *words)
        assert (code, errors) == (0, "")
        assert output.endswith("\n")
        assert output.count("\n") == 1, "one line"
        return output.rstrip("\n")

    return mark


@pytest.fixture
def refuse(run: Callable[..., tuple[int, str, str]], place: Place) -> Mark:
    """Marks, which must record nothing, and returns the message."""

    def written() -> tuple[list[Path], bytes]:
        found = [path for path in place.root.rglob("*marks*") if path.suffix != ".lock"]
        return sorted(found), place.book.read_bytes() if place.book.is_file() else b""

    def refuse(*words: object, ends: int = NOTHING_GRADED) -> str:
        before = written()
        code, output, errors = run(*words)
        assert (code, output) == (ends, "")
        assert written() == before
        return errors

    return refuse


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def check_of(card: Card, name: str) -> dict[str, Any]:
    (found,) = (check for exercise in card["exercises"] for check in exercise["checks"] if check["id"] == name)
    return found


def without_seconds(card: Card) -> Card:
    for exercise in card["exercises"]:
        for check in exercise["checks"]:
            del check["seconds"]
    return card


def digest(text: str) -> str:
    """The digest of a text that a person grades, for which blanks and line ends at its end do not count."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def digest_of_code(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# From waiting to marked


def test_a_text_waits_until_a_person_marks_it_and_grading_again_keeps_the_mark(
    place: Place, graded: Graded, mark: Mark
) -> None:
    before = json.loads(graded.practice)
    assert check_of(before, "words")["verdict"] == "waiting"
    assert (before["student"], before["points"], before["max_points"]) == ("ann", 1, 5)

    place.card.write_text(graded.practice, encoding="utf-8")
    assert mark("card.json", 1, note="A side, and no reason.") == RECORDED + "1/2"
    assert place.marks()[0]["sha256"] == digest(TEXT)
    assert sorted(path.name for path in place.root.iterdir()) == ["ann", "card.json", "course"]
    marked, book = read(place.card), place.book.read_bytes()
    text = check_of(marked, "words")
    assert (text["verdict"], text["points"], marked["points"], marked["total"]) == ("marked", 1, 2, 2)
    assert text["mark"] == {"points": 1, "note": "A side, and no reason.", "date": TODAY, "answer_changed": False}

    place.grade(ends=NOT_ALL_PASSED)
    assert without_seconds(read(place.card)) == without_seconds(marked)

    place.text.write_text("Another answer.\n", encoding="utf-8")
    assert "The answer changed after that" in place.grade(ends=NOT_ALL_PASSED)
    changed = read(place.card)
    assert check_of(changed, "words")["mark"] == {**text["mark"], "answer_changed": True}
    assert changed["points"] == 2
    assert place.book.read_bytes() == book


def test_a_person_can_override_what_a_check_found(place: Place, graded: Graded, mark: Mark) -> None:
    place.card.write_text(graded.strict, encoding="utf-8")
    failed = check_of(read(place.card), "shape")
    assert (failed["verdict"], failed["points"]) == ("fail", 0)
    assert mark("card.json", 1, "--check", "sha") == f"Recorded in course/marks.json: ann, shape of {SLUG}, 1/1"
    overridden = check_of(read(place.card), "shape")
    assert (overridden["verdict"], overridden["points"]) == ("marked", 1)
    assert [overridden[key] for key in ("expected", "got", "hint")] == [
        failed[key] for key in ("expected", "got", "hint")
    ]
    assert place.marks()[0]["sha256"] == digest_of_code(FLAT)
    place.grade()
    again = check_of(read(place.card), "shape")
    assert (again["verdict"], again["points"], again["mark"]["answer_changed"]) == ("marked", 1, True)


def test_a_hidden_check_cannot_be_marked_on_a_card_that_does_not_list_it(
    place: Place, graded: Graded, mark: Mark, refuse: Mark
) -> None:
    place.card.write_text(graded.practice, encoding="utf-8")
    words = ["card.json", "ex91", "--check", "values", "--points", 1, "--note", "n"]
    assert "was made without hidden checks, and does not list values of ex91_doubling" in refuse(*words)
    assert place.card.read_text(encoding="utf-8") == graded.practice
    mark("ann", 1, "--check", "values")
    assert place.marks()[0]["sha256"] == digest_of_code(ANSWER)
    place.card.write_text(graded.strict, encoding="utf-8")
    mark("card.json", 2, "--check", "values")
    assert check_of(read(place.card), "values")["points"] == 2


def test_a_bonus_exercise_can_be_marked_and_stays_apart(place: Place, mark: Mark) -> None:
    shutil.copy(place.answer, place.answer.with_name(f"{FURTHER}.py"))
    mark("ann", 0, "--check", "shape", exercise="ex92")
    output = place.grade("-e", FURTHER, ends=NOT_ALL_PASSED)
    card = read(place.card)
    assert (card["points"], card["max_points"], card["bonus"]) == (1, 5, {"points": 0, "max_points": 3})
    assert "Bonus   0/3" in output


# Marking again


def test_marking_again_replaces_the_mark_and_says_what_it_was(place: Place, mark: Mark) -> None:
    mark("ann", 1, note="A side\nonly.")
    was = f'; it was 1/2, given on {TODAY}: "A side\\nonly."'
    assert mark("ann", 2) == RECORDED + "2/2" + was
    (entry,) = place.marks()
    assert (entry["points"], entry["note"]) == (2, "Good.")


def test_marking_again_by_name_is_about_the_answer_that_was_seen(place: Place, mark: Mark, refuse: Mark) -> None:
    mark("ann", 1)
    place.text.write_text("Another answer.\n", encoding="utf-8")
    (place.root / "ann").rename(place.root / "away")
    assert mark("ann", 2).startswith(RECORDED + "2/2; it was 1/2")
    assert place.marks()[0]["sha256"] == digest(TEXT)
    never = refuse("ann", "ex91", "--check", "shape", "--points", 1, "--note", "n")
    assert "ann has no mark yet for shape of ex91_doubling; give the card or the folder" in never
    other = refuse("ann", "ex91", "--points", 1, "--note", "n", "--student", "bob")
    assert "no student of that name has marks" in other
    mark("away", 2, "--student", "ann")
    assert place.marks()[0]["sha256"] == digest("Another answer.\n")


def test_a_text_that_is_not_there_can_be_marked(place: Place, mark: Mark) -> None:
    place.text.unlink()
    mark("ann", 2, note="Handed in on paper.")
    assert place.marks()[0]["sha256"] is None


# Whose


@pytest.mark.parametrize("name", ["a/b", "Ann Lee", "Zoë", "李", "--ann", "o'neill; rm -rf", "../../etc", "x" * 200])
def test_a_name_may_hold_what_names_hold(name: str, place: Place, mark: Mark) -> None:
    assert f": {name}, words of {SLUG}, 1/2" in mark("ann", 1, f"--student={name}")
    assert place.marks()[0]["student"] == name
    if not name.startswith("--"):
        assert f"{name}, words of {SLUG}, 2/2; it was 1/2" in mark(name, 2)
    assert sorted(path.name for path in place.root.rglob("*marks*")) == [".marks.json.lock", "marks.json"]


def test_a_name_is_the_same_whichever_system_wrote_its_accents(place: Place, mark: Mark) -> None:
    decomposed = unicodedata.normalize("NFD", "Zoë")
    (place.root / "ann").rename(place.root / decomposed)
    mark(decomposed, 1)
    mark(decomposed, 2, "--student", "Zoë")
    assert [entry["student"] for entry in place.marks()] == ["Zoë"]


@pytest.mark.parametrize("name", ["", " ", ".", "..", "a\nb", "ann\x1b[31m", "\u202eann", "ann\u00ad", "x" * 201])
def test_a_name_that_nobody_can_read_is_refused(name: str, refuse: Mark) -> None:
    assert "student" in refuse("ann", "ex91", "--points", 1, "--note", "n", f"--student={name}")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("ann", "ann"),
        ("ann/", "ann"),
        ("ann/exercises", "ann"),
        ("ann/exercises/..", "ann"),
        ("ann/exercises/ex01.py", "ann"),
        ("ann/ex01.py", "ann"),
        (".", "class"),
        ("exercises", "class"),
        ("no/such/path", "such"),
        ("/", None),
        ("odd\x1bname", None),
    ],
)
def test_a_student_is_called_after_the_folder(
    path: str, name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for made in ("class/ann/exercises", "class/exercises", "class/odd\x1bname"):
        (tmp_path / made).mkdir(parents=True)
    (tmp_path / "class/ann/ex01.py").touch()
    (tmp_path / "class/ann/exercises/ex01.py").touch()
    monkeypatch.chdir(tmp_path / "class")
    assert student_of(Path(path), None) == name
    assert student_of(Path(path), "bob") == "bob"
    with pytest.raises(UsageError, match="is no name of a student"):
        student_of(Path(path), " ")


@links
def test_a_link_that_is_called_after_the_student_counts(tmp_path: Path) -> None:
    (tmp_path / "4711").mkdir()
    (tmp_path / "ann").symlink_to("4711")
    assert students_folder(tmp_path / "ann") == tmp_path / "ann"


# What is refused


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["ann", "ex93", "--points", 1], 'there is no exercise "ex93"; there are ex91_doubling, ex92_further'),
        (["ann", "ex9", "--points", 1], "these begin so: ex91_doubling, ex92_further"),
        (["ann", "", "--points", 1], "these begin so: ex91_doubling, ex92_further"),
        (["ann", "ex91", "--points", 1, "--check", "vallues"], 'with the name "vallues"; did you mean "values"?'),
        (["ann", "ex92", "--points", 1], "has no text that only a person grades; name a check with --check: shape,"),
        (["ann", "ex91", "--points", 3], "--points 3: expected 0 to 2, as words of ex91_doubling is worth 2"),
        (["ann", "ex91", "--points", -1], "--points -1: expected 0 to 2"),
        (["ann", "ex91", "--points", 10**30], "expected 0 to 2"),
        (["ann", "ex91", "--points", "1.5"], "Invalid value for '--points'"),
        (["ann", "ex91", "--points", "two"], "Invalid value for '--points'"),
        (["ann", "ex91"], "Missing option '--points'"),
        (["bob", "ex91", "--points", 1], 'there is no card or folder "bob", and no student of that name has marks'),
        (["", "ex91", "--points", 1], "is no name of a student"),
        (["a\x1b[31m", "ex91", "--points", 1], "is no name of a student"),
        (["ann/nothing", "ex91", "--points", 1], "no student of that name has marks"),
        ([os.devnull, "ex91", "--points", 1], "no student of that name has marks"),
        (["long" * 100, "ex91", "--points", 1], "a student's name of 400 characters"),
        (["course/grading.yaml", "ex91", "--points", 1], "course/grading.yaml is no score card (Invalid JSON"),
        (["course/graders", "ex91", "--points", 1], 'nothing to grade in "course/graders"'),
        (["ann", "ex91", "--points", 1, "--marks", "no/marks.json"], "there is no folder no; make it first"),
        (["ann", "ex91", "--points", 1, "--marks", "ann/marks.json"], "lies inside the submission ann"),
        (["ann", "ex91", "--points", 1, "--marks", "ann/exercises/m.json"], "lies inside the submission ann"),
        (["ann/exercises", "ex91", "--points", 1, "--marks", "ann/m.json"], "lies inside the submission ann"),
        (["course/../ann", "ex91", "--points", 1, "--marks", "course/../ann/m.json"], "lies inside the submission"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[object], says: str, refuse: Mark) -> None:
    assert says in " ".join(refuse(*words, "--note", "n").split())


@pytest.mark.parametrize(
    ("note", "says"),
    [
        ("", "--note is empty; expected a sentence for the student"),
        (" \n\t", "--note is empty; expected a sentence for the student"),
        ("x" * 10_000, "--note has 10000 characters; expected 1000 at most"),
        ("a\x1b[2Jb", "--note: character 2 is a control character ('\\x1b'); take it out"),
        ("bell\x07", "--note: character 5 is a control character"),
        ("\ud800", "--note: character 1 is a control character"),
    ],
)
def test_a_note_that_does_not_fit_is_refused(note: str, says: str, refuse: Mark) -> None:
    assert says in refuse("ann", "ex91", "--points", 1, "--note", note)


@pytest.mark.parametrize(
    "note", ["x", "x" * 1000, "two\nlines\tand a tab", "👩\u200d🎓 gut!", "::error::[red]{'\"}</td>"]
)
def test_a_note_may_hold_what_people_write(note: str, place: Place, graded: Graded, mark: Mark) -> None:
    place.card.write_text(graded.practice, encoding="utf-8")
    mark("card.json", 1, note=note)
    assert place.marks()[0]["note"] == note
    assert check_of(read(place.card), "words")["mark"]["note"] == note


@links
def test_a_link_into_the_submission_is_inside_it(place: Place, refuse: Mark) -> None:
    (place.root / "outside").symlink_to("ann", target_is_directory=True)
    words = ["ann", "ex91", "--points", 1, "--note", "n", "--marks", "outside/marks.json"]
    assert "lies inside the submission ann" in refuse(*words)


def test_a_book_in_the_submission_is_not_read_when_it_is_graded(place: Place, mark: Mark) -> None:
    mark("ann", 2)
    place.book.rename(place.root / "ann" / "marks.json")
    assert "lies inside the submission ann" in place.grade("--marks", "ann/marks.json", ends=NOTHING_GRADED)
    assert not place.card.exists()


def test_a_book_elsewhere_is_used_where_it_is_asked_for(place: Place, graded: Graded, mark: Mark) -> None:
    elsewhere = ["--marks", "other.json"]
    assert "there is no such book of marks; `grade mark` begins one" in place.grade(*elsewhere, ends=NOTHING_GRADED)
    place.card.write_text(graded.practice, encoding="utf-8")
    assert mark("card.json", 2, *elsewhere) == f"Recorded in other.json: ann, words of {SLUG}, 2/2"
    assert not place.book.exists()
    marked = without_seconds(read(place.card))
    place.grade(*elsewhere)
    assert without_seconds(read(place.card)) == marked


# Hostile cards


def changed(card: str, path: str, value: object) -> str:
    """The card's JSON with another value at a path such as exercises.0.title."""
    whole = json.loads(card)
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    place: Any = whole
    for key in parents:
        place = place[key]
    place[last] = value
    return json.dumps(whole)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("version", 2, "no score card (version: Input should be 1"),
        ("total", 3, "1 count in total, not 3"),
        ("points", 10**400, "no score card"),
        ("exercises.0.checks.1.points", 2, "the verdict waiting earns 0"),
        ("exercises.0.title", "\x1b[31m" * 1000, "at most 2000 characters"),
        ("student", "\x1b[31mann", "no control or invisible characters"),
        ("student", "\ud800", "no score card"),
        ("exercises.0.sha256", "../../x", "match pattern"),
        ("student", None, "does not say whose card it is; give the name with --student"),
        ("exercises.0.slug", FURTHER, "does not cover ex91_doubling"),
        ("exercises.0.checks.1.id", "letters", "does not list words of ex91_doubling"),
        ("exercises.0.checks.1.max_points", 1, "words of ex91_doubling is worth 1 there and 2 now"),
    ],
)
def test_a_card_that_does_not_fit_is_refused_and_left_as_it_is(
    path: str, value: object, says: str, place: Place, graded: Graded, refuse: Mark
) -> None:
    card = changed(graded.practice, path, value)
    place.card.write_text(card, encoding="utf-8")
    message = refuse("card.json", "ex91", "--points", 2, "--note", "n")
    assert says in message
    assert "\x1b" not in message
    assert len(message) < 1_000
    assert place.card.read_text(encoding="utf-8") == card


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no score card (Invalid JSON"),
        (b"\xff\xfe\x00", "no score card (it is no text)"),
        (b"[" * 200_000, "no score card (Invalid JSON: recursion limit exceeded"),
        (b"{}", "no score card (version: Field required)"),
        (b'{"points": ' + b"9" * 100_000 + b"}", "no score card"),
        (b" " * 20_000_001, "card.json is too large: expected 20000000 bytes at most"),
    ],
    ids=["empty", "bytes", "nested", "nothing in it", "a huge number", "a huge file"],
)
def test_a_file_that_is_no_card_is_refused(data: bytes, says: str, place: Place, refuse: Mark) -> None:
    place.card.write_bytes(data)
    message = refuse("card.json", "ex91", "--points", 2, "--note", "n")
    assert says in message
    assert len(message) < 1_000
    assert place.card.read_bytes() == data


def test_a_card_is_marked_for_the_student_it_names(place: Place, graded: Graded, mark: Mark, refuse: Mark) -> None:
    place.card.write_text(graded.practice, encoding="utf-8")
    words = ["--student", "bob"]
    assert "is the card of ann, and --student says bob" in refuse(
        "card.json", "ex91", "--points", 2, "--note", "n", *words
    )
    place.card.write_text(changed(graded.practice, "student", None), encoding="utf-8")
    mark("card.json", 2, *words)
    assert place.marks()[0]["student"] == "bob"
    assert read(place.card)["student"] is None


@links
def test_a_card_that_is_a_link_is_replaced_and_not_followed(place: Place, graded: Graded, mark: Mark) -> None:
    (place.root / "real.json").write_text(graded.practice, encoding="utf-8")
    place.card.symlink_to("real.json")
    mark("card.json", 2)
    assert (place.root / "real.json").read_text(encoding="utf-8") == graded.practice
    assert check_of(read(place.card), "words")["verdict"] == "marked"


def test_a_card_that_cannot_be_written_does_not_cost_the_mark(
    place: Place, graded: Graded, run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.card.write_text(graded.practice, encoding="utf-8")
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "card.json":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    code, output, errors = run("card.json", "ex91", "--points", 2, "--note", "n")
    assert (code, output) == (GRADERS_FAULT, "")
    assert "the mark is recorded in course/marks.json, but card.json cannot be written anew: No space left" in errors
    assert place.marks()[0]["points"] == 2
    assert place.card.read_text(encoding="utf-8") == graded.practice
    assert sorted(path.name for path in place.root.iterdir()) == ["ann", "card.json", "course"]


# The book


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 2, "marks": []}', '{"version": 1}', "\ufeff{}", "null", "\x00" * 50],
    ids=["empty", "cut off", "a list", "a later version", "no marks", "a mark of bytes", "nothing", "zeros"],
)
def test_a_broken_book_is_said_and_never_written(text: str, place: Place, refuse: Mark) -> None:
    place.book.write_text(text, encoding="utf-8")
    message = refuse("ann", "ex91", "--points", 1, "--note", "n", ends=GRADERS_FAULT)
    assert "course/marks.json is no sound book of marks: " in message
    assert "It was left as it is." in message


def test_nothing_is_graded_by_a_broken_book(place: Place) -> None:
    place.book.write_text("{", encoding="utf-8")
    assert "course/marks.json is no sound book of marks: " in place.grade(ends=GRADERS_FAULT)
    assert not place.card.exists()
    assert place.book.read_text(encoding="utf-8") == "{"


def test_a_book_that_is_a_folder_is_said(place: Place, run: Callable[..., tuple[int, str, str]]) -> None:
    place.book.mkdir()
    code, output, errors = run("ann", "ex91", "--points", 1, "--note", "n")
    assert (code, output) == (GRADERS_FAULT, "")
    assert "the book of marks course/marks.json cannot be read" in errors


def test_a_disk_that_is_full_costs_no_mark_that_is_there(
    place: Place, mark: Mark, refuse: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark("ann", 1)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    message = refuse("ann", "ex91", "--points", 2, "--note", "n", ends=GRADERS_FAULT)
    assert "course/marks.json cannot be written: No space left on device; nothing was recorded" in message
    assert place.marks()[0]["points"] == 1


def test_a_mark_above_what_the_rubric_gives_by_now_is_for_the_course_to_mend(place: Place, mark: Mark) -> None:
    mark("ann", 2)
    rubric = place.root / "course" / "grading.yaml"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("points: 2", "points: 1"), encoding="utf-8")
    says = f"ann has a mark of 2 points for words of {SLUG}, and grading.yaml gives 1 at most"
    assert says in place.grade(ends=GRADERS_FAULT)
    mark("ann", 1)
    assert place.marks()[0]["points"] == 1


@links
def test_a_book_keeps_its_rights_and_its_place(place: Place, mark: Mark) -> None:
    (place.root / "shared").mkdir()
    place.book.symlink_to("../shared/marks.json")
    mark("ann", 1)
    (place.root / "shared" / "marks.json").chmod(0o640)
    mark("ann", 2)
    assert place.book.is_symlink()
    assert place.marks()[0]["points"] == 2
    assert (place.root / "shared" / "marks.json").stat().st_mode & 0o777 == 0o640


def test_marks_that_are_given_at_once_are_all_recorded(place: Place, mark: Mark) -> None:
    mark("ann", 0)
    names = [f"student {number}" for number in range(5)]
    words = ["ann", "ex91", "--points", 1, "--note", "n", "--student"]
    started = [place.start("mark", *words, name) for name in names]
    assert [process.communicate(timeout=200)[1] for process in started] == [""] * len(names)
    assert {entry["student"]: entry["points"] for entry in place.marks()} == {"ann": 0, **dict.fromkeys(names, 1)}


HOLDER = """
import sys, time
from pathlib import Path
from graders.engine.cli import files

with files.alone_with(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(100)
"""
DYING = """
import os, signal, sys
from pathlib import Path
from graders.engine.cli import files

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(*{"before": (os, "fsync"), "after": (Path, "replace")}[sys.argv[2]], die)
with files.alone_with(Path(sys.argv[1])):
    files.write_whole(Path(sys.argv[1]), b"half a book")
"""


def python(program: str, *words: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, encoding="utf-8")


@pytest.fixture
def holder(place: Place) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the book, until it is killed."""
    with python(HOLDER, place.book) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_whoever_marks_waits_for_the_other_and_a_killed_one_holds_nobody_up(
    place: Place, holder: "subprocess.Popen[str]"
) -> None:
    with place.start("mark", "ann", "ex91", "--points", 2, "--note", "n") as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=2)
        assert not place.book.exists()
        holder.kill()
        assert waiting.wait(timeout=100) == 0
    assert place.marks()[0]["points"] == 2


def test_a_book_that_somebody_else_holds_for_good_is_not_written(
    holder: "subprocess.Popen[str]", refuse: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "WAIT_SECONDS", 0.2)
    message = refuse("ann", "ex91", "--points", 1, "--note", "n", ends=GRADERS_FAULT)
    assert "another process has been writing it for" in message
    assert "nothing was recorded" in message


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_writer_that_is_killed_leaves_the_book_as_it_was(when: str, place: Place, mark: Mark) -> None:
    mark("ann", 1)
    before = place.book.read_bytes()
    with python(DYING, place.book, when) as writer:
        assert writer.wait(timeout=100) == -9
    assert place.book.read_bytes() == before
    mark("ann", 2)
    assert place.marks()[0]["points"] == 2


# The command itself


def test_marking_starts_no_host_and_imports_no_torch(place: Place, graded: Graded) -> None:
    place.card.write_text(graded.practice, encoding="utf-8")
    program = (
        "import sys\nfrom graders.engine.cli.app import app\n"
        "for target in ('ann', 'card.json', 'ann'):\n"
        "    words = ['mark', target, 'ex91', '--points', '1', '--note', 'n', '--course', 'course']\n"
        "    app(words, standalone_mode=False)\n"
        "print([name for name in ('torch', 'pytest', 'graders.engine.run.supply') if name in sys.modules])"
    )
    with python(program) as process:
        assert process.communicate(timeout=100)[0].splitlines()[-1] == "[]"
