"""A judging session: pytest collects the checks once and runs them on one submission after the other.

pytest gives collection, fixtures, marks and the outer time limit; which check runs on what, and what its end means,
is decided here. Nothing in this process imports or executes anything of a submission.
"""

import importlib.util
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from graders.engine.errors import CourseError
from graders.engine.judge.attempt import Attempt
from graders.engine.judge.catalogue import Check, catalogue
from graders.engine.judge.draw import Draw
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.judge.student import Student
from graders.engine.judge.verdicts import Finding, find, unreadable
from graders.engine.judge.words import clean
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric
from graders.engine.load.submission import ExerciseFile, Submission
from graders.engine.run.launch import HostFailed
from graders.engine.run.supply import WorkerSupply

CHECKS_INI = Path(__file__).with_name("checks.ini")
OUTER_LIMIT_FACTOR = 4
"""pytest-timeout ends a check of ours that hangs without the worker being to blame."""


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
    slugs = list(dict.fromkeys(file.slug for submission in submissions for file in submission.files))
    kinds = ("visible", "hidden") if options.hidden else ("visible",)
    paths = [str(path) for slug in slugs for kind in kinds if (path := course.checks(slug, kind)).exists()]
    # Whoever runs the grader may have set these for tests of their own.
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    plugin = JudgePlugin(course, rubric, submissions, supply, options)
    # pytest sees its own command line, not ours; colours, capture, caches and third-party plugins have no part in this.
    code = pytest.main(
        [
            *paths, "-c", str(CHECKS_INI), f"--rootdir={course.root}", "--import-mode=importlib", "--noconftest",
            "--assert=plain", "--capture=no", "--disable-plugin-autoload", "-p", "pytest_timeout",
            f"--timeout={rubric.limits.seconds * OUTER_LIMIT_FACTOR}",
            *(item for name in UNUSED_PLUGINS for item in ("-p", f"no:{name}")),
        ],
        plugins=[plugin],
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

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what went wrong in a file of checks."""
        if report.failed:
            self._problems.append(f"{report.nodeid} can't be read as a file of checks:\n{report.longreprtext}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run every check of every submission; a fault of ours ends the session and is raised again outside."""
        try:
            if self._problems:
                raise CourseError("\n".join(self._problems))
            checks = catalogue(session.items, self._course, self._rubric, hidden=self._options.hidden)
            for submission in self._submissions:
                self.results.append(self._judge_submission(submission, checks))
        except Exception as fault:
            self.fault = fault
        return True

    # ------------------------------------------------------------ judging

    def _judge_submission(self, submission: Submission, checks: dict[str, list[Check]]) -> tuple[Outcome, ...]:
        return tuple(
            outcome for file in submission.files for outcome in self._judge_exercise(file, checks[file.slug])
        )

    def _judge_exercise(self, file: ExerciseFile, checks: list[Check]) -> list[Outcome]:
        attempt = Attempt(self._supply, self._rubric.limits, file)
        outcomes: dict[str, Outcome] = {}
        try:
            for check in checks:
                outcomes[check.name] = self._judge_check(check, attempt, outcomes)
        finally:
            attempt.close()
        return list(outcomes.values())

    def _judge_check(self, check: Check, attempt: Attempt, before: dict[str, Outcome]) -> Outcome:
        started = time.perf_counter()
        finding = self._obstacle(check, attempt, before) or self._judge_fairly(check, attempt)
        return Outcome(
            slug=check.slug,
            check=check.name,
            title=check.title,
            objective=check.objective,
            visibility=check.visibility,
            verdict=finding.verdict,
            expected=finding.expected,
            got=finding.got,
            hint=finding.hint,
            line=finding.line,
            seconds=round(time.perf_counter() - started, 4),
            output=clean(attempt.take_output().decode("utf-8", "replace")),
        )

    def _obstacle(self, check: Check, attempt: Attempt, before: dict[str, Outcome]) -> Finding | None:
        """Return why a check need not run: the file is unreadable, or something that it needs did not pass."""
        if attempt.file.problem and not before:
            return unreadable(attempt.file.problem)
        if attempt.file.problem or not attempt.loads:
            return Finding(Verdict.BLOCKED, got="needs a file that can be loaded")
        for name in check.needs:
            match before[name].verdict:
                case Verdict.PASS:
                    continue
                case Verdict.BLOCKED:
                    return Finding(Verdict.BLOCKED, got=before[name].got)
                case Verdict.BROKEN:
                    # What a broken check leaves undecided is no more the student's fault than that check is.
                    return Finding(Verdict.BROKEN, got=f"needs {name}")
            return Finding(Verdict.BLOCKED, got=f"needs {name}")
        return None

    def _run(self, check: Check, attempt: Attempt) -> Finding:
        """Run one check as pytest runs a test, and return what its end means."""
        self._attempt = attempt
        self._ended_with = None
        check.item.ihook.pytest_runtest_protocol(item=check.item, nextitem=None)
        if isinstance(self._ended_with, OSError | HostFailed | KeyboardInterrupt):
            raise self._ended_with
        return find(self._ended_with, attempt, trace=self._options.trace)

    def _judge_fairly(self, check: Check, attempt: Attempt) -> Finding:
        """Run one check; where the check itself failed, decide whose fault that is.

        A check that the reference passes was broken by the answer, which must not earn a point by that.
        """
        finding = self._run(check, attempt)
        path = self._course.reference(check.slug)
        if finding.verdict is not Verdict.BROKEN or not path.exists():
            return finding
        control = Attempt(self._supply, self._rubric.limits, ExerciseFile(check.slug, path.name, path.read_bytes()))
        try:
            verdict = self._run(check, control).verdict
        finally:
            control.close()
        if verdict is not Verdict.PASS:
            return finding
        hint = "Return plain tensors of the documented shape and type."
        return Finding(Verdict.FAIL, "an answer that can be judged", f"something else; {finding.got}", hint)

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Keep the first exception of a check, its fixtures included."""
        if call.excinfo is not None and self._ended_with is None:
            self._ended_with = call.excinfo.value

    # ------------------------------------------------------------ fixtures

    @pytest.fixture
    def student(self, rng: Draw) -> Student:
        """The submission, with a worker that has loaded it and the clock running."""
        self._attempt.begin_check()
        return Student(self._attempt, rng)

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> Draw:
        """The check's random inputs."""
        return Draw(self._options.seed, request.node.nodeid)

    @pytest.fixture
    def reference(self, request: pytest.FixtureRequest) -> ModuleType:
        """The course's own solution of this exercise, imported into the judge."""
        return _import_file(self._course.reference(request.node.path.parent.name))


def _import_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"reference_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise CourseError(f"{path} can't be imported as a reference")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

