"""A sweep in words for whoever asked for it: how many, who has nothing, and what a person may want to look at."""

from collections.abc import Iterator

from graders.engine.deliver.github.sweep.choosing import moment
from graders.engine.deliver.github.sweep.conduct import Swept
from graders.engine.errors import first_of
from graders.engine.load.handed_in.listing import SweepList

MOST_LINES = 30
HEADINGS = {
    "workflow_edited": "Workflows are not the course's",
    "actions_off": "No feedback was seen, as Actions are off",
    "late_work": "There is work after the deadline",
    "other": "Something else to look at",
}


def told(swept: Swept) -> list[str]:
    """Return the lines; the last one has the numbers alone, and names nobody."""
    listed = swept.listed
    lines = [f"{listed.course} as GitHub had it by {moment(listed.deadline)}"]
    lines += _block("Nothing was handed in", [f"{item.student}: {item.said}" for item in listed.items if not item.sha])
    for kind, heading in HEADINGS.items():
        found = [f"{item.student}: {one.words}" for item in listed.items for one in item.findings if one.kind == kind]
        lines += _block(heading, found)
    lines += _block("Not looked at", list(swept.notes))
    return [*lines, numbers(listed)]


def numbers(listed: SweepList) -> str:
    """Return how many there are, in one line."""
    students, handed_in = len(listed.items), sum(item.sha is not None for item in listed.items)
    late = sum(any(one.kind == "late_work" for one in item.findings) for item in listed.items)
    return f"Students: {students}, with a commit: {handed_in}, without: {students - handed_in}, work after it: {late}"


def _block(heading: str, found: list[str]) -> Iterator[str]:
    if found:
        yield f"{heading} ({len(found)}):"
        yield from (f"  {line}" for line in first_of(found, MOST_LINES))
