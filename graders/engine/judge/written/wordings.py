"""Wordings of an idea, in a notation that an instructor can read and write, and whether a text holds one of them.

A wording names groups of words that must stand in one clause, in any order:

    "treat*|see* set|bag"           a word of the first group and one of the second, neither of them negated
    "not: know*|see* order"         the same, but negated: "does not know the order", "has no knowledge of order"
    "shuffl*|permut* , same"        behind a comma: in the same clause or in one nearby
    "bag_of_words", "more..than"    these words side by side; in this order, with others between them
    "add* -concat*|stack*"          and none of these in the sentence, nor in the one before it

``*`` stands for any ending, and what stands before it may be misspelt: six letters by one, eight or more by two.
"""

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


def find_wording(wording: str, clauses: Sequence[Clause]) -> Clause | None:
    """Return the clause in which the first part of a wording stands, if its other parts stand nearby."""
    pattern = parse_wording(wording)
    first, *others = pattern.parts
    for place, clause in enumerate(clauses):
        if not _stands_in(first, clause, clauses, (pattern.negative,)):
            continue
        around = clauses[max(place - NEARBY, 0) : place + NEARBY + 1]
        near = [other for other in around if abs(other.sentence - clause.sentence) <= 1]
        if all(any(_stands_in(part, other, clauses, (True, False)) for other in near) for part in others):
            return clause
    return None


def _stands_in(part: Part, clause: Clause, clauses: Sequence[Clause], senses: Sequence[bool]) -> bool:
    """Whether every group has words of its own in the clause, together negated, or not, as `senses` allows."""
    found = [list(islice(_places(group, clause), TRIED)) for group in part.groups]
    if not any(_fits(clause, chosen, senses) for chosen in product(*found)):
        return False
    said_before = [other for other in clauses if 0 <= clause.sentence - other.sentence <= 1]
    return not any(any(_places(part.absent, other)) for other in said_before)


def _fits(clause: Clause, chosen: Sequence[tuple[int, ...]], senses: Sequence[bool]) -> bool:
    places = {place for span in chosen for place in span}
    apart = len(places) == sum(len(span) for span in chosen)
    return apart and turned(clause, places) in senses


def _places(group: Group, clause: Clause) -> Iterator[tuple[int, ...]]:
    """Yield where phrases of a group stand: the places of all their words, none of which is a condition's."""
    for phrase in group:
        for start in range(len(clause.words)):
            if (span := _span(phrase, clause.words, start)) and clause.conditions.isdisjoint(span):
                yield span


def _span(phrase: Phrase, words: Sequence[str], start: int) -> tuple[int, ...]:
    """Return the places of a phrase that begins at `start`, or none."""
    places: list[int] = []
    for atom, loose in phrase:
        options = range(start, len(words) if loose else min(start + 1, len(words)))
        place = next((place for place in options if alike(words[place], atom)), None)
        if place is None:
            return ()
        places.append(place)
        start = place + 1
    return tuple(places)


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
