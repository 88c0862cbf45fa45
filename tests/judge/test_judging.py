"""Whose fault an end is, and which checks run at all: judged with a stand-in for pytest's running of one check."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from graders.engine.judge.attempt import Attempt, StudentLost
from graders.engine.judge.catalogue import Check
from graders.engine.judge.expect import Unexpected
from graders.engine.judge.judging import Judging
from graders.engine.judge.outcome import Outcome
from graders.engine.load.course import Course
from graders.engine.load.rubric import Limits
from graders.engine.load.submission import ExerciseFile, Submission
from graders.engine.run.connection import End
from graders.engine.run.supply import WorkerSupply

SLUG = "ex93_nothing"
Ends = dict[str, BaseException | None]


def check(name: str, *needs: str) -> Check:
    item: Any = SimpleNamespace()
    return Check(SLUG, name, f"the title of {name}", "implement", "visible", needs, (), lambda: None, item)


@pytest.fixture
def judged(tmp_path: Path, supply: WorkerSupply) -> Callable[..., dict[str, Outcome]]:
    """Judge a submission whose checks end as told; the reference's end as `control` tells."""
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / f"{SLUG}.py").write_text("x = 1\n", encoding="utf-8")

    def judge(checks: list[Check], ends: Ends, control: Ends | None = None, problem: str = "") -> dict[str, Outcome]:
        def run(one: Check, attempt: Attempt) -> BaseException | None:
            is_reference = attempt.file.label == f"{SLUG}.py"
            return (control or {})[one.name] if is_reference else ends[one.name]

        judging = Judging(Course(tmp_path), Limits(seconds=1, memory_mib=64), supply, trace=False, run=run)
        file = ExerciseFile(SLUG, f"exercises/{SLUG}.py", b"x = 2\n", problem=problem)
        outcomes = judging.judge_submission(Submission("s", (file,), ()), {SLUG: checks})
        return {outcome.check: outcome for outcome in outcomes}

    return judge


def test_a_check_that_only_the_answer_breaks_is_failed(judged) -> None:
    outcome = judged([check("a")], {"a": KeyError("shape")}, control={"a": None})["a"]
    assert (outcome.verdict, outcome.expected) == ("fail", "an answer that can be judged")
    assert "one on which the check stopped (KeyError: 'shape')" in outcome.got


@pytest.mark.parametrize("end", [KeyError("shape"), Unexpected("1", "2")])
def test_a_check_that_the_reference_does_not_pass_either_is_broken(judged, end: BaseException) -> None:
    outcome = judged([check("a")], {"a": KeyError("shape")}, control={"a": end})["a"]
    assert outcome.verdict == "broken"
    assert "grader's fault" in outcome.hint


@pytest.mark.parametrize("reason", ["timeout", "crashed"])
def test_no_points_come_from_a_reference_that_was_left_no_time_or_memory(judged, reason: str) -> None:
    lost = StudentLost("calling", reason, End(-9))
    assert judged([check("a")], {"a": KeyError("shape")}, control={"a": lost})["a"].verdict == "fail"


def test_what_needs_a_broken_check_is_broken_as_well_and_does_not_run(judged) -> None:
    outcomes = judged([check("a"), check("b", "a")], {"a": KeyError("x")}, control={"a": KeyError("x")})
    assert [outcomes[name].verdict for name in "ab"] == ["broken", "broken"]
    assert outcomes["b"].got == "needs a"


def test_a_blocked_check_names_the_one_that_failed_first(judged) -> None:
    checks = [check("a"), check("b", "a"), check("c", "b"), check("d")]
    outcomes = judged(checks, {"a": Unexpected("1", "2"), "d": None})
    assert [outcomes[name].verdict for name in "abcd"] == ["fail", "blocked", "blocked", "pass"]
    assert outcomes["c"].got == "needs a"


def test_an_unreadable_file_is_said_once(judged) -> None:
    outcomes = judged([check("a"), check("b")], {}, problem="it is a folder")
    assert [(outcome.verdict, outcome.got) for outcome in outcomes.values()] == [
        ("error", "it is a folder"),
        ("blocked", "needs a file that can be loaded"),
    ]


@pytest.mark.parametrize("fault", [OSError("no more processes"), KeyboardInterrupt()])
def test_a_fault_of_the_machine_is_nobodys_verdict(judged, fault: BaseException) -> None:
    with pytest.raises(type(fault)):
        judged([check("a")], {"a": fault})


def test_hidden_checks_of_all_exercises_come_after_the_visible_ones_with_new_workers(
    tmp_path: Path, supply: WorkerSupply
) -> None:
    """What a visible check reports may be public: the clock in it must not tell how long hidden ones took."""
    other = "ex94_nothing"
    checks = {
        slug: [replace(check(f"{kind}_{slug[:4]}"), slug=slug, visibility=kind) for kind in ("visible", "hidden")]
        for slug in (SLUG, other)
    }
    ran, workers = [], []

    def run(one: Check, attempt: Attempt) -> None:
        attempt.begin_check()
        ran.append(one.name)
        workers.append(attempt._connection)

    judging = Judging(Course(tmp_path), Limits(seconds=60, memory_mib=256), supply, trace=False, run=run)
    files = tuple(ExerciseFile(slug, f"exercises/{slug}.py", b"x = 2\n") for slug in (SLUG, other))
    outcomes = judging.judge_submission(Submission("s", files, ()), checks)
    assert ran == ["visible_ex93", "visible_ex94", "hidden_ex93", "hidden_ex94"]
    assert len({id(worker) for worker in workers}) == 4
    # In file order all the same.
    assert [outcome.check for outcome in outcomes] == ["visible_ex93", "hidden_ex93", "visible_ex94", "hidden_ex94"]
