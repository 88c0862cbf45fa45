"""Tests of a run over a class: who is graded and why, who is tried again, and what an interruption leaves behind.

The crew is in this process and judges without torch; reading, deciding and writing are those of `grade class`.
"""

import contextlib
import datetime
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from graders.engine.batch import folder as class_folder
from graders.engine.batch.class_run import run_class
from graders.engine.batch.folder import clear_drafts, make_folder, read_changes, write_settings
from graders.engine.batch.keeper import Keeper, Tally
from graders.engine.batch.plan import Plan
from graders.engine.batch.progress import Lines
from graders.engine.errors import CourseError, ServiceError, UsageError
from graders.engine.load.handed_in.records import HandedIn
from graders.engine.load.late_policy import LatePolicy
from graders.engine.score.class_folder import read_class
from graders.engine.score.marks import Entry, MarksBook, book_to_json
from tests.batch.conftest import CrewHere, MakePlan
from tests.batch.small_class import HONEST, SLUG, hand_in, make_course, rows, without_times
from tests.command_line import Stream

DEADLINE = datetime.datetime(2026, 12, 1, 12, tzinfo=datetime.UTC)


def grade(plan: Plan, out: Path, crew: CrewHere | None = None) -> tuple[Tally, CrewHere]:
    """Run over a class as the command does."""
    crew = crew or CrewHere()
    crew.setup = plan.setup
    make_folder(out)
    clear_drafts(out)
    write_settings(out, plan.settings)
    keeper = Keeper(out, plan)
    run_class(plan, crew, keeper, Lines(Stream()))
    return keeper.tally, crew


