"""A judging session: pytest collects the checks once and runs them on one submission after the other.

pytest gives collection, fixtures, marks and the outer time limit; what a check's end means is decided in `judging`.
Nothing in this process imports or executes anything of a submission.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
import pytest_timeout  # type: ignore[import-untyped]
import torch

from graders.engine.errors import CourseError
from graders.engine.judge.attempt import Attempt
from graders.engine.judge.catalogue import Check, catalogue
from graders.engine.judge.course_files import import_file, import_problem, turn_to
from graders.engine.judge.draw import Draw
from graders.engine.judge.expect import Unexpected
from graders.engine.judge.judging import Judging
from graders.engine.judge.outcome import Outcome
from graders.engine.judge.student import Given, Student
from graders.engine.judge.written.answers import Answers
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric
from graders.engine.load.submission import Submission
from graders.engine.run.supply import WorkerSupply

CHECKS_INI = Path(__file__).with_name("checks.ini")
OUTER_LIMIT_SECONDS = 120
"""pytest-timeout ends a check of ours that hangs without the worker being to blame. Far above what a check may take
with its worker's start and end, in which a host that somebody stopped may have to be replaced."""


@dataclass(frozen=True, slots=True)
class Options:
    """What one run judges, and how."""

    seed: int
    hidden: bool
    trace: bool = False


def judge(
    course: Course,
    rubric: Rubric,
    submissions: Sequence[Submission],
    supply: WorkerSupply,
    options: Options,
) -> list[tuple[Outcome, ...]]:
    """Return, for each submission in order, the outcome of every check of its exercises, in file order.

    Raises CourseError if the checks can't be collected or don't match the rubric, and HostFailed if no worker starts.
    """
    slugs = _slugs(submissions)
    kinds = ("visible", "hidden") if options.hidden else ("visible",)
    paths = [str(path) for slug in slugs for kind in kinds if (path := course.checks(slug, kind)).exists()]
    if missing := [f"graders/{slug}/visible.py" for slug in slugs if not course.checks(slug, "visible").exists()]:
        raise CourseError(f"{', '.join(missing)} is missing; every exercise of grading.yaml needs visible checks")
    # The tensors are small: a second thread costs more than it brings.
    torch.set_num_threads(1)
    # Whoever runs the grader may have set these for tests of their own.
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    turn_to(course)
    plugin = JudgePlugin(course, rubric, submissions, supply, options)
    # pytest sees its own command line, not ours; colours, capture, caches and third-party plugins have no part in this.
    code = pytest.main(
        [
            *paths, "-c", str(CHECKS_INI), f"--rootdir={course.root}", "--import-mode=importlib", "--noconftest",
            "--assert=plain", "--capture=no", "--disable-plugin-autoload",
            f"--timeout={rubric.limits.seconds + OUTER_LIMIT_SECONDS}",
            *(item for name in UNUSED_PLUGINS for item in ("-p", f"no:{name}")),
        ],
        # By a name, pytest would look for the plugin in the descriptions of all packages that are installed.
        plugins=[plugin, pytest_timeout],
    )  # fmt: skip
    if plugin.fault is not None:
        raise plugin.fault
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if len(plugin.results) != len(submissions):
        raise RuntimeError(f"pytest ended early, with exit code {code}")
    return plugin.results


UNUSED_PLUGINS = (
    "terminal", "cacheprovider", "junitxml", "pastebin", "stepwise", "doctest", "faulthandler", "logging", "unittest",
    "unraisableexception", "threadexception",
)  # fmt: skip


class JudgePlugin:
    """The pytest plugin: its loop goes over submissions, its fixtures give a check what it asks for."""

    def __init__(
        self,
        course: Course,
        rubric: Rubric,
        submissions: Sequence[Submission],
        supply: WorkerSupply,
        options: Options,
    ) -> None:
        self._course = course
        self._rubric = rubric
        self._submissions = submissions
        self._supply = supply
        self._options = options
        self._problems: list[str] = []
        self._attempt: Attempt
        self._ended_with: BaseException | None = None
        self.results: list[tuple[Outcome, ...]] = []
        self.fault: Exception | None = None

    # ------------------------------------------------------------ collection

    def pytest_exception_interact(self, node: pytest.Item | pytest.Collector, call: pytest.CallInfo[object]) -> None:
        """Keep what went wrong in a file of checks."""
        if isinstance(node, pytest.Collector) and call.excinfo is not None:
            problem = import_problem(call.excinfo.value)
            self._problems.append(f"{node.nodeid} can't be read as a file of checks: {problem}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run every check of every submission; a fault of ours ends the session and is raised again outside."""
        course, rubric, options = self._course, self._rubric, self._options
        judging = Judging(course, rubric.limits, self._supply, options.trace, self._run_check)
        try:
            if self._problems:
                raise CourseError("\n".join(self._problems))
            checks = catalogue(session.items, _slugs(self._submissions), course, rubric, hidden=options.hidden)
            for submission in self._submissions:
                self.results.append(judging.judge_submission(submission, checks))
        except Exception as fault:
            self.fault = fault
        return True

    # ------------------------------------------------------------ one check

    def _run_check(self, check: Check, attempt: Attempt) -> BaseException | None:
        """Run one check as pytest runs a test, and return what ended it."""
        self._attempt = attempt
        self._ended_with = None
        check.item.ihook.pytest_runtest_protocol(item=check.item, nextitem=None)
        return self._ended_with

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Keep the first exception of a check, its fixtures included.

        What pytest would report takes longer than many a check, as it looks for lines of it that nobody is shown.
        """
        if call.excinfo is not None and self._ended_with is None:
            self._ended_with = call.excinfo.value
        assert call.when != "collect"
        outcome: Literal["passed", "failed"] = "passed" if call.excinfo is None else "failed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    # ------------------------------------------------------------ fixtures

    @pytest.fixture
    def student(self, rng: Draw) -> Student:
        """The submission, with a worker that has loaded it and the clock running."""
        self._attempt.begin_check()
        return Student(self._attempt, rng)

    @pytest.fixture
    def answers(self) -> Answers:
        """The submission where it is a sheet of answers, which needs no worker: it is read and never run."""
        answers = Answers(self._attempt.file.source)
        try:
            answers.require_readable()  # once, and not in every check
        except Unexpected:
            self._attempt.loads = False
            raise
        return answers

    @pytest.fixture
    def given(self, student: Student, rng: Draw, request: pytest.FixtureRequest) -> Given:
        """The course's own file beside the checks, loaded into the student's worker when it is first used."""
        return Given(self._attempt, rng, self._course.given(request.node.path.parent.name))

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> Draw:
        """The check's random inputs."""
        return Draw(self._options.seed, request.node.nodeid)

    @pytest.fixture
    def reference(self, request: pytest.FixtureRequest) -> ModuleType:
        """The course's own solution of this exercise, imported into the judge."""
        return import_file(self._course.reference(request.node.path.parent.name))


def _slugs(submissions: Sequence[Submission]) -> list[str]:
    """Return the exercises that any of them has, each once."""
    return list(dict.fromkeys(file.slug for submission in submissions for file in submission.files))
