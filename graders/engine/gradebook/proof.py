"""Whether a gradebook is whole: this module looks for everything that could have been lost, changed or made up.

Each row names the entry of the log that it came with, and must be what that entry says. Each entry of the log has its
row, or a later entry that took its place. What is no longer so was changed by something else than this program.
"""

from collections.abc import Iterator

from pydantic import ValidationError

from graders.engine.errors import CourseError, first_problem
from graders.engine.gradebook.attempts import content_of, digest
from graders.engine.gradebook.file import Gradebook
from graders.engine.gradebook.finals import finals
from graders.engine.gradebook.log import as_text, breaks, entries
from graders.engine.gradebook.names import roster_by_log
from graders.engine.gradebook.schema import ATTEMPT, GRADING, MARK, ROSTER, SETTINGS
from graders.engine.score.card import card_from_json

_TOLD = {
    "settings": ("course", SETTINGS),
    "roster": ("roster", ROSTER),
    "attempts": ("attempt", ATTEMPT),
    "gradings": ("card", GRADING),
    "marks": ("mark", MARK),
}
"""For each table, what the log calls a change of it, and the columns that an entry tells."""
LONGEST_SAID = 200


def problems(book: Gradebook) -> Iterator[str]:
    """Yield a line for everything that is wrong with the gradebook; none, if it is whole."""
    yield from _by_sqlite(book)
    yield from breaks(entries(book.connection))
    for table in _TOLD:
        yield from _untold(book, table)
    for table, numbers in _in_force(book).items():
        yield from _lost(book, table, numbers)
    yield from _strange_cards(book)
    try:
        finals(book)
    except CourseError as error:
        yield f"the final scores can't be counted: {error}"


def _by_sqlite(book: Gradebook) -> Iterator[str]:
    for (words,) in book.connection.execute("PRAGMA integrity_check(20)"):
        if words != "ok":
            yield f"the file: {words}"
    for table, row, parent, _ in book.connection.execute("PRAGMA foreign_key_check"):
        yield f"{table}: row {row} refers to {parent}, where there is no such row"


def _untold(book: Gradebook, table: str) -> Iterator[str]:
    """Rows that the log does not know, or knows otherwise."""
    what, columns = _TOLD[table]
    names = ", ".join(f"t.{name}" for name in columns)
    rows = book.connection.execute(
        f"SELECT t.logged, l.what, l.new, {names} FROM {table} t LEFT JOIN log l ON l.number = t.logged"
    )
    for logged, said, new, *values in rows:
        if said != what or new != as_text(dict(zip(columns, values, strict=True))):
            yield f"{table}: what came with entry {logged} of the log is not what that entry says"


def _in_force(book: Gradebook) -> dict[str, set[int]]:
    """Return for each table the entries of the log that have to have their row: all, or those nothing came after."""
    found = {
        table: {number for (number,) in book.connection.execute("SELECT number FROM log WHERE what = ?", (what,))}
        for table, (what, _) in _TOLD.items()
    }
    return found | {"settings": set(sorted(found["settings"])[-1:]), "roster": set(roster_by_log(book))}


def _lost(book: Gradebook, table: str, numbers: set[int]) -> Iterator[str]:
    """Entries of the log that are in force, and whose row is gone or was put back to an earlier one."""
    there = {number for (number,) in book.connection.execute(f"SELECT logged FROM {table}")}
    for number in sorted(numbers - there):
        (student,) = book.connection.execute("SELECT student FROM log WHERE number = ?", (number,)).fetchone()
        yield f"{table}: what entry {number} of the log brought for {student or 'the course'} is gone"


def _strange_cards(book: Gradebook) -> Iterator[str]:
    """Cards that are not the text by whose digest they are kept, no cards, or of another student or work."""
    for sha256, text in book.connection.execute("SELECT sha256, card FROM cards"):
        if digest(text) != sha256:
            yield f"cards: {sha256} is not the digest of the card that is kept by it"
    for number, student, content, text in book.connection.execute(
        "SELECT g.number, a.student, a.content, c.card FROM gradings g "
        "JOIN attempts a ON a.number = g.attempt JOIN cards c ON c.sha256 = g.card"
    ):
        try:
            card = card_from_json(text)
        except ValueError as error:
            yield f"cards: that of grading {number} is none: {_reason(error)}"
            continue
        if card.student != student or content_of(card) != content:
            yield f"gradings: the card of {number} is of another student or work than its attempt"


def _reason(error: ValueError) -> str:
    return first_problem(error) if isinstance(error, ValidationError) else str(error)[:LONGEST_SAID]
