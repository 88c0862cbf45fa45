"""Tests of `grade merge`: parts become the folder that one machine would have written, or nothing at all."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.engine.batch.class_run import run_class
from graders.engine.batch.folder import make_folder, write_settings
from graders.engine.batch.keeper import Keeper
from graders.engine.batch.merging import merge_parts
from graders.engine.batch.progress import Lines
from graders.engine.errors import CourseError, UsageError
from graders.engine.score.class_folder import read_class
from tests.batch.conftest import CrewHere, MakePlan
from tests.batch.small_class import HONEST, hand_in, without_times
from tests.command_line import CommandLine, Stream

Graded = Callable[..., Path]


@pytest.fixture
def graded(plan: MakePlan, tmp_path: Path) -> Graded:
    """``graded(name, ...)``: the folder of a class of five, or of a shard of it."""
    source = hand_in(tmp_path / "autumn", **dict.fromkeys(["ada", "bob", "carla", "dan", "eve"], HONEST))

    def make(name: str, **arguments: object) -> Path:
        out = tmp_path / name
        made = plan(source, out, **arguments)
        crew = CrewHere()
        crew.setup = made.setup
        make_folder(out)
        run_class(made, crew, Keeper(out, made), Lines(Stream()))
        write_settings(out, made.settings)
        return out

    return make


def merged(out: Path, *parts: Path) -> Path:
    make_folder(out)
    merge_parts(parts, out)
    return out


def test_shards_come_together_as_one_class(graded: Graded, tmp_path: Path) -> None:
    parts = [graded(f"part{number}", shard=f"{number}/3") for number in (1, 2, 3)]
    assert all(len(read_class(part).entries) < 5 for part in parts)
    whole = without_times(graded("whole"))
    assert without_times(merged(tmp_path / "out", *parts)) == whole
    assert without_times(merged(tmp_path / "out", *reversed(parts))) == whole
    assert len((tmp_path / "out" / "changes.jsonl").read_text(encoding="utf-8").splitlines()) == 5


def test_shards_agree_on_a_seed_without_a_word(graded: Graded) -> None:
    one, two = (read_class(graded(f"part{number}", shard=f"{number}/2", seed=None)).settings for number in (1, 2))
    assert one.seed == two.seed


def test_parts_that_were_graded_in_different_ways_are_refused(graded: Graded, tmp_path: Path) -> None:
    parts = [graded("part1", shard="1/2"), graded("part2", shard="2/2", seed=4)]
    with pytest.raises(UsageError, match=r"they differ in seed \(3 and 4\)"):
        merged(tmp_path / "out", *parts)
    assert list((tmp_path / "out").rglob("*.json")) == []
    with pytest.raises(UsageError, match="hidden \\(True and False\\)"):
        merged(tmp_path / "out", parts[0], graded("part3", shard="2/2", hidden=False))
    with pytest.raises(UsageError, match="some parts are shards of 2 and others of 3"):
        merged(tmp_path / "out", parts[0], graded("part4", shard="2/3"))


def test_a_student_in_two_parts_is_refused_but_for_the_same_part_twice(graded: Graded, tmp_path: Path) -> None:
    part, other = graded("part"), graded("other", regrade=True)
    path = other / "entries" / "ada.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"said": ""', '"said": "x"'), encoding="utf-8")
    assert without_times(merged(tmp_path / "out", part, part)) == without_times(part)
    with pytest.raises(UsageError, match=r"ada has different results in .*part and .*other"):
        merged(tmp_path / "new", part, other)


def test_a_part_that_was_interrupted_is_refused(graded: Graded, tmp_path: Path) -> None:
    part = graded("part")
    told = json.loads((part / "class.json").read_text(encoding="utf-8"))
    (part / "class.json").write_text(json.dumps(told | {"finished": False}), encoding="utf-8")
    with pytest.raises(UsageError, match="was not graded to its end"):
        merged(tmp_path / "out", part)


def test_a_part_whose_card_does_not_go_with_its_line_is_refused(graded: Graded, tmp_path: Path) -> None:
    part = graded("part")
    (part / "cards" / "ada.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match="was not graded to its end"):
        merged(tmp_path / "out", part)


def test_a_card_that_is_none_is_refused_even_if_its_digest_fits(graded: Graded, tmp_path: Path) -> None:
    import hashlib

    part = graded("part")
    entry = json.loads((part / "entries" / "ada.json").read_text(encoding="utf-8"))
    (part / "cards" / "ada.json").write_bytes(b"{}")
    entry["card_sha256"] = hashlib.sha256(b"{}").hexdigest()
    (part / "entries" / "ada.json").write_text(json.dumps(entry), encoding="utf-8")
    with pytest.raises(CourseError, match="is no score card"):
        merged(tmp_path / "out", part)


def test_nobody_in_the_folder_is_lost(graded: Graded, tmp_path: Path) -> None:
    graded("out")
    with pytest.raises(UsageError, match="has students that are in none of the parts"):
        merged(tmp_path / "out", graded("part1", shard="1/2"))


def test_the_command_names_missing_shards(graded: Graded, tmp_path: Path, command_line: CommandLine) -> None:
    parts = [graded(f"part{number}", shard=f"{number}/3") for number in (1, 2, 3)]
    some = command_line.run(tmp_path, "merge", *parts[:2], "--out", "out")
    assert some.returncode == 1
    assert "Missing: shard 3." in some.stderr
    every = command_line.run(tmp_path, "merge", *parts, "--out", "out")
    assert (every.returncode, every.stdout) == (0, "Joined in out: 3 parts, 5 students\n")
    assert command_line.run(tmp_path, "merge", "nowhere", "--out", "out").returncode == 2
