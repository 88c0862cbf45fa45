"""Documents of limited size: this module chooses what of their rows there is room for, whole rows only."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that a document says: in full, and briefly for where that is too long."""

    full: str
    brief: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """The rows that there is room for, and what says how many are left out, if any are."""

    rows: tuple[str, ...]
    more: str = ""

    def __bool__(self) -> bool:
        return bool(self.rows or self.more)


def size(text: str) -> int:
    """Return the bytes of a text."""
    return len(text.encode("utf-8"))


def fit(rows: Iterable[Row], number: int, room: int, more: Callable[[int], str], between: str) -> Fitted:
    """Return the first rows, all in full if there is room, or else as many as there is room for beside `more`.

    Of the rows, which are so many in number, no more are made than are looked at. One too long for what is left of the
    room comes in brief, and where not even that fits, the rows end. Room that is too small for as much as `more` holds
    nothing.
    """
    source, drawn, needed = iter(rows), list[Row](), -size(between)
    for row in source:
        drawn.append(row)
        needed += size(between + row.full)
        if needed > room:
            break
    else:
        return Fitted(tuple(row.full for row in drawn))
    left = room - size(more(number))
    if left < 0:
        return Fitted(())
    taken: list[str] = []
    for row in chain(drawn, source):
        left -= size(between)
        form = next((form for form in (row.full, row.brief) if size(form) <= left), None)
        if form is None:
            return Fitted(tuple(taken), more(number - len(taken)))
        taken.append(form)
        left -= size(form)
    return Fitted(tuple(taken))
