"""What Gradescope lets instructors export: folders `submission_123`, and `submission_metadata.yml` with whose they are.

That file also holds everything that was ever printed for anybody; only submitters and times are taken from it, event by
event, so that neither its size nor its depth matters. Programs in Ruby write it: a moment may be an object of several
lines, and keys begin with a colon.
"""

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from graders.engine.clean import one_line
from graders.engine.errors import UsageError
from graders.engine.load.handed_in.drafts import Draft
from graders.engine.load.handed_in.records import Nothing, finding
from graders.engine.load.handed_in.sources import Source
from graders.engine.load.moments import moment
from graders.engine.load.place import Refused
from graders.engine.load.roster import Roster

METADATA = "submission_metadata.yml"
MAX_METADATA = 256_000_000
MAX_SUBMITTERS = 1_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WHAT = "expected the file as Gradescope exports it; export the submissions again"


@dataclass(frozen=True, slots=True)
class _Submission:
    """What the file says of one: who handed it in, with what is known of each, and when."""

    submitters: tuple[dict[str, str], ...]
    created_at: str


def gradescope(source: Source, roster: Roster | None) -> tuple[list[Draft], list[str]]:
    """A submission for each submitter, also of a group, and lines about what else lies there."""
    told = _read(source)
    folders = {entry.name for entry in source.entries if entry.is_folder}
    unread = [
        f"{one_line(entry.name)} is not in {METADATA}; it was left out"
        for entry in source.entries
        if entry.name not in told and entry.name != METADATA
    ]
    drafts = []
    for name, submission in told.items():
        origin = source.folder(name) if name in folders else Nothing(f"the export holds no folder {one_line(name)}")
        if not submission.submitters:
            unread.append(f"{one_line(name)} has no submitters in {METADATA}; it was left out")
        at, problems = _moment(submission.created_at)
        group = len(submission.submitters) > 1
        for submitter in submission.submitters:
            sid, email, person = (submitter.get(key, "").strip() for key in (":sid", ":email", ":name"))
            drafts.append(
                Draft(
                    name=person or email or sid,
                    label=name,
                    origin=origin,
                    number=sid or email,
                    known_by=tuple(filter(None, (sid, email))),
                    full_name="" if _is_another(roster, person, sid, email) else person,
                    handed_in_at=at,
                    findings=(*problems, *([_of_a_group(submission)] if group else [])),
                )
            )
    return drafts, unread


def _is_another(roster: Roster | None, name: str, sid: str, email: str) -> bool:
    """Whether the one of that name on the roster has another id or address; names are what students choose there."""
    row = roster.find_name(name) if roster is not None else None
    return row is not None and bool((sid and row.id) or (email and row.email))


def _of_a_group(submission: _Submission) -> tuple[str, str]:
    names = [one_line(submitter.get(":name", "?")[:100]) for submitter in submission.submitters]
    return finding(f"handed in as a group: {', '.join(names[:10])}")


def _moment(text: str) -> tuple[datetime.datetime | None, list[tuple[str, str]]]:
    try:
        # Blanks before the zone, as Ruby writes them, are not ISO.
        return moment(re.sub(r"\s+(?=[-+Z])", "", text.strip())), []
    except ValueError as error:
        return None, [finding(f"nobody knows when it was handed in: in {METADATA}, {error}")]


def _read(source: Source) -> dict[str, _Submission]:
    try:
        text = source.read(METADATA, MAX_METADATA).decode("utf-8")
    except (Refused, FileNotFoundError) as refusal:
        raise UsageError(f"{METADATA} cannot be read: {refusal}") from refusal
    except UnicodeDecodeError as error:
        raise UsageError(f"{METADATA} is not in UTF-8; {_WHAT}") from error
    try:
        events = iter(yaml.parse(text, Loader=_LOADER))
        for event in events:
            if isinstance(event, MappingStartEvent):
                return {key: _submission(events, value) for key, value in _pairs(events) if key}
    except yaml.YAMLError as error:
        raise UsageError(f"{METADATA} is no YAML: {one_line(str(error)[:200])}; {_WHAT}") from error
    raise UsageError(f"{METADATA} holds no submissions; {_WHAT}")


def _submission(events: Iterator[Event], first: Event) -> _Submission:
    submitters: list[dict[str, str]] = []
    created_at = ""
    if not isinstance(first, MappingStartEvent):
        _skip(events, first)
        return _Submission((), "")
    for key, value in _pairs(events):
        if key == ":submitters" and isinstance(value, SequenceStartEvent):
            submitters = _submitters(events)
        elif key == ":created_at" and isinstance(value, MappingStartEvent):
            created_at = _texts(events).get("utc", "")
        elif key == ":created_at" and isinstance(value, ScalarEvent):
            created_at = value.value
        else:
            _skip(events, value)
    return _Submission(tuple(submitters[:MAX_SUBMITTERS]), created_at)


def _submitters(events: Iterator[Event]) -> list[dict[str, str]]:
    found = []
    for event in events:
        if isinstance(event, CollectionEndEvent):
            break
        if isinstance(event, MappingStartEvent):
            found.append(_texts(events))
        else:
            _skip(events, event)
    return found


def _texts(events: Iterator[Event]) -> dict[str, str]:
    """Of a mapping, what is a plain text."""
    found = {}
    for key, value in _pairs(events):
        if key and isinstance(value, ScalarEvent):
            found[key] = value.value
        else:
            _skip(events, value)
    return found


def _pairs(events: Iterator[Event]) -> Iterator[tuple[str | None, Event]]:
    """The keys of a mapping whose start was read, each with the first event of its value, which has to be read on."""
    for event in events:
        if isinstance(event, CollectionEndEvent):
            return
        _skip(events, event)
        yield event.value if isinstance(event, ScalarEvent) else None, next(events)


def _skip(events: Iterator[Event], first: Event) -> None:
    """Read on to the end of a value, whatever it is."""
    depth = int(isinstance(first, CollectionStartEvent))
    while depth:
        event = next(events)
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
