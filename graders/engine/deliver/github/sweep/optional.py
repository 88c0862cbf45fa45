"""What is looked up while GitHub still answers: each fork's own runs, and what they claim. It decides no score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graders.engine.deliver.github.api.failure import GitHubError, NotThereError, RefusedError
from graders.engine.deliver.github.api.session import Session
from graders.engine.deliver.github.clock import Clock
from graders.engine.deliver.github.sweep.choosing import finding
from graders.engine.deliver.github.sweep.claims import NoCardError, claimed_card, own_runs
from graders.engine.deliver.github.sweep.kept_claims import KeptClaims
from graders.engine.load.handed_in.listing import SweepItem, SweptFinding

RESERVE = 60
"""So many requests of the hour are left to others: gradings use the same allowance."""
MOST_REFUSALS = 5
"""One after another: then the token may not see such things at all."""


@dataclass
class Claimed:
    """What came of it: findings by student, and why it ended early, if it did."""

    findings: dict[str, Sequence[SweptFinding]] = field(default_factory=dict)
    stopped: str = ""


def look_up_claims(
    session: Session, items: Iterable[SweepItem], course: str, api: str, clock: Clock, kept: KeptClaims
) -> Claimed:
    """Look up the runs of each fork that handed something in, until the rate limit is near."""
    result = Claimed()
    waiting = [
        (item, item.sha)
        for item in items
        if item.sha is not None and item.repository.lower() != course.lower() and not kept.has(item.student, item.sha)
    ]
    refusals = 0
    for number, (item, sha) in enumerate(waiting):
        left = session.pace.requests_left
        if left is not None and left < RESERVE:
            reason = f"GitHub answers {left} more requests in this hour, which are left to gradings"
        elif refusals == MOST_REFUSALS:
            reason = "GitHub does not show them to this token"
        else:
            try:
                result.findings[item.student] = _looked_up(session, item, sha, api, clock, kept)
                refusals = 0
                continue
            except (NotThereError, RefusedError):
                refusals += 1
                continue
            except GitHubError as error:
                reason = str(error)
        result.stopped = (
            f"the own runs of {len(waiting) - number} of {len(waiting)} forks were not looked up: {reason}. "
            "Run this again later for them"
        )
        break
    return result


def _looked_up(
    session: Session, item: SweepItem, sha: str, api: str, clock: Clock, kept: KeptClaims
) -> tuple[SweptFinding, ...]:
    own = own_runs(session, item.repository, sha)
    if not own.runs:
        return (finding("actions_off", f"no workflow has run in {item.repository}: Actions are off there"),)
    if own.artifact is None:
        return ()
    try:
        kept.keep(item.student, sha, claimed_card(session, item.repository, own.artifact, api, clock))
    except NoCardError as error:
        return (finding("other", f"the practice-card of {item.repository} is no card, but {error}"),)
    return ()
