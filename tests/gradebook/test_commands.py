"""The commands `grade gradebook` and `grade export` of a gradebook: what they say, to whom, and their exit codes."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graders.engine.cli.gradebook import changing
from graders.engine.cli.gradebook.common import whoever
from graders.engine.gradebook.attempts import digest
from graders.engine.score.marks import MarksBook, book_to_json
from tests.command_line import ALL_PASSED, GRADERS_FAULT, NOTHING_GRADED, ROOT, CommandLine, Ended
from tests.gradebook.material import SLUG, after, card, class_folder, mark, tamper
from tests.report.lms import CanvasUser, canvas_import

RUBRIC = f"""\
version: 1
limits: {{seconds: 5, memory_mib: 512}}
late: {{deadline: 2026-12-18T23:59:00+01:00, grace_minutes: 15, percent_per_day: 10, at_most_percent: 50}}
objectives: {{o: An objective}}
exercises:
  {SLUG}:
    title: Plain
    visible: {{done: 12, open: 8}}
"""
ROSTER = """\
login,id,name,email,section,extension
ada,0042,"Lovelace, Ada",ada@example.org,A,
ben-b,0043,Ben,Ben.B@example.org,B,48
cleo,,Cleo,,,2026-12-24T08:00+01:00
"""


class Desk:
    """A folder with a course, a roster and a gradebook, and the commands typed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "course").mkdir()
        (folder / "course" / "grading.yaml").write_text(RUBRIC, encoding="utf-8")
        for name in ("exercises", "graders", "reference"):
            (folder / "course" / name).mkdir()
        (folder / "roster.csv").write_text(ROSTER, encoding="utf-8")

    def run(self, *arguments: object) -> Ended:
        # No student code runs, so that no supply of workers is asked for.
        return CommandLine(supply=None).run(self.folder, *arguments)  # type: ignore[arg-type]

    def grade(self, *arguments: object) -> str:
        """Run a command about the gradebook that succeeds, and return what it printed."""
        done = self.run("gradebook", *arguments)
        assert (done.returncode, done.stderr) == (ALL_PASSED, "")
        return done.stdout

    def edit_course(self, old: str, new: str) -> None:
        assert RUBRIC.count(old) == 1
        (self.folder / "course" / "grading.yaml").write_text(RUBRIC.replace(old, new), encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk with a new gradebook of three students."""
    desk = Desk(tmp_path)
    assert desk.grade("init", "class.sqlite", "--course", "course").startswith("Made class.sqlite; ")
    assert desk.grade("roster", "class.sqlite", "roster.csv", "--who", "prof") == (
        "class.sqlite: 3 students added, 0 changed, 0 as they were\n"
    )
    return desk


def test_a_class_from_the_roster_to_the_final_scores(desk: Desk) -> None:
    folder = class_folder(
        desk.folder / "graded",
        (card("ada", 12), after(hours=30)),
        (card("ben-b", 15), after(hours=30)),
        (card("mallory", 20), None),
        nothing=("cleo",),
    )
    done = desk.run("gradebook", "add", "class.sqlite", folder)
    assert done == Ended(
        ALL_PASSED,
        "class.sqlite: 3 attempts added, 0 graded anew, 0 there already\n",
        "no card, as nothing could be graded: cleo\nnot in the roster: mallory\n",
    )
    assert desk.run("gradebook", "add", "class.sqlite", folder).stdout == (
        "class.sqlite: 0 attempts added, 0 graded anew, 3 there already\n"
    )
    marks = MarksBook(version=1, marks=(mark("ada", 4, note="half\nof it"),))
    (desk.folder / "marks.json").write_text(book_to_json(marks), encoding="utf-8")
    assert desk.grade("marks", "class.sqlite", "marks.json", "--who", "ta") == (
        "class.sqlite: 1 marks added, 0 newer, 0 as they were\n"
    )
    done = desk.run("gradebook", "show", "class.sqlite", "--course", "course")
    assert done == Ended(
        ALL_PASSED,
        "ada: 13/20, the only attempt\n"
        "ben-b: 15/20, the only attempt\n"
        "cleo: 0/20, no attempt: nothing was handed in, or nothing that could be graded\n"
        "mallory: 20/20, the only attempt\n",
        "not in the roster: mallory\n",
    )
    assert desk.grade("show", "class.sqlite", "ADA@example.org", "--course", "course") == (
        "ada: 13/20\n"
        "- the only attempt\n"
        "- 16/20 points in the exercises\n"
        f'- a person gave 4/8 points for open of {SLUG} on 2026-12-01: "half of it"\n'
        "- lateness takes off 3 of 16 points: handed in 2026-12-20 04:59 UTC, 1 day 6 hours after it was due "
        "2026-12-18 22:59 UTC; 2 days begun, 10 % for each: 20 % off, rounded down to whole points\n"
    )
    assert desk.grade("check", "class.sqlite").startswith("class.sqlite is whole: ")
    log = desk.grade("log", "class.sqlite", "ada").splitlines()
    me = f"{whoever(None)}:"
    assert [line.split(" ")[1] for line in log] == ["prof:", me, me, "ta:"]
    assert len(desk.grade("log", "class.sqlite").splitlines()) == 2 + 3 + 6 + 1


def test_exports_name_who_is_missing_and_who_is_unknown(desk: Desk) -> None:
    cards = (card("ada", 12), None), (card("mallory", 20), None)
    desk.run("gradebook", "add", "class.sqlite", class_folder(desk.folder / "graded", *cards))
    done = desk.run("export", "class.sqlite", "--to", "canvas", "--column", "Positions", "--course", "course")
    assert done.returncode == ALL_PASSED
    assert done.stderr == (
        "not in the roster, and so in no file for others: mallory\nno attempt, and so 0 points: ben-b, cleo\n"
    )
    users = [CanvasUser("900", "0042", "x", "y"), CanvasUser("901", "0043", "z", "w")]
    assert canvas_import(done.stdout, users, {}).grades == {("Positions", "900"): 12, ("Positions", "901"): 0}
    (desk.folder / "canvas.csv").write_text("Student,ID,Section,Positions (7)\nAda Lovelace,900,A,\n", encoding="utf-8")
    by_template = desk.run(
        "export", "class.sqlite", "--to", "canvas", "--column", "Positions", "--template", "canvas.csv",
        "--course", "course",
    )  # fmt: skip
    assert canvas_import(by_template.stdout, users, {"7": "P"}).grades == {("P", "900"): 12}
    moodle = desk.run("export", "class.sqlite", "--to", "moodle", "--course", "course")
    assert '"Lovelace, Ada",0042,ada@example.org,A,12,' in moodle.stdout
    desk.edit_course("done: 12", "done: 13")
    desk.grade("course", "class.sqlite", "--course", "course")
    changed = desk.run("export", "class.sqlite", "--to", "moodle", "--course", "course").stderr
    assert "graded when the course had another maximum than 21 points: ada, mallory" in changed
    table = desk.run("export", "class.sqlite", "--to", "csv", "--course", "course")
    assert [line["points"] for line in csv.DictReader(io.StringIO(table.stdout))] == ["12", "0", "0", "20"]


def test_another_late_policy_counts_when_somebody_says_so(desk: Desk) -> None:
    folder = class_folder(desk.folder / "graded", (card("ada", 20), after(hours=30)))
    desk.run("gradebook", "add", "class.sqlite", folder)
    desk.edit_course("percent_per_day: 10", "percent_per_day: 20")
    done = desk.run("gradebook", "show", "class.sqlite", "ada", "--course", "course")
    assert done.stdout.startswith("ada: 16/20\n")
    assert "counts by another late policy or maximum than course/grading.yaml has now" in done.stderr
    assert desk.grade("course", "class.sqlite", "--course", "course") == (
        "class.sqlite counts by 20 points and a late policy\n"
    )
    assert desk.grade("show", "class.sqlite", "ada", "--course", "course").startswith("ada: 12/20\n")
    assert "as it did before" in desk.grade("course", "class.sqlite", "--course", "course")


def test_what_a_roster_changes_is_named(desk: Desk) -> None:
    changed = ROSTER.replace("A,\n", "B,24\n").replace("cleo,,Cleo,,,2026-12-24T08:00+01:00\n", "dora,9,Dora,,,\n")
    (desk.folder / "roster.csv").write_text(changed, encoding="utf-8")
    assert desk.run("gradebook", "roster", "class.sqlite", "roster.csv") == Ended(
        ALL_PASSED,
        "changed: ada: section A -> B, extension nothing -> 24\n"
        "class.sqlite: 1 students added, 1 changed, 1 as they were\n",
        "in the gradebook, and not in this roster: cleo\n",
    )


def test_marks_that_differ_are_named(desk: Desk) -> None:
    def bring(*marks: object) -> Ended:
        text = book_to_json(MarksBook(version=1, marks=marks))  # type: ignore[arg-type]
        (desk.folder / "marks.json").write_text(text, encoding="utf-8")
        return desk.run("gradebook", "marks", "class.sqlite", "marks.json")

    bring(mark("ada", 4, day=3))
    assert bring(mark("ada", 5, day=3)).stdout.startswith(f"ada, open of {SLUG}: 5, it was 4 of 2026-12-03\n")
    assert bring(mark("ada", 1, day=2)).stderr == (
        f"older than the mark that is in force, and not taken: ada, open of {SLUG}, of 2026-12-02\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("gradebook", "init", "class.sqlite", "--course", "course"), NOTHING_GRADED, "is there already"),
        (("gradebook", "show", "no.sqlite"), NOTHING_GRADED, "there is no no.sqlite; `grade gradebook init no.sqlite`"),
        (("gradebook", "check", "roster.csv"), NOTHING_GRADED, "roster.csv is no gradebook"),
        (("gradebook", "show", "class.sqlite", "zoe\x1b[2J"), NOTHING_GRADED, 'nobody called "zoe\\x1b[2J" is in'),
        (("gradebook", "add", "class.sqlite", "course"), NOTHING_GRADED, "is no class folder"),
        (("gradebook", "roster", "class.sqlite", "no.csv"), NOTHING_GRADED, "no.csv"),
        (("gradebook", "marks", "class.sqlite", "no.json"), NOTHING_GRADED, "there is no no.json"),
        (("gradebook", "marks", "class.sqlite", "roster.csv"), GRADERS_FAULT, "no sound book of marks"),
        (("export", "class.sqlite", "--to", "csv", "--column", "X"), NOTHING_GRADED, "csv has titles of its own"),
        (("export", "class.sqlite", "--to", "moodle", "--template", "roster.csv"), NOTHING_GRADED, "for --to canvas"),
        (("export", "class.sqlite", "--to", "canvas", "--template", "roster.csv"), NOTHING_GRADED, "Canvas wrote"),
        (("export", "class.sqlite", "--to", "canvas", "--column", "Final Score"), NOTHING_GRADED, "give another"),
        (("export", "class.sqlite", "--to", "junit", "--column", "X"), NOTHING_GRADED, "what a gradebook becomes"),
        (("export", "class.sqlite", "--to", "junit"), NOTHING_GRADED, "is no score card"),
        (("export", "roster.csv", "--to", "csv"), NOTHING_GRADED, "is no gradebook"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(desk: Desk, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = desk.run(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr


def test_without_a_roster_there_is_nothing_for_others(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.grade("init", "class.sqlite", "--course", "course")
    desk.run("gradebook", "add", "class.sqlite", class_folder(tmp_path / "graded", (card("ada", 12), None)))
    done = desk.run("export", "class.sqlite", "--to", "moodle", "--course", "course")
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "has no roster, and moodle knows students by that" in done.stderr
    assert (
        desk.run("export", "class.sqlite", "--to", "csv", "--course", "course")
        .stdout.splitlines()[1]
        .startswith("ada,")
    )


def test_damage_is_the_graders_fault_and_named(desk: Desk) -> None:
    tamper(desk.folder / "class.sqlite", "UPDATE roster SET extension = '99' WHERE login = 'ada'")
    done = desk.run("gradebook", "check", "class.sqlite")
    assert (done.returncode, done.stdout) == (GRADERS_FAULT, "")
    assert "- roster: what came with entry" in done.stderr
    assert "Bring back a copy of it." in done.stderr


def test_a_log_that_somebody_wrote_into_is_shown_as_it_stands(desk: Desk) -> None:
    tamper(desk.folder / "class.sqlite", "UPDATE log SET new = '[1]', who = 'x' || char(27) WHERE number = 3",
           "UPDATE log SET new = '{' WHERE number = 4")  # fmt: skip
    lines = desk.grade("log", "class.sqlite").splitlines()
    assert lines[2].endswith(" x\\x1b: roster ada: [1]")
    assert lines[3].endswith(" roster ben-b: {")


def test_an_add_that_ends_midway_is_finished_by_the_next_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    cards = [(card("ada", 1), None), *((card(f"s{number}", 3), None) for number in range(5))]
    folder = class_folder(desk.folder / "graded", *cards)
    monkeypatch.setattr(changing, "AT_ONCE", 2)
    broken, entry = folder / "cards" / "s3.json", folder / "entries" / "s3.json"
    whole, told = broken.read_text(encoding="utf-8"), entry.read_text(encoding="utf-8")
    other = json.dumps(json.loads(whole) | {"total": 99})  # a card that contradicts itself, and a line that means it
    broken.write_text(other, encoding="utf-8")
    entry.write_text(told.replace(digest(whole), digest(other)), encoding="utf-8")
    assert desk.run("gradebook", "add", "class.sqlite", folder).returncode == GRADERS_FAULT
    broken.write_text(whole, encoding="utf-8")
    entry.write_text(told, encoding="utf-8")
    done = desk.run("gradebook", "add", "class.sqlite", folder)
    assert done.stdout == "class.sqlite: 2 attempts added, 0 graded anew, 4 there already\n"


def test_a_gradebook_needs_no_torch() -> None:
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['torch', 'numpy', 'pytest'])); sys.argv = ['grade', "
        "'gradebook', 'show', 'no.sqlite']; from graders.engine.cli.app import main; main()"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (NOTHING_GRADED, "")
    assert "there is no no.sqlite" in done.stderr
