"""Judging one submission: which check runs, what its end means, and whose fault it is."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graders.engine.clean import clean
from graders.engine.judge.attempt import Attempt
from graders.engine.judge.catalogue import VISIBILITIES, Check
from graders.engine.judge.outcome import Outcome, Verdict
from graders.engine.judge.verdicts import Finding, find, unreadable
from graders.engine.judge.words import LONGEST_FIELD
from graders.engine.load.course import Course
from graders.engine.load.rubric import Limits
from graders.engine.load.submission import ExerciseFile, Submission
from graders.engine.run.launch import HostFailed
from graders.engine.run.supply import WorkerSupply


@dataclass(frozen=True, slots=True)
class Failed:
    """What kept a submission from being judged, when it was tried once more as well: no doing of its checks'."""

    error: OSError | HostFailed


@dataclass(frozen=True, slots=True)
class Judging:
    """All that judging needs. `run` runs one check on an attempt and returns the exception that ended it, if any."""

    course: Course
    limits: Limits
    supply: WorkerSupply
    trace: bool
    run: Callable[[Check, Attempt], BaseException | None]

    def judge_if_possible(
        self, submission: Submission, checks: Mapping[str, Sequence[Check]]
    ) -> tuple[Outcome, ...] | Failed:
        """Return as `judge_submission` does, if the machine fails it at a second try: with a new host, if that died."""
        try:
            return self.judge_submission(submission, checks)
        except (OSError, HostFailed):
            try:
                return self.judge_submission(submission, checks)
            except (OSError, HostFailed) as error:
                return Failed(error)

    def judge_submission(self, submission: Submission, checks: Mapping[str, Sequence[Check]]) -> tuple[Outcome, ...]:
        """Return the outcome of every check of the submission's exercises, in file order.

        Hidden checks come last, of all exercises, and with new workers: what a visible check reports may be public,
        and code that looks at the clock in it would tell how long hidden ones took.
        """
        attempts = [Attempt(self.supply, self.limits, file) for file in submission.files]
        found: dict[str, dict[str, Outcome]] = {file.slug: {} for file in submission.files}
        for visibility in VISIBILITIES:
            for attempt in attempts:
                slug = attempt.file.slug
                chosen = [check for check in checks[slug] if check.visibility == visibility]
                self._judge_checks(chosen, attempt, found[slug])
        return tuple(outcome for outcomes in found.values() for outcome in outcomes.values())

    def _judge_checks(self, checks: Sequence[Check], attempt: Attempt, outcomes: dict[str, Outcome]) -> None:
        try:
            for check in checks:
                outcomes[check.name] = self._judge_check(check, attempt, outcomes)
        finally:
            attempt.close()

    def _judge_check(self, check: Check, attempt: Attempt, before: Mapping[str, Outcome]) -> Outcome:
        started = time.perf_counter()
        finding = _obstacle(check, attempt, before) or self._judge_fairly(check, attempt)
        return Outcome(
            slug=check.slug,
            check=check.name,
            title=check.title,
            objective=check.objective,
            visibility=check.visibility,
            verdict=finding.verdict,
            # Names that a student chose may stand in any of them.
            expected=clean(finding.expected, LONGEST_FIELD),
            got=clean(finding.got, LONGEST_FIELD),
            hint=clean(finding.hint, LONGEST_FIELD),
            line=_line_within(attempt.file, finding.line),
            seconds=round(time.perf_counter() - started, 4),
            output=clean(attempt.take_output().decode("utf-8", "replace")),
            notes=attempt.notes,
        )

    def _judge_fairly(self, check: Check, attempt: Attempt) -> Finding:
        """Run one check; where the check itself failed, decide whose fault that is.

        A check that the reference passes was broken by the answer, which must not earn a point by that; nor by leaving
        the reference too little time or memory.
        """
        error = self._run(check, attempt)
        finding = find(error, attempt, trace=self.trace)
        path = self.course.reference(check.slug)
        if finding.verdict is not Verdict.BROKEN or not path.exists():
            return finding
        attempt.close()  # whatever it still does, the reference must not suffer from it
        control = Attempt(self.supply, self.limits, ExerciseFile(check.slug, path.name, path.read_bytes()))
        try:
            on_reference = find(self._run(check, control), control, trace=False)
        finally:
            control.close()
        if on_reference.verdict not in (Verdict.PASS, Verdict.TIMEOUT, Verdict.CRASHED):
            return finding
        got = f"one on which the check stopped ({type(error).__name__}: {error})"
        hint = "Give answers of the documented form: plain tensors of that shape and type, plain text on a sheet."
        return Finding(Verdict.FAIL, "an answer that can be judged", got, hint)

    def _run(self, check: Check, attempt: Attempt) -> BaseException | None:
        error = self.run(check, attempt)
        if isinstance(error, OSError | HostFailed | KeyboardInterrupt):
            raise error  # neither the student's doing nor the check's
        return error


def _obstacle(check: Check, attempt: Attempt, before: Mapping[str, Outcome]) -> Finding | None:
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


def _line_within(file: ExerciseFile, line: int | None) -> int | None:
    """Return the line if the file has it: what a worker says about lines may be any whole number."""
    return line if line is not None and 1 <= line <= file.source.count(b"\n") + 1 else None
