"""Whose attempts and marks are whose: students of the roster by the names that they have, and by those they had.

What somebody handed in before their login changed stays theirs. A name that another student has by now is that one's.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from graders.engine.gradebook.file import Gradebook
from graders.engine.gradebook.schema import NAMES
from graders.engine.load.roster import Roster, RosterRow


@dataclass(frozen=True, slots=True)
class Known:
    """The roster, and its students by the names that they had before; none for a name that several had."""

    roster: Roster
    former: Mapping[str, RosterRow | None]

    def owner(self, name: str) -> RosterRow | None:
        """Return the student of that name, if there is one and only one."""
        row = self.roster.find(name)
        return self.former.get(name.casefold()) if row is None and not self.roster.is_shared(name) else row


def known(book: Gradebook, rows: Mapping[int, RosterRow]) -> Known:
    """Return who is known by which names; the rows are by the entry of the log that each came with."""
    former: dict[str, RosterRow | None] = {}
    for logged, names in roster_by_log(book).items():
        row = rows.get(logged)
        for name in names if row else ():
            former[name] = None if former.get(name, row) is not row else row
    return Known(Roster(tuple(rows.values())), former)


def roster_by_log(book: Gradebook) -> dict[int, frozenset[str]]:
    """Return the entries of the log that are in force for the roster, each with all names that its student ever had."""
    found: dict[str, tuple[int, frozenset[str]]] = {}
    query = "SELECT number, former, new FROM log WHERE what = 'roster' ORDER BY number"
    for number, former, new in book.connection.execute(query):
        _, names = found.pop(former, (0, frozenset()))
        found[new] = number, names | _names(new)
    return dict(found.values())


def _names(text: str | None) -> frozenset[str]:
    """Return the names in an entry; none, where somebody else wrote it."""
    try:
        facts = json.loads(text or "")
    except ValueError:
        return frozenset()
    values = [facts.get(key) for key in NAMES] if isinstance(facts, dict) else []
    return frozenset(value.casefold() for value in values if isinstance(value, str) and value)
