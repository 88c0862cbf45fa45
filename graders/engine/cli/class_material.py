"""What a report is made of, brought together from class folder, roster and gradebook: everybody, by their names."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graders.engine.errors import first_of
from graders.engine.gradebook.attempts import attempts_of as attempts_in
from graders.engine.gradebook.file import Gradebook, open_gradebook, reading
from graders.engine.gradebook.finals import finals as finals_in
from graders.engine.gradebook.finals import marks_by_student, people
from graders.engine.gradebook.names import Known
from graders.engine.gradebook.people import everybody
from graders.engine.load.roster import Roster, RosterRow, read_roster
from graders.engine.report.class_page.material import Participant, Result
from graders.engine.score.card import Card
from graders.engine.score.class_entry import ClassEntry
from graders.engine.score.class_folder import ClassFolder, read_card, read_class
from graders.engine.score.final import Final, Marks, with_fitting_marks
from graders.engine.score.names import file_stem

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in the class, the names under which the gradebook has attempts of theirs, and its marks for them."""

    participant: Participant
    names: tuple[str, ...]
    marks: Marks


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
    """What a gradebook has of a class, by its own names for students; without one nothing."""

    known: Known
    finals: Mapping[str, Final]
    names: Mapping[str, tuple[str, ...]]
    marks: Mapping[str, Marks]

    def student(self, name: str) -> str:
        """What the gradebook calls whoever has this name, or had it before."""
        row = self.known.owner(name)
        return name if row is None else row.student


def read_material(folder: Path, roster: Path | None, gradebook: Path | None) -> Material:
    """Bring together who is in the class; raises UsageError or CourseError for what cannot be read."""
    found = read_class(folder)
    kept = _kept(gradebook)
    known = kept.known if roster is None else Known(read_roster(roster), {})
    rows = {
        each.student: known.owner(each.student) or known.owner(kept.student(each.student)) for each in found.entries
    }
    members = _members(found.entries, rows, known, kept)
    remarks = _remarks(found, rows, known.roster)
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
    return with_fitting_marks(read_card(folder, entry.student, entry.card_sha256), member.marks)


def attempts_of(book: Gradebook | None, member: Member) -> list[Card]:
    """The cards of a student's attempts, in the order of time."""
    return [] if book is None else [attempt.card for attempt in attempts_in(book, *member.names)]


def _kept(gradebook: Path | None) -> Kept:
    if gradebook is None:
        return Kept(Known(Roster(()), {}), {}, {}, {})
    with open_gradebook(gradebook) as book, reading(book):
        names = {person.student: person.names for person in people(book)}
        return Kept(everybody(book), finals_in(book), names, marks_by_student(book))


def _members(
    entries: tuple[ClassEntry, ...], rows: Mapping[str, RosterRow | None], known: Known, kept: Kept
) -> list[Member]:
    """Everybody who handed in or is on the roster, by the names that people call them."""
    came = set(rows.values())
    absent = {row.student: row for row in known.roster.rows if row not in came and row.student not in rows}
    in_gradebook: dict[str, list[str]] = {}
    for student in {**kept.finals, **kept.marks}:
        row = known.owner(student)
        in_gradebook.setdefault(student if row is None else row.student, []).append(student)
    members = [_member(each.student, each, rows[each.student], kept, in_gradebook) for each in entries]
    members += [_member(student, None, row, kept, in_gradebook) for student, row in absent.items()]
    return sorted(members, key=lambda member: (member.participant.shown.casefold(), member.participant.student))


def _member(
    student: str, entry: ClassEntry | None, row: RosterRow | None, kept: Kept, in_gradebook: Mapping[str, list[str]]
) -> Member:
    called = kept.student(student) if row is None else row.student
    theirs = sorted(in_gradebook.get(called, ()), key=lambda name: (name != student, name != called))
    final = next((kept.finals[name] for name in theirs if name in kept.finals), None)
    counts = final is not None and final.attempt is not None and final.max_points > 0
    who = Participant(
        student=student,
        shown=row.name if row is not None and row.name else student,
        section="" if row is None else row.section,
        stem=file_stem(student),
        entry=entry,
        result=Result(final.points, final.max_points, final.reasons) if final is not None and counts else None,
    )
    names = tuple(name for each in theirs for name in kept.names.get(each, ()))
    return Member(who, names, {key: mark for each in theirs for key, mark in kept.marks.get(each, {}).items()})


def _remarks(found: ClassFolder, rows: Mapping[str, RosterRow | None], roster: Roster) -> Iterator[str]:
    """What there is to say about the class as a whole."""
    if found.unsettled:
        files = _some(found.unsettled)
        yield f"Not all is here: some lines do not go with their cards ({files}). Run `grade class` again."
    if found.settings.shard is not None:
        shard = found.settings.shard
        yield f"This is part {shard.number} of {shard.of} of the class; `grade merge` brings the parts together."
    if not found.settings.hidden:
        yield "Hidden checks were not run."
    strangers = [student for student, row in rows.items() if roster.rows and row is None]
    if strangers:
        yield f"Handed in, and not on the roster: {_some(strangers)}."


def _some(names: Sequence[str]) -> str:
    return ", ".join(first_of(names, MOST_NAMED))
