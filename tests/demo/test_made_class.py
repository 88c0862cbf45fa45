"""The made class of the demo: the same at each call, and with everybody in it that it promises. Nothing is graded."""

import ast
import hashlib
import io
import itertools
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest
from typer.main import get_command

from graders.engine.cli.app import app
from graders.engine.load.handed_in.finding import find_handed_in
from graders.engine.load.roster import read_roster
from tests.demo.class_of_sixty import AFTER, DEADLINE, DRAFTED, DRAFTED_TWICE, REPOSITORY, ROUNDS, hand_ins_by_round
from tests.demo.forms import LIST, NOTEBOOK_FILE, HandIn, write_download
from tests.demo.material import Material, read_material
from tests.demo.mistakes import COMMON, OF_THE_COPIED
from tests.demo.people import FLAWLESS, ORDINARY, ROSTER, SPECIAL, class_of_sixty
from tests.demo.plans import planned
from tests.demo.steps import steps
from tests.demo.work import written

PEOPLE = {person.login: person for person in class_of_sixty()}


@pytest.fixture(scope="module")
def material() -> Material:
    return read_material(REPOSITORY)


@pytest.fixture(scope="module")
def rounds() -> dict[str, list[HandIn]]:
    return hand_ins_by_round()


@pytest.fixture(scope="module")
def last(rounds: dict[str, list[HandIn]]) -> dict[str, HandIn]:
    return {hand_in.person.login: hand_in for hand_in in rounds[ROUNDS[-1]]}


def test_it_is_the_same_each_time(rounds: dict[str, list[HandIn]]) -> None:
    assert hand_ins_by_round() == rounds


def test_everybody_is_there_who_was_promised() -> None:
    assert len(PEOPLE) == 60
    stories = Counter(person.story for person in PEOPLE.values())
    assert stories == Counter(ORDINARY) + Counter(SPECIAL.values())


def test_the_roster_is_one_that_the_engine_reads_and_two_have_more_time() -> None:
    roster = read_roster(ROSTER)
    assert roster.unread == ()
    assert [row.login for row in roster.rows] == list(PEOPLE)
    assert {row.login for row in roster.rows if row.extension} == {"ferreira", "muller"}
    assert {row.section for row in roster.rows} == {"Mon 10", "Tue 14", "Thu 16"}
    assert all(row.id and row.name and row.email for row in roster.rows)


def test_mistakes_are_those_of_the_exercises(material: Material) -> None:
    for slug, weights in COMMON.items():
        assert set(weights) <= set(material.wrong[slug])
    for slug, mistake in zip(COMMON, OF_THE_COPIED, strict=False):
        assert mistake in set(material.wrong[slug]) - set(COMMON[slug])


def test_some_are_perfect_most_have_a_few_mistakes_and_some_are_not_through() -> None:
    plans = {login: planned(person) for login, person in PEOPLE.items()}
    mistakes = {login: sum(len(part.mistakes) for part in plan.values()) for login, plan in plans.items()}
    assert [login for login, number in mistakes.items() if number == 0] >= [
        login for login, person in PEOPLE.items() if person.story == FLAWLESS
    ]
    assert 3 <= sum(number == 0 for number in mistakes.values()) <= 6
    assert sum(1 <= number <= 4 for number in mistakes.values()) >= 30
    halves = [login for login, plan in plans.items() if "half" in {part.done for part in plan.values()}]
    assert len(halves) == ORDINARY["unfinished"]


def test_code_is_code_and_nobody_has_the_same_as_another_but_those_who_copied(material: Material) -> None:
    owners: dict[str, set[str]] = {}
    for login, person in PEOPLE.items():
        for name, text in written(material, person, planned(person)).items():
            if name.endswith(".py"):
                ast.parse(text)
            if text != material.stubs[name] and name != "ex07_discussion.md":
                owners.setdefault(hashlib.sha256(text.encode()).hexdigest(), set()).add(login)
    shared = {frozenset(logins) for logins in owners.values() if len(logins) > 1}
    assert shared == {frozenset(login for login, story in SPECIAL.items() if story == "copied")}


def test_work_comes_in_every_form(last: dict[str, HandIn]) -> None:
    forms = Counter(_form(hand_in) for hand_in in last.values())
    assert set(forms) == {"files", "fork", "zip", "broken zip", "notebook"}
    assert (forms["notebook"], forms["broken zip"]) == (ORDINARY["notebook"], 1)
    assert min(forms["files"], forms["fork"], forms["zip"]) >= 5
    assert set(PEOPLE) - set(last) == {login for login, story in SPECIAL.items() if story == "nothing"}


def test_notebooks_are_notebooks(last: dict[str, HandIn]) -> None:
    for hand_in in last.values():
        if NOTEBOOK_FILE in hand_in.files:
            nbformat.validate(nbformat.reads(hand_in.files[NOTEBOOK_FILE].decode(), as_version=4))


def test_all_but_some_are_in_time_and_drafts_come_before(rounds: dict[str, list[HandIn]]) -> None:
    late = {hand_in.person.login for hand_in in rounds[ROUNDS[-1]] if hand_in.at > DEADLINE}
    assert late == set(AFTER)
    assert [len(rounds[name]) for name in ROUNDS] == [DRAFTED_TWICE, DRAFTED, len(PEOPLE) - 1]
    times = [{hand_in.person.login: hand_in.at for hand_in in rounds[name]} for name in ROUNDS]
    for earlier, later in itertools.pairwise(times):
        assert set(earlier) <= set(later)
        assert all(at < later[login] for login, at in earlier.items())


def test_a_download_is_written_file_by_file(rounds: dict[str, list[HandIn]], tmp_path: Path) -> None:
    first = rounds[ROUNDS[0]]
    write_download(tmp_path, first)
    folders = {f"submission_{hand_in.number}" for hand_in in first}
    assert {path.name for path in tmp_path.iterdir()} == folders | {LIST}
    for hand_in in first:
        root = tmp_path / f"submission_{hand_in.number}"
        found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        assert found == hand_in.files


def test_the_engine_finds_everybody_in_it(last: dict[str, HandIn], tmp_path: Path) -> None:
    write_download(tmp_path, last.values())
    found = find_handed_in(tmp_path, read_roster(ROSTER))
    assert found.unread == ()
    assert found.missing == tuple(set(PEOPLE) - set(last))
    assert {one.student: one.handed_in_at for one in found.handed_in} == {
        login: hand_in.at for login, hand_in in last.items()
    }


def test_its_commands_are_ones_that_the_command_line_understands() -> None:
    """Each is parsed, down to its last option, and not run."""
    parsed = [_parsed(step.arguments) for step in steps()]
    names = {"class", "mark", "init", "roster", "add", "marks", "show", "check", "export", "report"}
    assert {name for name, _ in parsed} == names
    assert all(options for _, options in parsed)


def _parsed(arguments: Sequence[str]) -> tuple[str, dict[str, Any]]:
    command, rest = get_command(app), list(arguments)
    context = command.make_context("grade", rest, resilient_parsing=False)
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        assert command is not None
        context = command.make_context(name, rest, parent=context)
    return str(context.info_name), context.params


def _form(hand_in: HandIn) -> str:
    names = set(hand_in.files)
    if names == {NOTEBOOK_FILE}:
        return "notebook"
    if names == {"homework.zip"}:
        whole = zipfile.is_zipfile(io.BytesIO(hand_in.files["homework.zip"]))
        return "zip" if whole else "broken zip"
    return "fork" if "README.md" in names else "files"
