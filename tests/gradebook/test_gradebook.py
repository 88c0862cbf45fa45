"""What a gradebook keeps: attempts, people, marks, what they come to, and who changed what."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.engine.errors import UsageError
from graders.engine.gradebook.attempts import Came, add_attempts, attempts, attempts_of
from graders.engine.gradebook.file import Gradebook, open_gradebook
from graders.engine.gradebook.finals import finals
from graders.engine.gradebook.log import entries
from graders.engine.gradebook.marks import add_marks, marks_in_force
from graders.engine.gradebook.people import put_roster, roster
from graders.engine.gradebook.proof import problems
from graders.engine.gradebook.settings import Settings, keep_settings, settings
from graders.engine.load.roster import Extension, Roster, RosterRow
from tests.gradebook.material import (
    ADA,
    BEN,
    CLASS,
    CLEO,
    POLICY,
    WORTH,
    after,
    card,
    give,
    graded,
    mark,
    new_gradebook,
)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Gradebook]:
    """A gradebook with the class in it, which is whole when the test ends."""
    with open_gradebook(new_gradebook(tmp_path / "class.sqlite")) as book:
        yield book
        assert list(problems(book)) == []


def points(book: Gradebook) -> dict[str, int]:
    return {name: final.points for name, final in finals(book).items()}


def told(book: Gradebook) -> list[tuple[str, str | None]]:
    return [(entry.what, entry.student) for entry in entries(book.connection)]


def test_everybody_in_the_roster_has_a_final_score(book: Gradebook) -> None:
    assert list(finals(book)) == ["ada", "ben-b", "cleo"]
    for final in finals(book).values():
        assert (final.points, final.max_points, final.attempt) == (0, WORTH, None)
        assert final.reasons == ("no attempt: nothing was handed in, or nothing that could be graded",)


# ------------------------------------------------------------ attempts


def test_the_same_card_twice_is_one_attempt(book: Gradebook) -> None:
    assert [give(book, card("ada", 12)) for _ in range(2)] == [Came.NEW, Came.KNOWN]
    assert len(list(attempts(book, "ada"))) == 1


def test_a_card_that_differs_in_seconds_alone_adds_nothing(book: Gradebook) -> None:
    give(book, card("ada", 12))
    before = told(book)
    assert give(book, card("ada", 12, seconds=0.7)) is Came.KNOWN
    assert told(book) == before


def test_work_graded_anew_is_the_same_attempt_with_its_newest_card(book: Gradebook) -> None:
    give(book, card("ada", 12), after(hours=-1))
    assert give(book, card("ada", 9), after(hours=-1)) is Came.AGAIN
    assert [each.points for each in attempts(book, "ada")] == [9]
    assert points(book)["ada"] == 9
    assert told(book)[-2:] == [("card", "ada"), ("card", "ada")]
    assert give(book, card("ada", 12), after(hours=-1)) is Came.AGAIN  # back to the first card
    assert points(book)["ada"] == 12


def test_other_work_or_another_moment_is_another_attempt(book: Gradebook) -> None:
    came = [
        give(book, card("ada", 12), after(hours=-9)),
        give(book, card("ada", 12), after(hours=-2)),
        give(book, card("ada", 15, work="b"), after(hours=-2)),
        give(book, card("ada", 3, work="c")),
    ]
    assert came == [Came.NEW] * 4
    # Nobody knows when the last one came, so that it stands first.
    assert [each.points for each in attempts(book, "ada")] == [3, 12, 12, 15]


def test_work_graded_anew_under_another_name_keeps_its_place(book: Gradebook) -> None:
    for name, earned, work in [("ada", 20, "a"), ("ada", 12, "b"), ("ADA", 14, "a")]:
        give(book, card(name, earned, work=work), after(hours=-1))
    assert [attempt.card.points for attempt in attempts_of(book, "ada", "ADA")] == [14, 12]


def test_an_unknown_time_is_no_way_around_a_known_one(book: Gradebook) -> None:
    late = after(days=2)
    for name, student in [("ada", "ada"), ("BEN-B", "ben-b"), ("CLEO", "cleo")]:
        first, second = ((late, None), (None, late))[student == "ada"]
        give(book, card(name, 10), first)
        give(book, card(student, 10 if student == "ada" else 20), second)
    assert [len(final.reasons) for final in finals(book).values()] == [3, 3, 3]
    # Ben has two days more, and the newer card counts, whatever was known when it came.
    assert points(book) == {"ada": 8, "ben-b": 20, "cleo": 16}


def test_of_some_cards_all_are_added_or_none(book: Gradebook) -> None:
    strange = graded(card("ben-b", 4))
    with pytest.raises(ValueError, match="the card of ben-b"):
        add_attempts(book, [graded(card("ada", 3)), type(strange)("cleo", None, "", None, strange.card)], "tests")
    assert list(attempts(book, "ada")) == []


def test_attempts_under_any_name_of_a_student_are_that_students(book: Gradebook) -> None:
    give(book, card("Ada Lovelace", 5, work="b"), after(hours=-3))
    give(book, card("ada@example.org", 7, work="c"), after(hours=-2))
    give(book, card("ada", 6), after(hours=-1))
    final = finals(book)["ada"]
    assert (final.points, final.attempt) == (7, 2)


def test_attempts_of_somebody_else_stand_after_the_roster(book: Gradebook) -> None:
    give(book, card("mallory", 20))
    assert list(points(book).items()) == [("ada", 0), ("ben-b", 0), ("cleo", 0), ("mallory", 20)]


# ------------------------------------------------------------ the roster


def test_a_roster_again_changes_nothing(book: Gradebook) -> None:
    before = told(book)
    came = put_roster(book, CLASS, "tests")
    assert (came.added, came.changed, came.absent, told(book)) == ((), (), (), before)


def test_a_student_is_known_by_login_id_or_email(book: Gradebook) -> None:
    renamed = RosterRow("lovelace", ADA.id, ADA.name, ADA.email, "C", Extension(until=after(days=3)))
    came = put_roster(book, Roster((renamed,)), "tests")
    assert came.changed == (
        "lovelace: login ada -> lovelace, section A -> C, extension nothing -> 2026-12-21T22:59:00+00:00",
    )
    assert (came.added, came.absent, came.moved) == ((), ("ben-b", "cleo"), ())
    assert roster(book).rows == (renamed, BEN, CLEO)


def test_nobody_is_taken_out(book: Gradebook) -> None:
    assert put_roster(book, Roster(()), "tests").absent == ("ada", "ben-b", "cleo")
    assert roster(book).rows == CLASS.rows


def test_two_students_of_one_name_are_refused_whole(book: Gradebook) -> None:
    eve, ben = RosterRow("eve", "", "", "", "", None), RosterRow("ben-b", "", "Ben", "ADA@example.org", "", None)
    with pytest.raises(UsageError, match=r'ada and ben-b would both have the email "ADA@example\.org"'):
        put_roster(book, Roster((eve, ben)), "tests")
    with pytest.raises(UsageError, match=r"two rows of the roster are about ada"):
        put_roster(book, Roster((eve, ADA, RosterRow("ada2", ADA.id, "", "", "", None))), "tests")
    assert roster(book).rows == CLASS.rows


def test_who_is_called_otherwise_keeps_attempts_and_marks(book: Gradebook) -> None:
    give(book, card("ada", 12))
    add_marks(book, [mark("ADA", 3)], "tests")
    for login, email in [("lovelace", ADA.email), ("countess", "other@example.org")]:
        put_roster(book, Roster((RosterRow(login, ADA.id, ADA.name, email, "", None),)), "tests")
    give(book, card("lovelace", 14, work="b"))
    give(book, card("Ada@example.org", 13, work="c"))
    assert list(points(book).items()) == [("countess", 17), ("ben-b", 0), ("cleo", 0)]
    taken = RosterRow("ada", "1", "Other", "", "", None)
    assert put_roster(book, Roster((taken,)), "tests").moved == (
        "what is there under ADA counts for ada, and no more for countess",
        "what is there under ada counts for ada, and no more for countess",
    )
    assert points(book) == {"countess": 14, "ben-b": 0, "cleo": 0, "ada": 15}


@pytest.mark.parametrize("there", [RosterRow("", "77", "Zoe", "", "", None), RosterRow("", "", "77", "", "", None)])
def test_who_is_told_apart_by_a_name_of_somebody_else_is_refused(book: Gradebook, there: RosterRow) -> None:
    put_roster(book, Roster((there,)), "tests")
    with pytest.raises(UsageError, match=r'"77" is all that tells a student of the roster apart'):
        put_roster(book, Roster((RosterRow("77", "", "Yan", "yan@example.org", "", None),)), "tests")


def test_logins_can_be_swapped(book: Gradebook) -> None:
    rows = (
        RosterRow("x", ADA.id, ADA.name, ADA.email, "A", None),
        RosterRow("ada", BEN.id, BEN.name, BEN.email, "B", None),
    )
    put_roster(book, Roster((rows[0],)), "tests")
    put_roster(book, Roster((rows[1],)), "tests")
    assert roster(book).rows[:2] == rows


# ------------------------------------------------------------ marks


def test_the_newest_mark_is_in_force_and_the_older_stays_in_the_log(book: Gradebook) -> None:
    give(book, card("ada", 12))
    assert len(add_marks(book, [mark("ada", 4)], "tests").added) == 1
    assert points(book)["ada"] == 16
    came = add_marks(book, [mark("ada", 6, day=2), mark("ada", 1, check="done", day=2)], "tests")
    assert [(old.points, new.points) for old, new in came.replaced] == [(4, 6)]
    assert [entry.points for entry in marks_in_force(book)] == [6, 1]
    assert points(book)["ada"] == 7
    assert [entry.former is not None for entry in entries(book.connection) if entry.what == "mark"] == [0, 1, 0]


def test_the_same_marks_again_and_an_old_copy_of_them_change_nothing(book: Gradebook) -> None:
    add_marks(book, [mark("ada", 4), mark("ada", 6, day=2)], "tests")
    before = told(book)
    came = add_marks(book, [mark("ada", 6, day=2), mark("ada", 4)], "tests")
    assert [old.points for _, old in came.outdated] == [4]
    assert told(book) == before


def test_marks_under_any_name_of_a_student_count(book: Gradebook) -> None:
    give(book, card("ada", 12))
    add_marks(book, [mark("Ada Lovelace", 2)], "tests")
    assert points(book)["ada"] == 14
    add_marks(book, [mark("0042", 3)], "tests")  # newer than the other
    assert points(book)["ada"] == 15


@pytest.mark.parametrize("table", ["log", "marks", "cards", "attempts", "gradings"])
@pytest.mark.parametrize("change", ["UPDATE {} SET rowid = rowid", "DELETE FROM {}"])
def test_what_is_only_added_to_takes_no_other_change(book: Gradebook, table: str, change: str) -> None:
    give(book, card("ada", 12))
    add_marks(book, [mark("ada", 4)], "tests")
    statement = change.format(table).replace("rowid", "sha256" if table == "cards" else "rowid")
    with pytest.raises(sqlite3.IntegrityError, match="only ever added to"):
        book.connection.execute(statement)
    with pytest.raises(sqlite3.IntegrityError):
        book.connection.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")


# ------------------------------------------------------------ what it comes to


def test_what_being_late_costs_is_taken_off_in_the_end(book: Gradebook) -> None:
    give(book, card("ada", 20), after(hours=25))
    give(book, card("ben-b", 20), after(hours=50))
    assert points(book) == {"ada": 16, "ben-b": 18, "cleo": 0}


def test_a_policy_goes_for_what_is_there_already(book: Gradebook) -> None:
    give(book, card("ada", 20, work="b"), after(hours=-25))
    give(book, card("ada", 10), after(hours=25))
    assert points(book)["ada"] == 20
    assert keep_settings(book, Settings(WORTH, POLICY.model_copy(update={"counts": "last"})), "tests")
    assert points(book)["ada"] == 8
    assert keep_settings(book, Settings(WORTH, None), "tests")
    assert settings(book) == Settings(WORTH, None)
    assert not keep_settings(book, Settings(WORTH, None), "tests")
    assert [what for what, _ in told(book)].count("course") == 3


def test_an_extension_goes_for_what_is_there_already(book: Gradebook) -> None:
    give(book, card("ada", 20), after(hours=25))
    row = RosterRow(*(getattr(ADA, name) for name in ("login", "id", "name", "email", "section")), Extension(hours=30))
    put_roster(book, Roster((row,)), "tests")
    final = finals(book)["ada"]
    assert final.points == 20
    assert "the deadline and 30 hours more for this student" in " ".join(final.reasons)


def test_a_gradebook_without_a_course_counts_all_the_same(book: Gradebook) -> None:
    give(book, card("ada", 20), after(hours=25))
    book.connection.execute("PRAGMA foreign_keys = OFF")
    book.connection.execute("BEGIN")
    book.connection.execute("DELETE FROM settings")
    assert settings(book) is None
    assert finals(book)["ada"].points == 20
    book.connection.execute("ROLLBACK")
