"""Tests of names of students' files, and of reading a class folder that is whole, half written or meddled with."""

import hashlib
import json
import re

import pytest

from graders.engine.errors import CourseError, UsageError
from graders.engine.score.card import Card, card_to_json
from graders.engine.score.class_entry import ClassEntry, State
from graders.engine.score.class_folder import ClassExercise, ClassSettings, Shard, read_class
from graders.engine.score.names import file_stem
from tests.made_by import class_entry
from tests.score.test_marks import card_with

HOSTILE = [
    "", ".", "..", "/", "a/b", "a\\b", "../../etc/passwd", "con", "CON", "nul.txt", "com1", "lpt9.json", "-rf", ".hid",
    "ada.", "ada ", "a" * 101, "Ada", "ADA", "ada\u0301", "\u00e1da", "\u738b\u660e", "\u738b\u7ea2", "\ud800",
    "ada\x00", "\u202eada", "ada~0123456789abcdef0123", "<b>", "a:b", "a*b", "a|b", 'a"b', "\U0001f600", "x" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("name", ["ada", "ada-lovelace", "ada.lovelace", "a_1", "0", "s1234567", "a" * 100])
def test_a_name_that_every_file_system_takes_stays(name):
    assert file_stem(name) == name


def test_any_other_name_becomes_one_that_is_safe_and_still_its_own():
    stems = [file_stem(name) for name in [*HOSTILE, "ada", "a"]]
    assert len(set(stems)) == len(stems)
    for stem in stems:
        assert re.fullmatch(r"[a-z0-9][a-z0-9._~-]*", stem)
        assert len(stem) <= 100
        assert not stem.endswith(".")
        assert stem.partition(".")[0].partition("~")[0] not in {"con", "nul", "com1", "lpt9"} or "~" in stem


def test_what_is_legible_of_a_name_stays():
    assert file_stem("Ada Lovelace").startswith("ada-lovelace~")
    assert file_stem("José").startswith("jose~")
    assert file_stem("王小明").startswith("student~")


def test_nobody_can_choose_the_name_of_anothers_file():
    assert file_stem(file_stem("Ada")) != file_stem("Ada")


SETTINGS = ClassSettings(
    version=1,
    title="autumn",
    seed=5,
    hidden=False,
    mode="strict",
    course="c" * 64,
    grader="1.0",
    torch="2.13.0",
    python="3.11.2",
    exercises=(ClassExercise(slug="ex01_waves", title="Waves", max_points=6, bonus=False),),
    deadline=None,
    shard=Shard(number=1, of=2),
)


def entry(student: str, card: str | None, **changes: object) -> ClassEntry:
    digest = None if card is None else hashlib.sha256(card.encode()).hexdigest()
    return class_entry(student, digest, **changes)


@pytest.fixture
def card() -> Card:
    """Ann's."""
    return card_with()


@pytest.fixture
def folder(tmp_path, card):
    """A class of two: Ann, who has a card, and Bob, who handed in nothing."""
    (tmp_path / "cards").mkdir()
    (tmp_path / "entries").mkdir()
    (tmp_path / "class.json").write_text(SETTINGS.model_dump_json())
    (tmp_path / "cards/ann.json").write_text(card_to_json(card))
    (tmp_path / "entries/ann.json").write_text(entry("ann", card_to_json(card)).model_dump_json())
    (tmp_path / "entries/bob.json").write_text(entry("bob", None, said="no file").model_dump_json())
    return tmp_path


def test_a_class_comes_back_as_it_was_written(folder, card):
    found = read_class(folder)
    assert found.settings == SETTINGS
    assert [each.student for each in found.entries] == ["ann", "bob"]
    assert found.card_of("ann") == card
    assert found.card_of("bob") is None
    assert found.card_of("carol") is None
    assert found.unsettled == ()


def test_a_line_whose_card_is_another_counts_as_not_there(folder, card):
    (folder / "cards/ann.json").write_text(card_to_json(card) + "\n")
    found = read_class(folder)
    assert [each.student for each in found.entries] == ["bob"]
    assert found.unsettled == ("entries/ann.json",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"version": 1}',
        entry("carol", None).model_dump_json(),
        entry("ann", None, state=State.GRADED).model_dump_json(),
    ],
    ids=["empty", "torn", "short", "another's", "graded without a card"],
)
def test_a_file_that_is_no_line_of_its_student_is_named(folder, text):
    (folder / "entries/ann.json").write_text(text)
    found = read_class(folder)
    assert [each.student for each in found.entries] == ["bob"]
    assert found.unsettled == ("entries/ann.json",)


def test_half_written_files_are_not_looked_at(folder):
    (folder / "entries/.ann.json.0f0f0f0f").write_text("{")
    (folder / "entries/.carol.json").write_text("{")
    assert read_class(folder).unsettled == ()


def test_a_card_that_goes_meanwhile_is_told(folder):
    found = read_class(folder)
    (folder / "cards/ann.json").unlink()
    with pytest.raises(CourseError, match=r"cards/ann\.json is gone; run `grade class` again"):
        found.card_of("ann")


def test_a_card_of_another_student_is_refused(folder, card):
    bobs = card_to_json(card)
    (folder / "cards/bob.json").write_text(bobs)
    (folder / "entries/bob.json").write_text(entry("bob", bobs).model_dump_json())
    with pytest.raises(CourseError, match="is not the card that its student's line means"):
        read_class(folder).card_of("bob")


def test_a_folder_without_a_class_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"is no class folder: it has no class\.json"):
        read_class(tmp_path)
    with pytest.raises(UsageError, match="is no class folder"):
        read_class(tmp_path / "nowhere")


def test_settings_of_another_make_are_refused(folder):
    told = json.loads(SETTINGS.model_dump_json()) | {"shard": {"number": 3, "of": 2}}
    (folder / "class.json").write_text(json.dumps(told))
    with pytest.raises(CourseError, match="shard 3 of 2; expected 1 to 2"):
        read_class(folder)
