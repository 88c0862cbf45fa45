"""Whose each submission is: names of a source to students of the roster, and one submission for each student.

Nothing is settled silently. Where two could be meant, or one student has two submissions, a finding says what was done.
In many systems students choose how they are called: by a full name only somebody of that name is found, and who is not
on the roster does not get a name there by which another student would be found later.
"""

import datetime
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graders.engine.clean import one_line
from graders.engine.load.handed_in.records import HandedIn, Origin, with_finding
from graders.engine.load.person import require_person
from graders.engine.load.roster import Roster, RosterRow

LONGEST_LABEL = 300


@dataclass(frozen=True, slots=True)
class Draft:
    """A submission as its source names it: a name, and what the roster may know its student by."""

    name: str
    label: str
    origin: Origin
    number: str = ""
    """By which the source tells students of one name from each other."""
    known_by: tuple[str, ...] = ()
    """Logins, ids or addresses that the student did not choose."""
    full_name: str = ""
    """By which they are looked for otherwise, if nobody else here is called so."""
    handed_in_at: datetime.datetime | None = None
    findings: tuple[tuple[str, str], ...] = ()


def attributed(drafts: Sequence[Draft], roster: Roster | None) -> tuple[list[HandedIn], list[str]]:
    """The submissions with their students, and lines about those that are nobody's."""
    shared = _shared_names(drafts)
    found, unread = [], []
    for draft in drafts:
        namesakes = _folded(draft.name) in shared
        try:
            found.append(_attributed(draft, namesakes, roster))
        except ValueError as error:
            unread.append(f"{one_line(draft.label)} is no student's: {error}. Rename it")
    return found, unread


def one_each(handed_in: Iterable[HandedIn]) -> list[HandedIn]:
    """One submission for each student, sorted by student: the newest, or the first where nobody knows which that is."""
    by_student: dict[str, list[HandedIn]] = {}
    for one in handed_in:
        by_student.setdefault(one.student, []).append(one)
    chosen = [_the_one(by_student[student]) for student in sorted(by_student)]
    folds: dict[str, list[str]] = {}
    for one in chosen:
        folds.setdefault(one.student.casefold(), []).append(one.student)
    return [_with_doubles(one, folds[one.student.casefold()]) for one in chosen]


def _attributed(draft: Draft, namesakes: bool, roster: Roster | None) -> HandedIn:
    row = _row(draft, namesakes, roster) if roster is not None else None
    name = f"{draft.name} {draft.number}" if namesakes else draft.name
    student = require_person(name) if row is None else row.student
    label = one_line(draft.label[:LONGEST_LABEL])
    one = HandedIn(student, label, draft.origin, draft.handed_in_at, draft.findings)
    if roster is None or row is not None:
        return one
    if roster.find(student) is not None:
        one = replace(one, student=require_person(f"{student} (of no student)"))
    several = ", where several could be meant" if roster.is_shared(draft.name) else ""
    return with_finding(one, f"not on the roster{several}; expected a login, id, e-mail address or full name from it")


def _row(draft: Draft, namesakes: bool, roster: Roster) -> RosterRow | None:
    found = (row for row in map(roster.find, draft.known_by) if row is not None)
    return next(found, None if namesakes else roster.find_name(draft.full_name))


def _shared_names(drafts: Iterable[Draft]) -> frozenset[str]:
    """The names that students with different numbers have."""
    numbers: dict[str, set[str]] = {}
    for draft in drafts:
        numbers.setdefault(_folded(draft.name), set()).add(draft.number)
    return frozenset(name for name, found in numbers.items() if len(found) > 1)


def _the_one(all_of_one: list[HandedIn]) -> HandedIn:
    if len(all_of_one) == 1:
        return all_of_one[0]
    dated = [(one.handed_in_at, one) for one in all_of_one if one.handed_in_at is not None]
    if len(dated) == len(all_of_one):
        _, chosen = max(dated, key=lambda pair: (pair[0], pair[1].label))
        why = "the newest of"
    else:
        chosen = min(all_of_one, key=lambda one: one.label)
        why = "taken without knowing which is the newest of"
    others = sorted(one.label for one in all_of_one if one is not chosen)
    names = ", ".join(one_line(label[:100]) for label in others[:5]) + (" and more" if len(others) > 5 else "")
    return with_finding(
        chosen,
        f"{one_line(chosen.label)} counts, {why} {len(all_of_one)} submissions of this student; "
        f"not read: {names}. Take away those that do not count",
    )


def _with_doubles(one: HandedIn, alike: Sequence[str]) -> HandedIn:
    others = [name for name in alike if name != one.student]
    if not others:
        return one
    return with_finding(
        one, f"differs from {', '.join(others[:5])} only in capitals; if that is one student, rename one"
    )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()
