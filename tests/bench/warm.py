"""The floor of `make bench`: the same checks in one warm process, for one submission after another, with no isolation.

`python warm.py COURSE SUBMISSION ROUNDS` prints two numbers: CPU seconds per submission of the checks' own work, and
of the same as pytest runs it, with fixtures and reports.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import unprotected

from graders.engine.judge.arguments import arguments_of
from graders.engine.judge.catalogue import Check, catalogue
from graders.engine.judge.course_files import turn_to
from graders.engine.load.course import Course, find_course
from graders.engine.load.rubric import load_rubric

ROUNDS_BEFORE = 2
CHECKS_INI = Path(__file__).parents[2] / "graders/engine/judge/checks.ini"


class Warm:
    """The pytest plugin whose loop goes over the checks again and again, as the judge's own does."""

    def __init__(self, course: Course, submission: Path, rounds: int) -> None:
        self._course = course
        self._submission = submission
        self._rounds = rounds
        self.seconds: tuple[float, float] | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure both ways."""
        rubric = load_rubric(self._course.rubric)
        checks = catalogue(session.items, list(rubric.exercises), self._course, rubric, hidden=True)
        plain = self._per_round(lambda: self._call_all(checks))
        self.seconds = plain, self._per_round(lambda: _run_all(session.items))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End where a check fails: its figure would be none."""
        if report.failed:
            raise SystemExit(f"{report.nodeid}: {report.longreprtext}")

    def _per_round(self, action: Callable[[], None]) -> float:
        for _ in range(ROUNDS_BEFORE):
            action()
        before = time.process_time()
        for _ in range(self._rounds):
            action()
        return (time.process_time() - before) / self._rounds

    def _call_all(self, checks: dict[str, list[Check]]) -> None:
        """Call each check's function; visible and hidden checks load the file each for themselves, as in grading."""
        for slug, chosen in checks.items():
            (path,) = self._submission.glob(f"{slug}.*")
            for visibility in ("visible", "hidden"):
                attempt = unprotected.direct_attempt(path)
                for check in chosen:
                    if check.visibility == visibility:
                        check.function(**arguments_of(check, attempt, self._course, 1))


def _run_all(items: list[pytest.Item]) -> None:
    for item, after in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)


def main(root: str, submission: str, rounds: str) -> None:
    """Print both numbers."""
    torch.set_num_threads(1)
    os.environ["BENCH_SUBMISSION"] = submission
    course = find_course(Path(root))
    turn_to(course)
    plugin = Warm(course, Path(submission), int(rounds))
    files = [str(path) for kind in ("visible", "hidden") for path in sorted(course.root.glob(f"graders/ex*/{kind}.py"))]
    options = ["-c", str(CHECKS_INI), f"--rootdir={course.root}", "--import-mode=importlib", "--noconftest",
               "--disable-plugin-autoload", "-p", "no:terminal", "-p", "no:cacheprovider"]  # fmt: skip
    pytest.main([*options, *files], plugins=[plugin, unprotected])
    if plugin.seconds is None:
        raise SystemExit("pytest did not come as far as the checks")
    print(*plugin.seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
