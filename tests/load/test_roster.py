"""The roster as people keep it, in every dialect of CSV, and what is said where it cannot be right."""

import datetime
import pickle

import pytest

from graders.engine.errors import UsageError
from graders.engine.load import table
from graders.engine.load.roster import Extension, RosterRow, read_roster

PLAIN = "login,id,name,email,section,extension\nada,1815,Ada Lovelace,ada@example.org,A,48\n"
ADA = RosterRow("ada", "1815", "Ada Lovelace", "ada@example.org", "A", Extension(hours=48))


def read(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return read_roster(path)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (PLAIN, "utf-8"),
        (PLAIN, "utf-8-sig"),
        (PLAIN.replace("\n", "\r\n"), "utf-8-sig"),
        (PLAIN.replace("\n", "\r"), "utf-8"),
        (PLAIN.replace(",", ";"), "utf-8"),
        (PLAIN.replace(",", "\t"), "utf-8"),
        ("sep=;\r\n" + PLAIN.replace(",", ";"), "utf-8"),
        ("\n\n" + PLAIN + "\n,,,,,\n", "utf-8"),
        (PLAIN.replace("login,id,name,email", "LOGIN,Id, Name ,E-Mail"), "utf-8"),
        (PLAIN.replace("login,id", '"login","id"').replace("Ada Lovelace", '" Ada Lovelace "'), "utf-8"),
        ("extension,e_mail,name,section,id,login\n48,ada@example.org,Ada Lovelace,A,1815,ada\n", "utf-8"),
        (PLAIN.replace("extension\n", "extension,,\n").replace("48\n", "48,,,,\n"), "utf-8"),
    ],
)
def test_dialects(tmp_path, text, encoding):
    roster = read(tmp_path, text, encoding)
    assert (roster.rows, roster.unread) == ((ADA,), ())


def test_columns_that_nobody_asked_for_are_told(tmp_path):
    roster = read(tmp_path, "name,=grade,id,Notes\nAda,7,1815,x\n")
    assert [row.student for row in roster.rows] == ["1815"]
    assert [line.rpartition(": ")[2] for line in roster.unread] == [
        "the column =grade is not read",
        "the column Notes is not read",
    ]


@pytest.mark.parametrize(
    ("cell", "extension"),
    [
        ("", None),
        ("48", Extension(hours=48)),
        (" 1 ", Extension(hours=1)),
        ("2026-12-01T23:59+01:00", Extension(until=datetime.datetime(2026, 12, 1, 22, 59, tzinfo=datetime.UTC))),
        ("2026-12-01 22:59:00Z", Extension(until=datetime.datetime(2026, 12, 1, 22, 59, tzinfo=datetime.UTC))),
    ],
)
def test_extensions(tmp_path, cell, extension):
    assert read(tmp_path, f"login,extension\nada,{cell}\n").rows[0].extension == extension


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty; expected a line with login, id, name"),
        ("\n \n", "is empty"),
        ("ada\nbob\n", ":1: no column has a name that is known; expected a first line with login, id, name"),
        (PLAIN.encode("utf-16"), "is in UTF-16"),
        (PLAIN.encode("utf-16-le"), "is in UTF-16"),
        (b"login,name\nada,Ad\xe1\n", ":2: not UTF-8"),
        ('login,name\nada,"Ada\n', ":2: unexpected end of data"),
        ('login,name\nada,"A"da\n', ":2: "),
        ("login,Login\nada,x\n", ":1: the column login stands there twice"),
        ("login,name\nada,Ada,Lovelace\n", ":2: 3 cells, and the first line has 2"),
        ("login,section\nada,A\n,B\n", ":3: login: neither login nor id, name or email"),
        ("login\nada\nADA\n", ':3: login: "ada" stands in line 2 as well'),
        ("login,id\nada,7\nbob,7\n", ':3: id: "7" stands in line 2 as well'),
        ("login,email\nada,a@b.c\nbob,A@B.C\n", ':3: email: "a@b.c" stands in line 2 as well'),
        ("login,id\nada,\n,ADA\n", ":3: login, id, email or name: "),
        ("name\nAda\nada\n", ":3: login, id, email or name: "),
        ("login,name\nada,A\u202eda\n", ":2: name: a name has letters"),
        ("login\na\0b\n", "is in UTF-16, or no text"),
        ("login\n..\n", ':2: login: ".." is no name of a student'),
        (f"login\n{'a' * 201}\n", ":2: login: a name of 201 characters; expected 200 at most"),
        ("login,email\nada,ada\n", ':2: email: "ada" is no e-mail address'),
        ("login,extension\nada,0\n", ":2: extension: 0 hours; expected 1 to 100000"),
        (f"login,extension\nada,{'9' * 5000}\n", f":2: extension: {'9' * 20} hours"),
        ("login,extension\nada,two days\n", ":2: extension: 'two days' is no moment; expected a moment as 2026"),
        ("login,extension\nada,2026-12-01T23:59\n", ":2: extension: '2026-12-01T23:59' has no time zone"),
        ("login,extension\nada,2026-12-01\n", "has no time zone"),
        ("login,extension\nada,0001-01-01T00:00+14:00\n", "lies in another age"),
        ("login,extension\nada,-5\n", "is no moment"),
    ],
)
def test_what_cannot_be_right(tmp_path, text, words):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert words in str(caught.value)
    assert "roster.csv" in str(caught.value)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(UsageError, match="expected a roster: CSV"):
            read_roster(path)
    monkeypatch.setattr(table, "MAX_ROWS", 1)
    with pytest.raises(UsageError, match="has 2 rows; expected one for each student, and 1 at most"):
        read(tmp_path, "login\nada\nbob\n")
    with pytest.raises(UsageError, match="is larger than 0 MB"):
        table.read_bytes(tmp_path / "roster.csv", "a roster", 5)


