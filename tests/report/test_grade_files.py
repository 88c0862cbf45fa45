"""Final scores for Canvas and Moodle and as CSV: read by the rules of those who import them, nobody loses a point."""

import csv
import io

import pytest

from graders.engine.clean import csv_cell
from graders.engine.errors import UsageError
from graders.engine.report.canvas import canvas, canvas_by_template, read_template
from graders.engine.report.grade_rows import GradeRow
from graders.engine.report.gradebook_csv import HEADER, gradebook_csv
from graders.engine.report.moodle import moodle
from tests.report.lms import CanvasUser, canvas_import, moodle_import

TITLE, MOST = "Positions", 40
FORMULA = "=cmd|'/c calc'!A1"


def row(student: str, **facts: object) -> GradeRow:
    plain = {
        "known": True,
        "login": student,
        "id": "",
        "name": student.title(),
        "email": f"{student.title()}@Example.org",
    }
    return GradeRow(
        **{
            "student": student,
            "section": "",
            "points": 31,
            "max_points": MOST,
            "attempt": 1,
            "reasons": ("the only attempt", "31/40 points in the exercises"),
            **plain,
            **facts,
        }
    )


ADA = row("ada", id="0042", name="Lovelace, Ada", section="A and B")
BEN = row("ben", id="43", name="Ben", points=0, attempt=0, reasons=("nothing handed in",))
CLEO = row("cleo", name="Cleo", points=40)
EVE = row("eve", name=FORMULA, id="@SUM(1)", email="+eve@example.org", section="\tB;=1", reasons=('a note:\n"=1+1"',))
MALLORY = row("mallory", known=False, login="", name="", email="")
ROWS = [ADA, BEN, CLEO, EVE, MALLORY]
USERS = [
    CanvasUser("900", "0042", "a.lovelace", "Ada L."),
    CanvasUser("901", "43", "ada", "Ben"),  # somebody else's login there is Ada's here
    CanvasUser("902", "44", "cleo", "Cleopatra"),
]


def test_canvas_finds_everybody_by_what_is_theirs() -> None:
    made = canvas(ROWS, TITLE, MOST)
    found = canvas_import(made.text, USERS, {})
    assert found.grades == {(TITLE, "900"): 31, (TITLE, "901"): 0, (TITLE, "902"): 40}
    assert (found.possible, found.new) == ({TITLE: MOST}, [TITLE])
    assert found.nobody == [csv_cell(FORMULA)]


def test_what_a_person_should_know_is_said() -> None:
    assert canvas(ROWS, TITLE, MOST).notes == (
        "not in the roster, and so in no file for others: mallory",
        "no attempt, and so 0 points: ben",
        "written otherwise, so that no spreadsheet takes it for a formula (id, login): eve",
    )


DOWNLOADED = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Homework (71),Positions (72),Final Score\r\n"
    "    Points Possible,,,,,10,40,(read only)\r\n"
    '"Lovelace, Ada",900,0042,a.lovelace,A,3,,12.00\r\n'
    "Ben,901,,ada,A,,,\r\n"
    '"Patra, Cleo",902,,,B,,12,\r\n'
    '"Student, Test",999,,tester,B,,,\r\n'
)


def test_with_a_template_canvas_knows_everybody_by_its_own_number() -> None:
    cleo = row("cleo", name="Cleo Patra", points=40)
    made = canvas_by_template([ADA, BEN, cleo, EVE], TITLE, MOST, read_template(DOWNLOADED))
    found = canvas_import(made.text, USERS, {"71": "Homework", "72": "Positions"})
    assert found.grades == {("Positions", "900"): 31, ("Positions", "901"): 0, ("Positions", "902"): 40}
    assert (found.new, found.nobody) == ([], [])
    assert made.text.splitlines()[0] == "Student,ID,SIS User ID,SIS Login ID,Section,Positions (72)"
    assert "left out, as nobody in the template is surely that student: eve" in made.notes
    assert "in the template and not in the roster: Student, Test" in made.notes


def test_a_login_that_is_two_peoples_is_nobodys() -> None:
    twice = DOWNLOADED.replace("tester", "ADA")
    made = canvas_by_template([row("ada", name="", email="")], TITLE, MOST, read_template(twice))
    assert canvas_import(made.text, USERS, {"72": "Positions"}).grades == {}
    assert "left out, as nobody in the template is surely that student: ada" in made.notes


def test_two_students_do_not_share_a_row_of_the_template() -> None:
    others = [
        row("x", id="900", name=""),  # a number of ours that is another's there
        row("gone", id="7", name="Ada Lovelace"),  # a namesake, who is not in Canvas
        row("cleo1", name="Cleo Patra"),
        row("cleo2", name="Cleo Patra"),
    ]
    made = canvas_by_template([*others, ADA], TITLE, MOST, read_template(DOWNLOADED.replace("cleo,", ",")))
    assert "left out, as nobody in the template is surely that student: x, gone, cleo1, cleo2" in made.notes
    assert canvas_import(made.text, USERS, {"72": "Positions"}).grades == {("Positions", "900"): 31}


