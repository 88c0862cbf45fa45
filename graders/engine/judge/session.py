"""A judging session: pytest collects the checks once and runs them on one submission after the other.

pytest gives collection, marks and the outer time limit; what a check's end means is decided in `judging`.
Nothing in this process imports or executes anything of a submission.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_timeout  # type: ignore[import-untyped]
import torch

from graders.engine.errors import CourseError
from graders.engine.judge.arguments import arguments_of
from graders.engine.judge.attempt import Attempt
from graders.engine.judge.catalogue import Check, catalogue
from graders.engine.judge.course_files import import_problem, turn_to
from graders.engine.judge.judging import Failed, Judging
from graders.engine.judge.outcome import Outcome
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
    results: list[tuple[Outcome, ...]] = []

    def take(result: tuple[Outcome, ...] | Failed) -> None:
        if isinstance(result, Failed):
            raise result.error
        results.append(result)

    slugs = list(dict.fromkeys(file.slug for submission in submissions for file in submission.files))
    judge_each(course, rubric, slugs, submissions, supply, options, take)
    return results


def judge_each(
    course: Course,
    rubric: Rubric,
    slugs: Sequence[str],
    submissions: Iterable[Submission],
    supply: WorkerSupply,
    options: Options,
    take: Callable[[tuple[Outcome, ...] | Failed], None],
) -> None:
    """Judge submissions of these exercises as they come, and hand on what came of each before the next is asked for.

    Raises as `judge` does, but that a submission which the machine fails twice ends nothing: `take` is told.
    """
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
    plugin = JudgePlugin(course, rubric, slugs, submissions, supply, options, take)
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
    if not plugin.finished:
        raise RuntimeError(f"pytest ended early, with exit code {code}")


UNUSED_PLUGINS = (
    "terminal", "cacheprovider", "junitxml", "pastebin", "stepwise", "doctest", "faulthandler", "logging", "unittest",
    "unraisableexception", "threadexception",
)  # fmt: skip


@dataclass(eq=False)
class JudgePlugin:
    """The pytest plugin: its loop goes over submissions, and calls each check itself."""

    course: Course
    rubric: Rubric
    slugs: Sequence[str]
    submissions: Iterable[Submission]
    supply: WorkerSupply
    options: Options
    take: Callable[[tuple[Outcome, ...] | Failed], None]

    def __post_init__(self) -> None:
        self._problems: list[str] = []
        self._running: tuple[Check, Attempt]
        self._ended_with: BaseException | None = None
        self.finished = False
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
        course, rubric, options = self.course, self.rubric, self.options
        judging = Judging(course, rubric.limits, self.supply, options.trace, self._run_check)
        try:
            if self._problems:
                raise CourseError("\n".join(self._problems))
            checks = catalogue(session.items, self.slugs, course, rubric, hidden=options.hidden)
            for submission in self.submissions:
                self.take(judging.judge_if_possible(submission, checks))
            self.finished = True
        except Exception as fault:
            self.fault = fault
        return True

    # ------------------------------------------------------------ one check

    def _run_check(self, check: Check, attempt: Attempt) -> BaseException | None:
        """Run one check as pytest runs a test, and return what ended it."""
        self._running = check, attempt
        self._ended_with = None
        check.item.config.hook.pytest_runtest_protocol(item=check.item, nextitem=None)
        return self._ended_with

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool:
        """Call the check's function, inside what other plugins put around a test: here, the outer time limit.

        What pytest would do itself, three phases with a report of each, takes longer than many a check.
        """
        check, attempt = self._running
        try:
            check.function(**arguments_of(check, attempt, self.course, self.options.seed))
        except BaseException as error:
            self._ended_with = error
        return True