CLASS = (
    'login,id,name,email\nada,1815,Ada Lovelace,ada@example.org\nbob,1938,"Kahn, Bob",bob@example.org\n'
    "max1,1,Max Mu\u0308ller,m1@example.org\nmax2,2,Max M\u00fcller,m2@example.org\n1815,3,Eve,eve@example.org\n"
    'pat,4,"O\'Brien, Pat",\nasha,5,\u0906\u0936\u093e \u0926\u0947\u0935\u0940,\n'
)


@pytest.mark.parametrize(
    ("text", "student"),
    [
        ("ada", "ada"),
        ("ADA", "ada"),
        ("1938", "bob"),
        ("1815", "1815"),  # a login comes before an id
        ("Ada@Example.org", "ada"),
        ("ada lovelace", "ada"),
        ("  Ada   Lovelace ", "ada"),
        ("Kahn, Bob", "bob"),
        ("Bob Kahn", "bob"),
        ("Pat O'Brien", "pat"),
        ("OBrien, Pat", "pat"),  # as Moodle calls a folder
        ("Lovelace, Ada", None),
        ("Max M\u00fcller", None),
        ("nobody", None),
        ("", None),
        ("\x07", None),
    ],
)
def test_finding_somebody(tmp_path, text, student):
    found = pickle.loads(pickle.dumps(read(tmp_path, CLASS))).find(text)
    assert (found.student if found else None) == student


def test_names_of_several_and_names_without_blanks(tmp_path):
    roster = read(tmp_path, CLASS)
    assert [roster.is_shared(name) for name in ("Max M\u00fcller", "m\u00fcllermax", "Ada Lovelace", "x")] == [
        True,
        True,
        False,
        False,
    ]
    assert [row.student for row in roster.named("lovelaceada")] == ["ada"]
    assert [row.student for row in roster.named("kahnbob")] == ["bob"]
    assert [row.student for row in roster.named("\u0926\u0947\u0935\u0940\u0906\u0936\u093e")] == ["asha"]
    assert [row.student for row in roster.named("m\u00fcllermax")] == ["max1", "max2"]


@pytest.mark.parametrize(
    ("row", "student"), [(",7,Ada,a@b.c", "7"), (",,Ada,a@b.c", "a@b.c"), (",,Ada,", "Ada"), ("x,7,Ada,a@b.c", "x")]
)
def test_the_name_that_marks_are_kept_under(tmp_path, row, student):
    assert read(tmp_path, f"login,id,name,email\n{row}\n").rows[0].student == student