def test_a_template_with_semicolons_is_read() -> None:
    found = read_template('Student;ID;Section;Positions (72)\n"Lovelace, Ada";900;A;1,5\n')
    assert (found.columns, found.rows) == (("Student", "ID", "Section"), (("Lovelace, Ada", "900", "A"),))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "a,b\n1,2\n",
        "Student,ID\nada,1\n",
        "ID,Student,Section\n",
        "Student,SIS User ID,Section\n",
        '"',
        "\x00",
    ],
)
def test_what_canvas_never_wrote_is_no_template(text: str) -> None:
    with pytest.raises(UsageError, match="is no gradebook that Canvas wrote"):
        read_template(text)


@pytest.mark.parametrize(
    "title",
    ["Final Score", "final grade of all", "Points, current", "Override status", "Grade (override)", "Section", "ID",
     "Student", "SIS User ID", "Points Possible", "Email address", "", " ", " x", "a\nb", "=1", "a;b", "x" * 201],
)  # fmt: skip
def test_a_title_that_canvas_would_drop_or_mistake_is_refused(title: str) -> None:
    with pytest.raises(UsageError, match=r"--column"):
        canvas(ROWS, title, MOST)
    with pytest.raises(UsageError, match=r"--column"):
        moodle(ROWS, title)


@pytest.mark.parametrize("title", ["Positions", "Exercises 1 to 7", "Finally, positions", "Übung 3 (12)"])
def test_other_titles_are_kept(title: str) -> None:
    assert list(canvas_import(canvas([ADA], title, MOST).text, USERS, {}).possible) == [title]


def test_moodle_finds_everybody_by_address_or_number_and_reads_why() -> None:
    made = moodle(ROWS, TITLE)
    addresses = {"Ada@Example.org": "ada", "Ben@Example.org": "ben", "Cleo@Example.org": "cleo"}
    found = moodle_import(made.text, addresses, "Email address", TITLE, f"{TITLE} feedback", MOST)
    assert found.grades == {"ada": 31, "ben": 0, "cleo": 40}
    assert found.feedback["ada"] == "the only attempt; 31/40 points in the exercises"
    assert found.nobody == [csv_cell(EVE.email)]
    numbers = moodle_import(made.text, {"0042": "ada", "43": "ben"}, "ID number", TITLE, None, MOST)
    assert numbers.grades == {"ada": 31, "ben": 0}


def test_moodle_is_told_nobody_without_address_and_number_and_nothing_above_the_maximum_unsaid() -> None:
    made = moodle([row("ada", email=""), row("ben", points=45), MALLORY], TITLE)
    assert made.notes == (
        "not in the roster, and so in no file for others: mallory",
        "left out, since the roster has neither e-mail nor id: ada",
        "above the maximum, which Moodle takes only where its setting unlimitedgrades is on: ben",
    )
    users = {"Ben@Example.org": "ben"}
    with pytest.raises(ValueError, match="ben has 45"):
        moodle_import(made.text, users, "Email address", TITLE, None, MOST)
    assert moodle_import(made.text, users, "Email address", TITLE, None, MOST, unlimited=True).grades == {"ben": 45}


def test_the_plain_table_has_everybody_and_why() -> None:
    made = gradebook_csv(ROWS)
    header, *lines = csv.reader(io.StringIO(made.text, newline=""))
    assert tuple(header) == HEADER
    assert [line[0] for line in lines] == ["ada", "ben", "cleo", "eve", "mallory"]
    assert lines[0] == ["ada", "ada", "0042", "Lovelace, Ada", "Ada@Example.org", "A and B", "31", "40", "1", "yes",
                        "the only attempt; 31/40 points in the exercises"]  # fmt: skip
    assert lines[4][9] == "no"


def test_no_cell_is_a_formula_and_numbers_are_whole() -> None:
    files = [
        canvas(ROWS, TITLE, MOST),
        canvas_by_template(ROWS, TITLE, MOST, read_template(DOWNLOADED.replace("Ben", '"=1+1"'))),
        moodle(ROWS, TITLE),
        gradebook_csv(ROWS),
    ]
    for made in files:
        for line in csv.reader(io.StringIO(made.text, newline="")):
            assert [cell for cell in line if cell.lstrip().startswith(("=", "+", "-", "@", "\t"))] == []
        assert "31," in made.text or "31\r" in made.text
        assert "31.0" not in made.text


def test_a_thousand_points_have_no_comma() -> None:
    made = canvas([row("ada", id="0042", points=1234)], TITLE, 2000)
    assert canvas_import(made.text, USERS, {}).grades == {(TITLE, "900"): 1234}
