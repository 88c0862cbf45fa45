"""Plain English taken apart: clauses, their words, and which of the words stand under a negation.

Not a grammar, a few habits of short answers. A clause ends at a mark or a joining word. "Does not" turns its whole
clause round; "no" and a bare "not" turn what follows them; "without positions" may be a condition, and turns nothing.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from graders.engine.judge.written.english import (
    AUXILIARIES,
    BEFORE_OBJECT,
    BETWEEN,
    CONDITIONS,
    FOLLOWING,
    HARD,
    JOINING,
    OPENING,
    POINTING,
    QUESTION,
    RELATIVES,
    SUBJECT_OR_VERB,
    SUBJECTS,
    WHOLE,
    plain,
)

_TOKEN = re.compile(r"\d+(?:\.\d+)+|[^\W_]+(?:'[^\W_]+)?|[.!?\u2026]+(?=\s|$)|[,;:()\[\]{}|]")

NEGATIONS = WHOLE | FOLLOWING | {"non"}
REACH = 5
"""So far behind "without" what it is about is looked for."""


@dataclass(frozen=True, slots=True)
class Negation:
    """Where a negation stands among the words of its clause, and which of them it covers."""

    place: int
    covers: range


@dataclass(frozen=True, slots=True)
class Clause:
    """Words of one clause, the number of its sentence, and what turns them round."""

    words: tuple[str, ...]
    sentence: int
    negations: tuple[Negation, ...] = ()
    conditions: frozenset[int] = frozenset()
    """Where words stand that only say under which condition the rest holds."""


def turned(clause: Clause, places: Collection[int]) -> bool:
    """Whether the words at these places say the opposite of what they say alone: two negations cancel out."""
    covering = (
        negation
        for negation in clause.negations
        if negation.place not in places and any(place in negation.covers for place in places)
    )
    return sum(1 for _ in covering) % 2 == 1


def clauses_of(text: str, given: Callable[[str], bool]) -> list[Clause]:
    """Return the clauses of a text in their order; sentences that ask are left out where others answer.

    A condition such as "without x" turns nothing round where x is `given`, and says nothing about x.
    """
    sentences = list(_sentences(text))
    telling = [words for words, asks in sentences if not asks]
    chosen = telling or [words for words, _ in sentences]
    return [
        Clause(clause, number, tuple(_negations(clause, given)), _conditions(clause, given))
        for number, words in enumerate(chosen)
        for clause in _split(words)
        if clause
    ]


def _sentences(text: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the words and marks of each sentence, and whether it is a question."""
    words: list[str] = []
    for token in [*_TOKEN.findall(plain(text)), "."]:
        if token[0] not in ".!?\u2026":
            words.append(token)
        elif words:
            yield words, "?" in token and len(words) > 3 and words[0] in QUESTION
            words = []


def _split(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    clause: list[str] = []
    for place, word in enumerate(words):
        if not word[0].isalnum():
            yield tuple(clause)
            clause = []
        elif _begins_clause(words, place, clause):
            yield tuple(clause)
            clause = [word]
        else:
            clause.append(word)
    yield tuple(clause)


def _begins_clause(words: Sequence[str], place: int, clause: Sequence[str]) -> bool:
    word = words[place]
    if word in SUBJECTS and len(clause) > 1:
        # "without positions it ...", "lengths you have not ...": a new subject, and its verb.
        verb_follows = place + 1 < len(words) and words[place + 1] in AUXILIARIES
        return (clause[0] in OPENING or verb_follows) and clause[-1] not in AUXILIARIES | BEFORE_OBJECT
    if word in RELATIVES:
        return place + 1 < len(words) and words[place + 1] in SUBJECT_OR_VERB
    if word in ("rather", "instead"):
        return words[place + 1 : place + 2] in (["than"], ["of"])
    # A bare "not" sets something against what stands before it: "by adding not multiplying".
    if word == "not":
        return bool(clause) and not _after_auxiliary(words, place) and not set(clause) <= JOINING
    return word in JOINING


def _after_auxiliary(words: Sequence[str], place: int) -> bool:
    before = [word for word in words[max(place - 2, 0) : place] if word not in BETWEEN and not word.endswith("ly")]
    return bool(before) and before[-1] in AUXILIARIES


def _negations(words: Sequence[str], given: Callable[[str], bool]) -> Iterator[Negation]:
    for place, word in enumerate(words):
        if _is_condition(words, place, given):
            continue
        if _turns_all(words, place):
            yield Negation(place, range(len(words)))
        elif word == "non":
            yield Negation(place, range(place, place + 2))
        elif word in FOLLOWING:
            yield Negation(place, range(place, len(words)))


def _turns_all(words: Sequence[str], place: int) -> bool:
    word = words[place]
    if word == "not":
        return _after_auxiliary(words, place) or place + 1 == len(words)
    return word in WHOLE or (word in HARD and "to" in words[place + 1 : place + 4])


def _conditions(words: Sequence[str], given: Callable[[str], bool]) -> frozenset[int]:
    """Return where `given` words stand in conditions: in "without x", or anywhere behind "if" and "when"."""
    if words[0] in CONDITIONS:
        return frozenset(place for place, word in enumerate(words) if given(word))
    spans = [range(place, place + REACH) for place in range(len(words)) if _is_condition(words, place, given)]
    return frozenset(place for span in spans for place in span if place < len(words) and given(words[place]))


def _is_condition(words: Sequence[str], place: int, given: Callable[[str], bool]) -> bool:
    """Whether a negation says under which condition the rest holds: "without x", "with no x", "if there is no x"."""
    conditional = words[place] in ("without", "absence") or (words[0] in CONDITIONS and words[place] in NEGATIONS)
    if not conditional and (words[place] != "no" or words[max(place - 1, 0)] != "with"):
        return False
    return any(word in POINTING or given(word) for word in words[place + 1 : place + REACH])
