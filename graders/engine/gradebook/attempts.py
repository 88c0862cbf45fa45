"""Attempts in a gradebook: what each student handed in and when, with every card that it was ever given."""

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from graders.engine.gradebook.failures import as_ours
from graders.engine.gradebook.file import Gradebook, changing
from graders.engine.gradebook.log import Log
from graders.engine.gradebook.schema import ATTEMPT
from graders.engine.score.card import Card, card_from_json
from graders.engine.score.final import Attempt
from graders.engine.score.late import without_late


@dataclass(frozen=True, slots=True)
class Graded:
    """A card to add, as its file has it, with what is known of the submission."""

    student: str
    handed_in_at: datetime.datetime | None
    source: str
    commit: str | None
    card: str


class Came(Enum):
    """What a card was to the gradebook."""

    NEW = "a new attempt"
    AGAIN = "another card of an attempt that was there"
    KNOWN = "there already"


def add_attempts(book: Gradebook, graded: Iterable[Graded], who: str) -> list[tuple[str, Came]]:
    """Add cards, all or none, and return what each was; raises ValueError for a text that is no card.

    An attempt is what a student handed in at one moment; where nobody knows when, it is the last attempt with the same
    work, if there is any. The same work graded anew is the same attempt with a newer card, which counts from then on;
    a card that differs in times of the run alone adds nothing.
    """
    with changing(book, who) as log:
        return [(each.student, _add(book, each, log)) for each in graded]


def attempts(book: Gradebook, student: str) -> Iterator[Card]:
    """Yield the cards in force of all attempts under this name, in the order of time."""
    yield from (attempt.card for attempt in attempts_of(book, student))


def attempts_of(book: Gradebook, *names: str) -> list[Attempt]:
    """Return the attempts under these names of one student, in the order of time; unknown times come first.

    The same work at the same moment is one attempt, under whichever names it came; and an unknown time is no time of
    its own, where the same work is there with a known one.
    """
    rows = [
        row
        for name in dict.fromkeys(names)
        for row in book.connection.execute(
            "SELECT g.number, a.number, a.content, a.handed_in_at, c.card FROM attempts a "
            "JOIN gradings g ON g.number = (SELECT max(number) FROM gradings WHERE attempt = a.number) "
            "JOIN cards c ON c.sha256 = g.card WHERE a.student = ?",
            (name,),
        )
    ]
    with as_ours(book.path):
        came = {content: at for at, content in sorted((at, content) for _, _, content, at, _ in rows if at)}
        newest: dict[tuple[str, str | None], tuple[int, str]] = {}
        for _, number, content, at, text in sorted(rows):
            # By grading: of one attempt the newest card stays, at the place where its first one came.
            key = content, at or came.get(content)
            newest[key] = min(number, newest.get(key, (number, ""))[0]), text
        found = [
            (datetime.datetime.fromisoformat(at) if at else None, number, text)
            for (_, at), (number, text) in newest.items()
        ]
        found.sort(key=lambda each: (each[0] is not None, each[0] or datetime.datetime.min, each[1]))
        return [Attempt(at, card_from_json(text)) for at, _, text in found]


def names_of_attempts(book: Gradebook) -> list[str]:
    """Return the names under which there are attempts."""
    return [name for (name,) in book.connection.execute("SELECT DISTINCT student FROM attempts ORDER BY student")]


def digest(text: str) -> str:
    """Return the digest by which a card is kept."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def content_of(card: Card) -> str:
    """Return the digest of what was graded: of all files and texts, whatever came out."""
    files = [
        (exercise.slug, exercise.sha256, [(check.id, check.answer.sha256) for check in exercise.checks if check.answer])
        for exercise in card.exercises
    ]
    return digest(json.dumps(files))


def _add(book: Gradebook, each: Graded, log: Log) -> Came:
    card = card_from_json(each.card)
    if card.student != each.student:
        raise ValueError(f"it is the card of {card.student}, and was given as that of {each.student}")
    at = None if each.handed_in_at is None else each.handed_in_at.astimezone(datetime.UTC).isoformat()
    facts = dict(zip(ATTEMPT, (each.student, content_of(card), at, each.source, each.commit), strict=True))
    there = book.connection.execute(
        "SELECT a.number, c.card FROM attempts a "
        "JOIN gradings g ON g.number = (SELECT max(number) FROM gradings WHERE attempt = a.number) "
        "JOIN cards c ON c.sha256 = g.card WHERE a.student = ?1 AND a.content = ?2 "
        "AND (a.handed_in_at IS ?3 OR ?3 IS NULL) ORDER BY a.handed_in_at DESC",
        (each.student, facts["content"], at),
    ).fetchone()
    if there is None:
        logged = log.add("attempt", each.student, None, facts)
        columns = f"attempts ({', '.join(ATTEMPT)}, logged)"
        number = book.connection.execute(
            f"INSERT INTO {columns} VALUES (?, ?, ?, ?, ?, ?)", (*facts.values(), logged)
        ).lastrowid
    else:
        number = there[0]
        if _timeless(card_from_json(there[1])) == _timeless(card):
            return Came.KNOWN
    sha256 = digest(each.card)
    book.connection.execute("INSERT OR IGNORE INTO cards VALUES (?, ?)", (sha256, each.card))
    former = None if there is None else {"attempt": number, "card": digest(there[1])}
    logged = log.add("card", each.student, former, {"attempt": number, "card": sha256})
    book.connection.execute("INSERT INTO gradings (attempt, card, logged) VALUES (?, ?, ?)", (number, sha256, logged))
    return Came.NEW if there is None else Came.AGAIN


def _timeless(card: Card) -> Card:
    """Return the card without what differs from run to run, and without lateness, which is the gradebook's to say."""
    exercises = tuple(
        exercise.model_copy(update={"checks": tuple(c.model_copy(update={"seconds": 0.0}) for c in exercise.checks)})
        for exercise in card.exercises
    )
    return without_late(card).model_copy(update={"exercises": exercises})
