"""`grade report`: which files it writes and leaves, whom it knows, and what it says to what is no class."""

import datetime

import pytest

from graders.engine.cli import report as command
from graders.engine.cli import report_files
from graders.engine.cli.report import report
from graders.engine.errors import CourseError, UsageError
from graders.engine.gradebook.attempts import Graded, add_attempts
from graders.engine.gradebook.file import make_gradebook, open_gradebook
from graders.engine.gradebook.marks import add_marks
from graders.engine.gradebook.people import put_roster
from graders.engine.load.roster import Roster, RosterRow, read_roster
from graders.engine.score.card import card_to_json
from graders.engine.score.class_folder import card_path, entry_path
from graders.engine.score.marks import Entry
from tests.npm import Packed, kept
from tests.report.class_page.made_class import cards, write_class
from tests.report.class_page.parsed import parse

ROSTER = "login,id,name,email,section\ns0001,7,Ana Sá,,A\ns0002,8,<b>Bo</b>,,B\nnever,9,Never Came,,A\n"


@pytest.fixture
def folder(tmp_path):
    write_class(tmp_path / "class", 6)
    return tmp_path / "class"


def written(out):
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


def index(out):
    return parse((out / "index.html").read_text(encoding="utf-8"))


def test_a_page_for_the_class_and_one_for_each_student(folder, tmp_path, capsys):
    out = tmp_path / "out"
    report(folder, out)
    assert written(out) == ["index.html", *(f"students/s{place:04d}.html" for place in range(6))]
    assert "index.html" in capsys.readouterr().out
    links = {one.attributes["href"] for one in index(out).all("a")}
    assert {f"students/s{place:04d}.html" for place in range(6)} <= links
    for path in (out / "students").iterdir():
        assert (
            parse(path.read_text(encoding="utf-8")).one("nav").one("a").attributes["href"].startswith("../index.html")
        )


def test_pages_are_the_same_from_one_process_and_from_several(folder, tmp_path, monkeypatch):
    report(folder, tmp_path / "one")
    monkeypatch.setattr(report_files, "FEW", 1)
    report(folder, tmp_path / "several")
    assert written(tmp_path / "one") == written(tmp_path / "several")
    for name in written(tmp_path / "one"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "several" / name).read_bytes()


def test_pages_of_students_who_have_left_go_and_other_files_stay(folder, tmp_path):
    out = tmp_path / "out"
    report(folder, out)
    (out / "students" / "mine.html").write_text("<p>notes of my own")
    entry_path(folder, "s0003").unlink()
    report(folder, out)
    assert "students/s0003.html" not in written(out)
    assert "students/mine.html" in written(out)


