"""What a report is made of, brought together from class folder, roster and gradebook: everybody, by their names."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graders.engine.errors import first_of
from graders.engine.gradebook.attempts import attempts_of as attempts_in
from graders.engine.gradebook.file import Gradebook, open_gradebook
from graders.engine.gradebook.finals import finals as finals_in
from graders.engine.gradebook.marks import marks_in_force
from graders.engine.gradebook.people import roster as roster_in
from graders.engine.load.roster import Roster, RosterRow, read_roster
from graders.engine.report.class_page.material import Participant, Result
from graders.engine.score.card import Card
from graders.engine.score.class_entry import ClassEntry
from graders.engine.score.class_folder import ClassFolder, read_card, read_class
from graders.engine.score.final import Final
from graders.engine.score.marks import Entry, with_marks
from graders.engine.score.names import file_stem

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in the class, the names under which the gradebook may know them, and its marks for them."""

    participant: Participant
    names: tuple[str, ...]
    marks: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """A class to report on; cards and attempts are read later, one student at a time."""

    folder: Path
    title: str
    gradebook: Path | None
    members: tuple[Member, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a gradebook has of a class; without one nothing."""

    roster: Roster
    finals: Mapping[str, Final]
    marks: tuple[Entry, ...]


def read_material(folder: Path, roster: Path | None, gradebook: Path | None) -> Material:
    """Bring together who is in the class; raises UsageError or CourseError for what cannot be read."""
    found = read_class(folder)
    kept = _kept(gradebook)
    people = kept.roster if roster is None else read_roster(roster)
    members = _members(found.entries, people, kept)
    remarks = _remarks(found, people)
    return Material(folder, found.settings.title, gradebook, tuple(members), tuple(remarks))


@contextmanager
def opened(gradebook: Path | None) -> Iterator[Gradebook | None]:
    """The gradebook for as long as it is needed, where there is one."""
    if gradebook is None:
        yield None
    else:
        with open_gradebook(gradebook) as book:
            yield book


def card_of(folder: Path, member: Member) -> Card | None:
    """The card that a student's line means, if it means one, with the gradebook's marks on it."""
    entry = member.participant.entry
    if entry is None or entry.card_sha256 is None:
        return None
    card = read_card(folder, entry.student, entry.card_sha256)
    most = {(exercise.slug, check.id): check.max_points for exercise in card.exercises for check in exercise.checks}
    keyed = {(mark.exercise, mark.check): mark for mark in member.marks}
    fitting = {key: mark for key, mark in keyed.items() if mark.points <= most.get(key, -1)}
    return with_marks(card, fitting) if fitting else card


def attempts_of(book: Gradebook | None, member: Member) -> list[Card]:
    """The cards of a student's attempts, in the order of time."""
    return [] if book is None else [attempt.card for attempt in attempts_in(book, *member.names)]


def _kept(gradebook: Path | None) -> Kept:
    if gradebook is None:
        return Kept(Roster(()), {}, ())
    with open_gradebook(gradebook) as book:
        return Kept(roster_in(book), finals_in(book), tuple(marks_in_force(book)))


def _members(entries: tuple[ClassEntry, ...], roster: Roster, kept: Kept) -> list[Member]:
    """Everybody who handed in or is on the roster, by the names that people call them."""
    found = {entry.student: (entry, roster.find(entry.student)) for entry in entries}
    came = {row for _, row in found.values() if row is not None}
    absent = {row.student: (None, row) for row in roster.rows if row not in came and row.student not in found}
    marks: dict[str, list[Entry]] = {}
    for mark in kept.marks:
        row = roster.find(mark.student)
        marks.setdefault(mark.student if row is None else row.student, []).append(mark)
    members = [_member(name, entry, row, kept, marks) for name, (entry, row) in {**found, **absent}.items()]
    return sorted(members, key=lambda member: (member.participant.shown.casefold(), member.participant.student))


def _member(
    student: str, entry: ClassEntry | None, row: RosterRow | None, kept: Kept, marks: Mapping[str, list[Entry]]
) -> Member:
    names = (student,) if row is None else tuple(dict.fromkeys((student, row.student)))
    final = next((kept.finals[name] for name in names if name in kept.finals), None)
    counts = final is not None and final.attempt is not None and final.max_points > 0
    who = Participant(
        student=student,
        shown=row.name if row is not None and row.name else student,
        section="" if row is None else row.section,
        stem=file_stem(student),
        entry=entry,
        result=Result(final.points, final.max_points, final.reasons) if final is not None and counts else None,
    )
    return Member(who, names, tuple(mark for name in names for mark in marks.get(name, ())))


def _remarks(found: ClassFolder, roster: Roster) -> Iterator[str]:
    """What there is to say about the class as a whole."""
    if found.unsettled:
        files = _some(found.unsettled)
        yield f"Not all is here: some lines do not go with their cards ({files}). Run `grade class` again."
    if found.settings.shard is not None:
        shard = found.settings.shard
        yield f"This is part {shard.number} of {shard.of} of the class; `grade merge` brings the parts together."
    if not found.settings.hidden:
        yield "Hidden checks were not run."
    strangers = [entry.student for entry in found.entries if roster.rows and roster.find(entry.student) is None]
    if strangers:
        yield f"Handed in, and not on the roster: {_some(strangers)}."


def _some(names: Sequence[str]) -> str:
    return ", ".join(first_of(names, MOST_NAMED))
