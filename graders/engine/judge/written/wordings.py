"""Wordings of an idea, in a notation that an instructor can read and write, and whether a text holds one of them.

A wording names groups of words that must stand in one clause, in any order:

    "treat*|see* set|bag"           a word of the first group and one of the second, neither of them negated
    "not: know*|see* order"         the same, but negated: "does not know the order", "has no knowledge of order"
    "shuffl*|permut* , same"        behind a comma: in the same clause or in one nearby
    "bag_of_words", "more..than"    these words side by side; in this order, with others between them
    "add* -concat*|stack*"          and none of these in the sentence, nor in the one before it

``*`` stands for any ending, and what stands before it may be misspelt: six letters by one, eight or more by two.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, product

from graders.engine.judge.written.clauses import Clause, turned

NEGATIVE = "not:"
NEARBY = 2
"""Another part of a wording may stand so many clauses away, in the same sentence or the next."""
TRIED = 4
"""So many places of one group are tried together with those of the others."""
FORGIVEN_FROM, FORGIVEN_TWICE_FROM = 6, 8

Phrase = tuple[tuple[str, bool], ...]
"""Words that follow each other; with each, whether others may stand before it."""
Group = tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What must stand in one clause, and what must not stand in its sentence or the one before."""

    groups: tuple[Group, ...]
    absent: Group


@dataclass(frozen=True, slots=True)
class Pattern:
    """A wording taken apart; the first part is the one that may be negated."""

    negative: bool
    parts: tuple[Part, ...]


@cache
def parse_wording(wording: str) -> Pattern:
    """Return a wording taken apart; raises ValueError where it can't be."""
    negative = wording.startswith(NEGATIVE)
    parts = tuple(_part(part, wording) for part in wording.removeprefix(NEGATIVE).split(" , "))
    return Pattern(negative, parts)


def _part(text: str, wording: str) -> Part:
    pieces = text.split()
    groups = tuple(parse_group(piece) for piece in pieces if not piece.startswith("-"))
    absent = tuple(phrase for piece in pieces if piece.startswith("-") for phrase in parse_group(piece[1:]))
    phrases = [phrase for group in groups for phrase in group] + list(absent)
    if not groups or any(not atom.strip("*") for phrase in phrases for atom, _ in phrase):
        raise ValueError(f"{wording!r} has an empty place; expected groups of words such as 'know|see order'")
    return Part(groups, absent)


@cache
def parse_group(text: str) -> Group:
    """Return the phrases of a group, "know|see|bag_of_words"."""
    return tuple(tuple(_atoms(phrase)) for phrase in text.split("|"))


def _atoms(phrase: str) -> Iterator[tuple[str, bool]]:
    for place, near in enumerate(phrase.split("..")):
        for rank, atom in enumerate(near.split("_")):
            yield atom, place > 0 and rank == 0


class Text:
    """The clauses of a text, with where its words stand, so that no wording needs to go through all of them."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = tuple(clauses)
        self._spots: dict[str, list[tuple[int, int]]] = {}
        for number, clause in enumerate(self.clauses):
            for place, word in enumerate(clause.words):
                self._spots.setdefault(word, []).append((number, place))
        self._found: dict[str, dict[int, list[int]]] = {}
        self._sentences: dict[Group, set[int]] = {}

    def places(self, atom: str) -> dict[int, list[int]]:
        """Return the clauses in which a word of a wording stands, and its places in each, in order."""
        if atom not in self._found:
            spots = sorted(spot for word, spots in self._spots.items() if alike(word, atom) for spot in spots)
            by_clause: dict[int, list[int]] = {}
            for number, place in spots:
                by_clause.setdefault(number, []).append(place)
            self._found[atom] = by_clause
        return self._found[atom]

    def with_group(self, group: Group) -> set[int]:
        """Return the clauses in which all words of a phrase of the group stand somewhere."""
        found: set[int] = set()
        for phrase in group:
            first, *others = (self.places(atom) for atom, _ in phrase)
            found.update(number for number in first if all(number in other for other in others))
        return found

    def sentences(self, group: Group) -> set[int]:
        """Return the sentences in which a phrase of the group stands."""
        if group not in self._sentences:
            having = (number for number in self.with_group(group) if any(self.spans(group, number)))
            self._sentences[group] = {self.clauses[number].sentence for number in having}
        return self._sentences[group]

    def spans(self, group: Group, number: int) -> Iterator[tuple[int, ...]]:
        """Yield where phrases of a group stand in a clause: the places of all their words, none a condition's."""
        conditions = self.clauses[number].conditions
        for phrase in group:
            first, *others = (self.places(atom).get(number, ()) for atom, _ in phrase)
            loose = [apart for _, apart in phrase[1:]]
            for start in first:
                if (span := _span(start, others, loose)) and conditions.isdisjoint(span):
                    yield span


def _span(start: int, others: Sequence[Sequence[int]], loose: Sequence[bool]) -> tuple[int, ...]:
    """Return the places of a phrase whose first word stands at `start`, or none; `others` are those of its others."""
    span = [start]
    for places, apart in zip(others, loose, strict=True):
        rank = bisect_right(places, span[-1])
        if rank == len(places) or not (apart or places[rank] == span[-1] + 1):
            return ()
        span.append(places[rank])
    return tuple(span)


def find_wording(wording: str, text: Text) -> Clause | None:
    """Return the clause in which the first part of a wording stands, if its other parts stand nearby."""
    pattern = parse_wording(wording)
    first, *others = pattern.parts
    for number in _candidates(first, text):
        if not _stands_in(first, number, text, (pattern.negative,)):
            continue
        clause = text.clauses[number]
        around = range(max(number - NEARBY, 0), min(number + NEARBY + 1, len(text.clauses)))
        near = [other for other in around if abs(text.clauses[other].sentence - clause.sentence) <= 1]
        if all(any(_stands_in(part, other, text, (True, False)) for other in near) for part in others):
            return clause
    return None


def _candidates(part: Part, text: Text) -> list[int]:
    """Return the clauses that have words for every group of a part, in order."""
    return sorted(set[int].intersection(*(text.with_group(group) for group in part.groups)))


def _stands_in(part: Part, number: int, text: Text, senses: Sequence[bool]) -> bool:
    """Whether every group has words of its own in the clause, together negated, or not, as `senses` allows."""
    clause = text.clauses[number]
    found = [list(islice(text.spans(group, number), TRIED)) for group in part.groups]
    if not any(_fits(clause, chosen, senses) for chosen in product(*found)):
        return False
    return text.sentences(part.absent).isdisjoint((clause.sentence - 1, clause.sentence))


def _fits(clause: Clause, chosen: Sequence[tuple[int, ...]], senses: Sequence[bool]) -> bool:
    places = {place for span in chosen for place in span}
    apart = len(places) == sum(len(span) for span in chosen)
    return apart and turned(clause, places) in senses


@lru_cache(maxsize=100_000)
def alike(word: str, atom: str) -> bool:
    """Whether a word is the one meant, or a slip of it; a slip never changes the first letter (ordered, unordered)."""
    stem = atom.rstrip("*")
    if stem == atom:
        return word == atom
    if word.startswith(stem):
        return True
    if len(stem) < FORGIVEN_FROM or word[0] != stem[0]:
        return False
    slips = 1 if len(stem) < FORGIVEN_TWICE_FROM else 2
    lengths = range(len(stem) - slips, min(len(stem) + slips, len(word)) + 1)
    return any(_slips(word[:length], stem) <= slips for length in lengths)


def _slips(word: str, other: str) -> int:
    """Return the number of letters too many, missing, wrong or exchanged with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, start=1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == wanted:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
