"""Accounts and students: which account is whose by the roster, whose deadline is when, and who has no account here."""

import datetime
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from graders.engine.deliver.github.sweep.choosing import finding
from graders.engine.load.handed_in.listing import SweepItem
from graders.engine.load.roster import Extension, Roster, RosterRow


@dataclass(frozen=True)
class Roll:
    """Students by their accounts, in small letters. By nothing else: what an account is called, its owner decides."""

    roster: Roster | None
    rows: dict[str, RosterRow] = field(default_factory=dict)

    def deadline(self, account: str, deadline: datetime.datetime) -> datetime.datetime:
        """Return until when an account's pushes count."""
        row = self.rows.get(account.casefold())
        return extended(deadline, row.extension if row else None)


def roll(roster: Roster | None) -> Roll:
    """Return the roster by accounts."""
    rows = roster.rows if roster is not None else ()
    return Roll(roster, {row.login.casefold(): row for row in rows if row.login})


def extended(deadline: datetime.datetime, extension: Extension | None) -> datetime.datetime:
    """Return the deadline with an extension: so many hours more, or a moment of the student's own."""
    if extension is None:
        return deadline
    if extension.until is not None:
        return extension.until
    return deadline + datetime.timedelta(hours=extension.hours or 0)


def as_students(items: Iterable[SweepItem], known: Roll, course: str, server: str) -> tuple[SweepItem, ...]:
    """Return the items with the names of the roster, and one for each student of it who has no fork."""
    found = {item.student.casefold(): item for item in items}
    named = [_named(item, known) for item in found.values()]
    missing = list(_missing(found.keys(), known, course, server))
    return tuple(sorted([*named, *missing], key=lambda item: item.student))


def _named(item: SweepItem, known: Roll) -> SweepItem:
    if known.roster is None:
        return item
    row = known.rows.get(item.student.casefold())
    if row is not None:
        return item.model_copy(update={"student": row.student})
    # An account may be called as somebody else's number or address in the roster.
    student = f"{item.student} (of no student)" if known.roster.find(item.student) else item.student
    words = f"the account {item.student} is in no row of the roster"
    return item.model_copy(update={"student": student}).and_findings(finding("other", words))


def _missing(found: Container[str], known: Roll, course: str, server: str) -> Iterator[SweepItem]:
    for row in known.roster.rows if known.roster is not None else ():
        if row.login and row.login.casefold() in found:
            continue
        nothing = f"{row.login} has no fork, and no pull request from one that is gone"
        why = nothing if row.login else "the roster has no login"
        yield SweepItem(
            student=row.student,
            repository="",
            url=f"{server}/{course}",
            sha=None,
            pushed_at=None,
            said=f"nothing was handed in: {why}",
        )