def test_a_roster_gives_names_and_sections_and_who_is_missing(folder, tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    report(folder, tmp_path / "out", roster=tmp_path / "roster.csv")
    root = index(tmp_path / "out")
    rows = [row.text for row in root.one("table", id="student-table").one("tbody").all("tr")]
    assert any(row.startswith("Ana Sá s0001 A ") for row in rows)
    assert any(row.startswith("<b>Bo</b> s0002 B ") for row in rows)
    assert any(row.startswith("Never Came never A") and row.endswith("handed in nothing") for row in rows)
    assert "6 of 7 handed in and graded; 1 handed in nothing" in root.text
    assert "Handed in, and not on the roster: s0000, s0003, s0004, s0005." in root.text
    assert "Handed in nothing." in parse((tmp_path / "out/students/never.html").read_text(encoding="utf-8")).text


def test_a_gradebook_gives_attempts_and_scores_that_count_and_marks(folder, tmp_path):
    book = tmp_path / "book.sqlite"
    make_gradebook(book, "test")
    later, earlier = list(cards(6))[:2]
    earlier = earlier.model_copy(update={"student": later.student})
    waiting = "ex07_answers", "discussion"
    with open_gradebook(book) as opened:
        for day, card in ((1, earlier), (2, later)):
            at = datetime.datetime(2026, 11, day, tzinfo=datetime.UTC)
            add_attempts(opened, [Graded(str(later.student), at, "a folder", None, card_to_json(card))], "test")
        day = datetime.date(2026, 12, 1)
        mark = Entry(
            student=str(later.student),
            exercise=waiting[0],
            check=waiting[1],
            points=1,
            note="Good.",
            date=day,
            sha256="a" * 64,
        )
        add_marks(opened, [mark], "test")
    report(folder, tmp_path / "out", gradebook=book)
    root = index(tmp_path / "out")
    assert root.one("section", id="tries").one("tbody").text
    page = parse((tmp_path / "out" / "students" / f"{later.student}.html").read_text(encoding="utf-8"))
    assert f"Attempts 1: {earlier.total}, 2: {later.total} points" in page.text
    assert "Counts in the gradebook" in page.text
    assert "by a person on 2026-12-01: Good." in page.text


@pytest.mark.parametrize("with_file", [False, True])
def test_what_came_under_a_former_name_counts_as_in_the_gradebook(folder, tmp_path, with_file):
    book, now = tmp_path / "book.sqlite", tmp_path / "now.csv"
    make_gradebook(book, "test")
    now.write_text("login,id,name\nana,7,Ana Sá\n", encoding="utf-8")
    before = RosterRow("s0001", "7", "Ana Sá", "", "", None)
    card = list(cards(6))[1]
    day = datetime.date(2026, 12, 1)
    mark = Entry(
        student="s0001", exercise="ex07_answers", check="discussion", points=1, note="Good.", date=day, sha256="a" * 64
    )
    with open_gradebook(book) as opened:
        put_roster(opened, Roster((before,)), "test")
        add_attempts(opened, [Graded("s0001", None, "a folder", None, card_to_json(card))], "test")
        add_marks(opened, [mark], "test")
        put_roster(opened, read_roster(now), "test")
    report(folder, tmp_path / "out", gradebook=book, roster=now if with_file else None)
    root = index(tmp_path / "out")
    assert "Overview 6 handed in and graded" in root.text
    assert "Handed in, and not on the roster: s0000, s0002, s0003, s0004, s0005." in root.text
    page = parse((tmp_path / "out" / "students" / "s0001.html").read_text(encoding="utf-8"))
    assert "Ana Sá" in page.text
    assert f"Attempts 1: {card.total} points" in page.text
    assert "Counts in the gradebook" in page.text
    assert "by a person on 2026-12-01: Good." in page.text


def test_the_page_for_the_class_is_alone(folder, tmp_path):
    report(folder, tmp_path / "out", anonymous=True)
    assert written(tmp_path / "out") == ["index.html"]
    with_names = tmp_path / "named"
    report(folder, with_names)
    with pytest.raises(UsageError, match="has pages with names; give the page for the class another folder"):
        report(folder, with_names, anonymous=True)


def test_a_page_that_is_no_report_is_not_overwritten(folder, tmp_path):
    (tmp_path / "index.html").write_text("<p>my home page")
    with pytest.raises(UsageError, match=r"index\.html is no report, and would be lost; give --html another folder"):
        report(folder, tmp_path)
    assert (tmp_path / "index.html").read_text() == "<p>my home page"


def test_what_is_no_class_is_refused_in_words(tmp_path, folder):
    with pytest.raises(UsageError, match="is no class folder"):
        report(tmp_path, tmp_path / "out")
    card_path(folder, "s0001").write_text("{}")
    report(folder, tmp_path / "out")
    assert "Not all is here: some lines do not go with their cards (entries/s0001.json)" in index(tmp_path / "out").text


def test_a_place_that_cannot_be_written_is_named(folder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"--html .*file/students cannot be made"):
        report(folder, tmp_path / "file")


def test_missing_libraries_are_named_with_the_remedy(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "LIBRARIES", ("no_such_library",))
    with pytest.raises(UsageError, match=r'the pages need no_such_library; run `pip install .*\[staff\]"`'):
        report(folder, tmp_path / "out")


def test_a_card_that_changes_meanwhile_is_an_error_in_words(folder, tmp_path, monkeypatch):
    from graders.engine.cli import class_material

    found = class_material.read_material(folder, None, None)
    card_path(folder, "s0001").write_text("{}")
    with pytest.raises(CourseError, match=r"s0001\.json is no score card"):
        report_files.write_for_staff(found, tmp_path / "out")


def test_the_library_for_tables_is_the_packages_own_file():
    here = report_files.__file__
    ours = command.Path(here).parents[1] / "report" / "class_page" / "assets"
    theirs = Packed("datatables.net", "3.1.5", "package/js/dataTables.min.js")
    assert (ours / "dataTables.min.js").read_bytes() == kept(theirs, "dataTables.min.js", bytes).read_bytes()
    assert "MIT License" in (ours / "dataTables.LICENSE.txt").read_text(encoding="utf-8")