def states(out: Path) -> dict[str, str]:
    return {entry.student: entry.state.value for entry in read_class(out).entries}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Three students: all right, one check failed, and nothing that can be graded."""
    folder = hand_in(tmp_path / "autumn", ada=HONEST, bob=HONEST + "# mode is fail")
    (folder / "carla" / "exercises").mkdir(parents=True)
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


# ------------------------------------------------------------ what is graded, and why


def test_everybody_gets_a_card_or_a_reason(plan: MakePlan, source: Path, out: Path) -> None:
    tally, _ = grade(plan(source, out), out)
    assert states(out) == {"ada": "graded", "bob": "graded", "carla": "nothing"}
    assert (tally.graded, tally.kept, tally.faults) == (2, 0, [])
    ((student, said),) = tally.nothing
    assert student == "carla"
    assert f"{SLUG}.py" in said
    found = read_class(out)
    assert [found.card_of(student).total for student in ("ada", "bob")] == [8, 7]  # type: ignore[union-attr]
    assert found.settings.title == "autumn"


def test_nothing_is_graded_twice(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    before = {path: path.read_bytes() for path in out.rglob("*.json")}
    tally, crew = grade(plan(source, out), out)
    assert crew.given == []
    assert (tally.graded, tally.kept, tally.changes) == (0, 2, [])
    assert {path: path.read_bytes() for path in out.rglob("*.json")} == before


def test_who_hands_in_anew_is_graded_again(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    hand_in(source, bob=HONEST, dan=HONEST)
    tally, crew = grade(plan(source, out), out)
    assert sorted(crew.given) == ["bob", "dan"]
    assert sorted(rows(tally.changes)) == [("bob", "other files", 7, 8), ("dan", "new", None, 8)]


def test_another_seed_or_another_check_grades_all_anew(plan: MakePlan, source: Path, out: Path, tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    grade(plan(source, out, course=course), out)
    tally, _ = grade(plan(source, out, course=course, seed=4), out)
    assert {change.why.value for change in tally.changes} == {"other seed"}
    hidden = course / "graders" / SLUG / "hidden.py"
    hidden.write_text(hidden.read_text(encoding="utf-8") + "\n# mended\n", encoding="utf-8")
    tally, _ = grade(plan(source, out, course=course, seed=None), out)
    assert [change.why.value for change in tally.changes] == ["other grader", "other grader"]
    assert read_class(out).settings.seed == 4


def test_a_class_keeps_its_seed_and_draws_it_once(plan: MakePlan, source: Path, out: Path) -> None:
    first = plan(source, out, seed=None)
    grade(first, out)
    assert plan(source, out, seed=None).setup.seed == first.setup.seed
    assert plan(source, out.with_name("other"), seed=None).setup.seed != first.setup.seed
    assert plan(source, out.with_name("visible"), seed=None, hidden=False).setup.seed == 0


def test_whoever_is_asked_for_is_graded_again(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    _, crew = grade(plan(source, out, regrade_only=("ada",)), out)
    assert crew.given == ["ada"]
    tally, crew = grade(plan(source, out, regrade=True), out)
    assert sorted(crew.given) == ["ada", "bob"]
    assert {change.why.value for change in tally.changes} == {"asked for"}
    with pytest.raises(UsageError, match='--regrade-only "eve": no submission of such a student'):
        plan(source, out, regrade_only=("eve",))


def test_who_is_no_more_in_the_source_keeps_card_and_line(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    shutil.rmtree(source / "bob")
    grade(plan(source, out), out)
    assert states(out)["bob"] == "graded"
    assert read_class(out).card_of("bob") is not None


def test_a_card_goes_when_nothing_can_be_graded_any_more(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    (source / "ada" / "exercises" / f"{SLUG}.py").unlink()
    tally, _ = grade(plan(source, out), out)
    assert rows(tally.changes) == [("ada", "nothing to grade", 8, None)]
    assert states(out)["ada"] == "nothing"
    assert not (out / "cards" / "ada.json").exists()


def test_who_stands_in_the_roster_alone_has_handed_in_nothing(
    plan: MakePlan, source: Path, out: Path, tmp_path: Path
) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("login,name\nada,Ada\nbob,Bob\ncarla,Carla\nzoe,Zoe\n", encoding="utf-8")
    tally, _ = grade(plan(source, out, roster=roster), out)
    assert ("zoe", "nothing was handed in") in tally.nothing
    assert states(out)["zoe"] == "nothing"


def test_a_class_graded_in_another_way_is_left_alone(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    with pytest.raises(UsageError, match=r"graded in another way \(hidden checks: yes there, no now\)"):
        plan(source, out, hidden=False)
    with pytest.raises(UsageError, match=r"shard: none there, 1/2 now"):
        plan(source, out, shard="1/2")


# ------------------------------------------------------------ marks and lateness


def at(moment: datetime.datetime, plan: Plan) -> Plan:
    """Return the plan with a late policy, and everything handed in then."""
    policy = LatePolicy(deadline=DEADLINE, percent_per_day=50)
    rubric = plan.setup.rubric.model_copy(update={"late": policy})
    handed_in = tuple(replace(each, handed_in_at=moment) for each in plan.handed_in)
    return replace(plan, setup=replace(plan.setup, rubric=rubric), handed_in=handed_in)


def test_lateness_is_put_on_cards_without_grading_again(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    late = at(DEADLINE + datetime.timedelta(hours=1), plan(source, out))
    tally, crew = grade(late, out)
    assert crew.given == []
    assert rows(tally.changes) == [("ada", "lateness", 8, 4), ("bob", "lateness", 7, 4)]
    tally, crew = grade(plan(source, out), out)
    assert crew.given == []
    assert rows(tally.changes) == [("ada", "lateness", 4, 8), ("bob", "lateness", 4, 7)]


def test_an_extension_in_the_roster_counts(plan: MakePlan, source: Path, out: Path, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("login,extension\nada,48\nbob,\ncarla,\n", encoding="utf-8")
    late = at(DEADLINE + datetime.timedelta(hours=1), plan(source, out, roster=roster))
    grade(late, out)
    found = read_class(out)
    assert [found.card_of(student).total for student in ("ada", "bob")] == [8, 4]  # type: ignore[union-attr]


def test_marks_are_put_on_cards_without_grading_again_and_one_withdrawn_needs_it(
    plan: MakePlan, source: Path, out: Path, tmp_path: Path
) -> None:
    grade(plan(source, out), out)
    book = tmp_path / "marks.json"

    def mark(*points: int) -> None:
        known = {"student": "bob", "exercise": SLUG, "check": "mode", "note": "Half.", "sha256": None}
        given = tuple(Entry(points=each, date=DEADLINE.date(), **known) for each in points)
        book.write_text(book_to_json(MarksBook(version=1, marks=given)), encoding="utf-8")

    mark(1)
    tally, crew = grade(plan(source, out, marks=book), out)
    assert (crew.given, rows(tally.changes)) == ([], [("bob", "mark", 7, 8)])
    mark(0)
    tally, crew = grade(plan(source, out, marks=book), out)
    assert (crew.given, rows(tally.changes)) == ([], [("bob", "mark", 8, 7)])
    mark()
    tally, crew = grade(plan(source, out, marks=book), out)
    assert (crew.given, rows(tally.changes)) == (["bob"], [("bob", "mark", 7, 7)])
    assert "Half." not in (out / "cards" / "bob.json").read_text(encoding="utf-8")


# ------------------------------------------------------------ what fails


def test_what_failed_once_is_tried_again_alone(plan: MakePlan, tmp_path: Path, out: Path) -> None:
    source = hand_in(tmp_path / "source", **dict.fromkeys("abcdef", HONEST))
    tally, crew = grade(plan(source, out), out, CrewHere(fails={"b": 1, "e": 1}))
    assert (tally.graded, tally.faults) == (6, [])
    assert crew.given[-2:] in (["b", "e"], ["e", "b"])
    assert crew.given.count("a") == 1
    assert [crew.at_a_time[name] for name in crew.given[-2:]] == [1, 1]


def test_what_failed_twice_is_a_fault_and_is_tried_in_the_next_run(plan: MakePlan, source: Path, out: Path) -> None:
    tally, _ = grade(plan(source, out), out, CrewHere(fails={"bob": 2}))
    assert (tally.graded, tally.faults) == (1, [("bob", "the process that judged it was killed")])
    (entry,) = [entry for entry in read_class(out).entries if entry.student == "bob"]
    assert (entry.state, entry.said) == ("fault", "the process that judged it was killed")
    tally, crew = grade(plan(source, out), out)
    assert crew.given == ["bob"]
    assert rows(tally.changes) == [("bob", "tried again", None, 7)]


def test_a_fault_takes_no_card_away_that_still_holds(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    tally, _ = grade(plan(source, out, regrade=True), out, CrewHere(fails={"bob": 2}))
    assert [student for student, _ in tally.faults] == ["bob"]
    assert states(out)["bob"] == "graded"


@pytest.mark.parametrize("error", [ServiceError("no answer"), RecursionError("too deep")], ids=["service", "ours"])
def test_what_cannot_be_read_by_the_machines_fault_costs_nobody_else(
    plan: MakePlan, source: Path, out: Path, error: Exception
) -> None:
    made = plan(source, out)

    def load(handed_in: HandedIn) -> object:
        if handed_in.student == "ada":
            raise error
        return made.load(handed_in)

    tally, _ = grade(replace(made, load=load), out)  # type: ignore[arg-type]
    ((student, said),) = tally.faults
    assert student == "ada"
    assert str(error) in said
    assert states(out) == {"ada": "fault", "bob": "graded", "carla": "nothing"}


def test_what_nobody_can_read_ends_the_run(plan: MakePlan, source: Path, out: Path) -> None:
    def load(handed_in: HandedIn) -> object:
        raise CourseError("no stubs")

    with pytest.raises(CourseError, match="no stubs"):
        grade(replace(plan(source, out), load=load), out)  # type: ignore[arg-type]


# ------------------------------------------------------------ interruptions


class Killed(BaseException):
    """What no code of ours handles."""


@pytest.fixture
def finished(plan: MakePlan, source: Path, tmp_path: Path) -> dict[str, object]:
    """The folder of this class after two runs that nobody disturbed."""
    other = tmp_path / "undisturbed"
    grade(plan(source, other, seed=1), other)
    grade(plan(source, other), other)
    return without_times(other)


def interrupt(monkeypatch: pytest.MonkeyPatch, step: int, *, after: bool) -> list[int]:
    """See that the run ends at that file or line to be written: just before, or just after."""
    steps = [0]

    def counted(name: str) -> None:
        write = getattr(class_folder, name)

        def interrupted(*arguments: object) -> None:
            steps[0] += 1
            if steps[0] == step and not after:
                raise Killed
            write(*arguments)
            if steps[0] == step:
                raise Killed

        monkeypatch.setattr(class_folder, name, interrupted)

    counted("_write")
    counted("_append")
    return steps


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_wherever_a_run_ends_the_folder_is_sound_and_the_next_run_completes_it(
    plan: MakePlan, source: Path, out: Path, finished: dict[str, object], after: bool
) -> None:
    grade(plan(source, out, seed=1), out)
    start = out.with_name("start")
    shutil.copytree(out, start)
    for step in range(1, 50):
        shutil.rmtree(out)
        shutil.copytree(start, out)
        with pytest.MonkeyPatch.context() as patch:
            steps = interrupt(patch, step, after=after)
            with contextlib.suppress(Killed):
                grade(plan(source, out), out)
        if steps[0] < step:
            break
        # Whoever reads it now sees whole cards, of this run or the one before, and at most one student is missing.
        seen = read_class(out)
        assert len(seen.unsettled) <= 1
        for entry in seen.entries:
            if entry.card_sha256 is not None:
                assert seen.card_of(entry.student) is not None
        grade(plan(source, out), out)
        assert without_times(out) == finished
    assert step == 8, "the settings, and for two students a change, a card and a line; and once without interruption"


def test_the_first_run_may_end_anywhere_as_well(
    plan: MakePlan, source: Path, out: Path, finished: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in range(1, 9):
        shutil.rmtree(out, ignore_errors=True)
        with pytest.MonkeyPatch.context() as patch:
            interrupt(patch, step, after=True)
            with contextlib.suppress(Killed):
                grade(plan(source, out), out)
        grade(plan(source, out), out)
        assert without_times(out) == finished


def test_a_line_of_changes_that_was_cut_off_costs_no_other(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    path = out / "changes.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    grade(plan(source, out, regrade_only=("ada",)), out)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3
    assert rows(list(read_changes(out)))[-1] == ("ada", "asked for", 8, 8)
    assert len(list(read_changes(out))) == 2


def test_a_card_that_somebody_changed_is_made_anew(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    path = out / "cards" / "bob.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"total": 7', '"total": 8'), encoding="utf-8")
    tally, crew = grade(plan(source, out), out)
    assert crew.given == ["bob"]
    assert rows(tally.changes) == [("bob", "unsettled", None, 7)]


def test_drafts_of_a_run_that_was_killed_go(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    (out / "cards" / ".draft-0123").write_text("{", encoding="utf-8")
    grade(plan(source, out), out)
    assert list(out.rglob(".draft*")) == []


def test_a_folder_with_something_else_in_it_is_left_alone(out: Path) -> None:
    out.mkdir()
    (out / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"holds 'thesis\.txt' and no class\.json"):
        make_folder(out)
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


def test_a_claim_that_differs_is_told(plan: MakePlan, source: Path, out: Path) -> None:
    grade(plan(source, out), out)
    card = read_class(out).card_of("bob")
    assert card is not None
    sha = "a" * 40
    made = plan(source, out)

    def load(handed_in: HandedIn) -> object:
        return replace(made.load(handed_in), commit=sha)

    exercise = card.exercises[0]
    checks = [
        check.model_copy(update={"points": 0, "verdict": "fail"}) if check.visibility == "visible" else check
        for check in exercise.checks
    ]
    claim = card.model_copy(
        update={
            "grader": card.grader.model_copy(update={"commit": sha}),
            "exercises": (exercise.model_copy(update={"checks": tuple(checks)}),),
        }
    )
    claims = {"bob": claim}
    grade(replace(made, load=load, claim=claims.get), out)  # type: ignore[arg-type]
    entries = {entry.student: entry for entry in read_class(out).entries}
    (finding,) = entries["bob"].findings
    assert finding.kind == "claim_differs"
    assert "claims 0 points for visible checks, grading anew gives 2" in finding.words
    assert entries["ada"].findings == ()
    assert json.loads((out / "cards" / "bob.json").read_text(encoding="utf-8"))["grader"]["commit"] == sha
