"""Which commit counts for each student, and what a person may want to look at: a pure function of what was seen."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graders.engine.deliver.github.sweep.look import Branch, Look, Lost
from graders.engine.load.handed_in.listing import KindOfFinding, SweepItem, SweptFinding

MOST_WORDS = 1_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A commit that may count: where it is, when it came, how that place is called, and who pushed it."""

    sha: str
    received: datetime.datetime
    repository: str
    place: str
    by: str = ""


def choose(
    looks: Iterable[Look], lost: Iterable[Lost], own: frozenset[str], course: str, server: str
) -> tuple[SweepItem, ...]:
    """Return an item for each account. `own` are the course's commits: a fork at one of them holds no work."""
    forks: dict[str, list[Look]] = {}
    pulls: dict[str, list[Lost]] = {}
    names: dict[str, str] = {}
    for look in looks:
        forks.setdefault(look.owner.lower(), []).append(look)
        names.setdefault(look.owner.lower(), look.owner)
    for pull in lost:
        if pull.owner:
            pulls.setdefault(pull.owner.lower(), []).append(pull)
            names.setdefault(pull.owner.lower(), pull.owner)
    return tuple(
        _item(names[key], forks.get(key, []), pulls.get(key, []), own, course, server) for key in sorted(names)
    )


def finding(kind: KindOfFinding, words: str) -> SweptFinding:
    """Return a finding with words that are not endless."""
    return SweptFinding(kind=kind, words=words if len(words) <= MOST_WORDS else words[: MOST_WORDS - 1] + "…")


def moment(time: datetime.datetime) -> str:
    """Return a moment as people read it."""
    return time.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _item(
    student: str, looks: Sequence[Look], lost: Sequence[Lost], own: frozenset[str], course: str, server: str
) -> SweepItem:
    candidates = list(_candidates(looks, lost, own, course))
    # Of two at the same second, the one that is named first.
    chosen = max(candidates, key=lambda one: one.received, default=None)
    repository = chosen.repository if chosen else looks[0].name if looks else course
    return SweepItem(
        student=student,
        repository=repository,
        url=f"{server}/{repository}",
        sha=None if chosen is None else chosen.sha,
        pushed_at=None if chosen is None else chosen.received,
        said="" if chosen else _why_nothing(looks, lost, own),
    ).and_findings(
        *_of_pusher(student, chosen),
        *_of_others(chosen, candidates),
        *_of_lost(chosen, lost, own),
        *_of_branches(looks),
    )


def _candidates(looks: Sequence[Look], lost: Sequence[Lost], own: frozenset[str], course: str) -> Iterator[Candidate]:
    for look in looks:
        for branch in look.branches:
            if branch.sha is not None and branch.received is not None and branch.sha not in own:
                yield Candidate(branch.sha, branch.received, look.name, f'"{branch.name}" of {look.name}', branch.by)
    for pull in lost:
        if pull.known_at is not None and pull.sha not in own:
            yield Candidate(pull.sha, pull.known_at, course, f"pull request {pull.pull}, whose fork is gone")


def _why_nothing(looks: Sequence[Look], lost: Sequence[Lost], own: frozenset[str]) -> str:
    reasons = [look.said for look in looks if look.said]
    for look in looks:
        for branch in look.branches:
            if branch.note:
                reasons.append(f'"{branch.name}" of {look.name}: {branch.note}')
            elif branch.sha in own:
                reasons.append(f'"{branch.name}" of {look.name} is at a commit of the course itself')
            else:
                reasons.append(f'nothing was pushed to "{branch.name}" of {look.name} by the deadline')
    reasons += [_unknown(pull) for pull in lost if pull.known_at is None]
    return f"nothing was handed in: {'; '.join(reasons)}"[:MOST_WORDS]


def _unknown(pull: Lost) -> str:
    return (
        f"pull request {pull.pull} is from a fork that is gone, and nothing says that GitHub had its commit "
        f"{pull.sha[:12]} by the deadline"
    )


def _of_pusher(student: str, chosen: Candidate | None) -> Iterator[SweptFinding]:
    """A fork may belong to an organisation, have been given away, or have several people who work in it."""
    if chosen is not None and chosen.by and chosen.by.lower() != student.lower():
        yield finding("other", f"what counts was pushed by {chosen.by}, not by {student}, whose fork it is now")


def _of_others(chosen: Candidate | None, candidates: Sequence[Candidate]) -> Iterator[SweptFinding]:
    others = [one.place for one in candidates if chosen is not None and one.sha != chosen.sha]
    if chosen is not None and others:
        yield finding(
            "other", f"there is other work in {', '.join(others)}; what was pushed last counts, {chosen.place}"
        )


def _of_lost(chosen: Candidate | None, lost: Sequence[Lost], own: frozenset[str]) -> Iterator[SweptFinding]:
    for pull in lost:
        if pull.sha in own:
            continue
        if pull.known_at is None:
            yield finding("other", _unknown(pull))
        elif chosen is not None and chosen.sha == pull.sha:
            yield finding("other", f"the commit is of pull request {pull.pull}, whose fork is gone")


def _of_branches(looks: Sequence[Look]) -> Iterator[SweptFinding]:
    if len(looks) > 1:
        yield finding("other", f"there are several repositories: {', '.join(look.name for look in looks)}")
    for look in looks:
        for branch in look.branches:
            if branch.late and branch.latest is not None:
                yield finding("late_work", _late(look, branch, branch.latest))
            if branch.note and branch.sha is not None:
                yield finding("other", f'"{branch.name}" of {look.name}: {branch.note}')


def _late(look: Look, branch: Branch, latest: datetime.datetime) -> str:
    times = "once" if branch.late == 1 else f"{branch.late} times"
    return (
        f'after the deadline "{branch.name}" of {look.name} was pushed to {times}, last at {moment(latest)}; '
        "that is not looked at"
    )


def with_findings(items: Iterable[SweepItem], more: Mapping[str, Sequence[SweptFinding]]) -> tuple[SweepItem, ...]:
    """Return the items with further findings, by student."""
    return tuple(item.and_findings(*more.get(item.student, ())) for item in items)
