"""What Canvas lets instructors download: files called `lastfirst_LATE_USER_FILE_name`, all beside each other.

After lib/content_zipper.rb of Canvas: the sortable name in small letters and without anything between them, `LATE` if
it was, the number of the user and of the file, and the name that the student gave it. Texts typed into a form end in
`_text.html`, and links in `_link.html`. Without names, `anon` and a code stand in the place of name and number.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graders.engine.clean import one_line
from graders.engine.load.handed_in.drafts import Draft
from graders.engine.load.handed_in.records import finding
from graders.engine.load.handed_in.sources import Entry, Source
from graders.engine.load.roster import Roster, RosterRow

_FILE = re.compile(
    r"(?:(?P<anonymous_late>LATE_)?anon_(?P<code>[^\W_]{5})|(?P<who>.+?)_(?P<late>LATE_)?(?P<user>\d+))"
    r"_(?:(?P<file>\d+)_(?P<name>.+)|(?P<typed>text\.html|link\.html))",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _File:
    lies_as: str
    who: str
    user: str
    late: bool
    number: int
    name: str


def is_canvas(entries: Sequence[Entry]) -> bool:
    """Whether most of these are files that are called so."""
    return sum(not entry.is_folder and _parsed(entry.name) is not None for entry in entries) * 2 > len(entries)


def canvas(source: Source, roster: Roster | None) -> tuple[list[Draft], list[str]]:
    """One submission for each user, and lines about what else lies there."""
    by_user: dict[tuple[str, str], list[_File]] = {}
    unread = []
    for entry in source.entries:
        file = None if entry.is_folder else _parsed(entry.name)
        if file is None:
            unread.append(f"{one_line(entry.name)} is not called as Canvas calls files; it was left out")
        else:
            by_user.setdefault((file.who, file.user), []).append(file)
    row_of = _rows(by_user, roster) if roster is not None else {}
    drafts = []
    for user, files in by_user.items():
        files.sort(key=lambda file: (file.number, file.lies_as))
        row = row_of.get(user)
        drafts.append(
            Draft(
                name=user[0],
                number=user[1],
                label=files[0].lies_as if len(files) == 1 else f"{user[0]}_{user[1]}",
                origin=source.files([(file.name, file.lies_as) for file in files]),
                known_by=(row.student,) if row is not None else (),
                findings=tuple(_late(files)),
            )
        )
    return drafts, unread


def _parsed(name: str) -> _File | None:
    found = _FILE.fullmatch(unicodedata.normalize("NFC", name))
    if found is None:
        return None
    told = found.groupdict()
    return _File(
        lies_as=name,
        who=told["who"] or "anon",
        user=told["user"] or told["code"],
        late=bool(told["late"] or told["anonymous_late"]),
        # Long digits are no number of Canvas; any order will do for them.
        number=int((told["file"] or "0")[:18]),
        name=told["name"] or told["typed"],
    )


def _rows(users: Iterable[tuple[str, str]], roster: Roster) -> dict[tuple[str, str], RosterRow]:
    """The students by name, or by number where names show that the roster's ids are those of Canvas."""
    named = {user: roster.named(user[0]) for user in users}
    ids = {row.id: row for row in roster.rows if row.id}
    agreeing = [user for user, rows in named.items() if ids.get(user[1]) in rows]
    called = Counter(who for who, _ in named)
    found = {user: rows[0] for user, rows in named.items() if len(rows) == 1 and called[user[0]] == 1}
    if agreeing:
        # Whoever is called as somebody else is, and has another number, is not that student.
        found = {user: row for user, row in found.items() if not row.id}
        found |= {user: ids[user[1]] for user in named if user[1] in ids}
    return found


def _late(files: Sequence[_File]) -> Iterator[tuple[str, str]]:
    if any(file.late for file in files):
        yield finding("Canvas calls this late; it does not say by how much")
