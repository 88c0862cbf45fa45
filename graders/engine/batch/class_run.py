"""Grades a class: reads submissions as there is room, decides what has to be graded, and keeps what comes back.

Each student's result is written as it comes, so that whatever stops this run costs what was under way, and no more.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from graders.engine.batch.changes import Why
from graders.engine.batch.crew import Crew, Done, Job
from graders.engine.batch.keeper import Keeper, Prior
from graders.engine.batch.key import submission_key
from graders.engine.batch.plan import Plan, why_again
from graders.engine.batch.progress import Progress
from graders.engine.errors import CourseError, ServiceError, SubmissionError, UsageError
from graders.engine.load.handed_in.records import HandedIn, Nothing
from graders.engine.score.card import card_from_json

QUEUED = 2
"""For each member: one submission that it judges, and one that is read already when it is done."""
HANDED_IN_NOTHING = "nothing was handed in"


@dataclass(frozen=True, slots=True)
class Due:
    """A submission that has to be graded, and what there was of its student before."""

    handed_in: HandedIn
    job: Job
    key: str
    why: Why
    prior: Prior


def run_class(plan: Plan, crew: Crew, keeper: Keeper, progress: Progress) -> None:
    """Grade what has to be graded, and keep it; raises what the crew raises."""
    with progress:
        progress.expect(len(plan.handed_in))
        for student in plan.missing:
            nothing = HandedIn(student, "", Nothing(HANDED_IN_NOTHING))
            keeper.nothing(nothing, HANDED_IN_NOTHING, keeper.prior(student))
        again: list[Due] = []
        for due, words in _judged(_all_due(plan, keeper, progress), crew, lambda: QUEUED * crew.size, keeper, progress):
            again.append(due)
            progress.put_off(words)
        # What killed a member, or was under way when another did: alone now, so that it can harm nobody else.
        for due, words in _judged(again, crew, lambda: 1, keeper, progress):
            keeper.fault(due.handed_in, words, due.key, due.prior)
            progress.advance()


def _all_due(plan: Plan, keeper: Keeper, progress: Progress) -> Iterator[Due]:
    """Yield what has to be graded; of all others the card that is there is kept, or the reason why there is none."""
    for handed_in in plan.handed_in:
        due = _due(handed_in, plan, keeper)
        if due is None:
            progress.advance()
        else:
            yield due


def _due(handed_in: HandedIn, plan: Plan, keeper: Keeper) -> Due | None:
    prior = keeper.prior(handed_in.student)
    try:
        submission = plan.load(handed_in)
    except SubmissionError as error:
        keeper.nothing(handed_in, str(error), prior)
        return None
    except (UsageError, CourseError):
        raise  # would be the same for everybody
    except ServiceError as error:
        keeper.fault(handed_in, str(error), None, prior)
        return None
    except Exception as error:  # not foreseen, and so ours: it is told, and costs nobody else
        keeper.fault(handed_in, f"reading it failed ({type(error).__name__}: {error})", None, prior)
        return None
    setup = plan.setup
    key = submission_key(setup.digest, setup.seed, setup.hidden, setup.mode, handed_in.student, submission)
    why = why_again(prior.entry, prior.card, plan, submission, key)
    if why is None:
        keeper.keep(handed_in, prior)
        return None
    return Due(handed_in, Job(handed_in.student, submission), key, why, prior)


def _judged(
    dues: Iterable[Due], crew: Crew, most: Callable[[], int], keeper: Keeper, progress: Progress
) -> Iterator[tuple[Due, str]]:
    """Have these judged, at most so many at a time, and keep their cards; yield those that failed, with the reason.

    How many is asked each time: a crew may grow.
    """
    under_way: dict[str, Due] = {}

    def take() -> Iterator[tuple[Due, str]]:
        result = crew.take()
        due = under_way.pop(result.student)
        if not isinstance(result, Done):
            yield due, result.words
            return
        said = "\n".join(due.job.submission.notes)
        keeper.graded(due.handed_in, said, due.key, due.why, due.prior, card_from_json(result.card))
        progress.advance_by_grading()

    for due in dues:
        while len(under_way) >= most():
            yield from take()
        under_way[due.handed_in.student] = due
        crew.give(due.job)
    while under_way:
        yield from take()
