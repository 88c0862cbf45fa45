"""A member's work: submissions come in, their cards go out, and student code runs in workers of a host of its own.

Whatever starts a member, a process of ours or one on another machine, gives it a setup and two ends of a line.
"""

from collections.abc import Callable, Iterator
from contextlib import closing

from graders.engine.batch.crew import Done, Failed, Job, Setup
from graders.engine.batch.grader import describe
from graders.engine.batch.key import course_digest
from graders.engine.clean import clean
from graders.engine.errors import CourseError, shown_path
from graders.engine.load.submission import Submission
from graders.engine.run.isolation import Isolation, keep_apart
from graders.engine.run.supply import start_supply, try_out


def judge_jobs(
    setup: Setup, jobs: Iterator[Job], ready: Callable[[], None], send: Callable[[Done | Failed], None]
) -> None:
    """Judge submissions as they come, until there are no more; `ready` is called before the first.

    Raises SandboxError where student code can't be shut in here as it must be, and CourseError where this course is
    not the one that is graded.
    """
    with closing(start_supply(Isolation(setup.mode))) as supply:
        # Imported beside the host, which does the same: one wait for torch.
        from graders.engine.judge.judging import Failed as NotJudged
        from graders.engine.judge.outcome import Outcome
        from graders.engine.judge.session import Options, judge_each
        from graders.engine.score.card import card_to_json
        from graders.engine.score.scoring import score

        _require_same_course(setup)
        report = try_out(supply, setup.rubric.limits.memory_mib)
        keep_apart(report, setup.apart)
        ready()
        under_way: list[Job] = []

        def submissions() -> Iterator[Submission]:
            for job in jobs:
                under_way[:] = [job]
                yield job.submission

        def take(result: tuple[Outcome, ...] | NotJudged) -> None:
            (job,) = under_way
            if isinstance(result, NotJudged):
                send(Failed(job.student, clean(f"{type(result.error).__name__}: {result.error}")))
                return
            grader = describe(setup.seed, setup.hidden, setup.mode, report, job.submission.commit)
            card = score(setup.rubric, job.submission.files, result, grader, job.student)
            send(Done(job.student, card_to_json(card)))

        options = Options(setup.seed, setup.hidden)
        judge_each(setup.course, setup.rubric, setup.slugs, submissions(), supply, options, take)


def _require_same_course(setup: Setup) -> None:
    found = course_digest(setup.course, setup.rubric, setup.slugs, setup.hidden)
    if found != setup.digest:
        raise CourseError(
            f"the course in {shown_path(setup.course.root)} has changed since grading began, or is another one here: "
            f"expected the digest {setup.digest[:12]}, found {found[:12]}. Run `grade class` again, which grades anew "
            "what the change is about"
        )
