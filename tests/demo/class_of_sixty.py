"""Writes the made class to a folder: a course with a deadline, a roster, and what was handed in, in three rounds."""

import datetime
import shutil
from pathlib import Path

from tests.demo.forms import HandIn, packed, write_download
from tests.demo.material import Material, read_material
from tests.demo.people import MISTAKEN, NOTEBOOK, ROSTER, Person, class_of_sixty
from tests.demo.plans import before, planned
from tests.demo.work import written

REPOSITORY = Path(__file__).parents[2]
DEADLINE = datetime.datetime(2026, 11, 27, 23, 59, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
ROUNDS = ("homework-first", "homework-second", "homework")
"""Downloads of what was handed in, in the order of time; the last one holds everybody."""
DRAFTED, DRAFTED_TWICE = 12, 5
LATE_POLICY = f"""
late:
  deadline: {DEADLINE.isoformat()}
  grace_minutes: 30
  percent_per_day: 10
  at_most_percent: 50
  counts: best
"""
AFTER = {
    "ferreira": datetime.timedelta(hours=26),
    "okafor": datetime.timedelta(hours=29),
    "muller": datetime.timedelta(hours=40),
}
"""Who handed in after the deadline: two of them have an extension, and `okafor` has none."""


def write_class(root: Path) -> None:
    """Write all of it; the same, to the byte, each time."""
    _write_course(root / "course")
    shutil.copy(ROSTER, root / "roster.csv")
    for name, hand_ins in hand_ins_by_round().items():
        write_download(root / name, hand_ins)


def hand_ins_by_round() -> dict[str, list[HandIn]]:
    """Return what was handed in, by the name of its round."""
    material = read_material(REPOSITORY)
    people = [person for person in class_of_sixty() if person.story != "nothing"]
    drafting = sorted(
        (person for person in people if person.story in (MISTAKEN, NOTEBOOK)),
        key=lambda person: person.chance("drafts").random(),
    )
    drafters = (people, drafting[:DRAFTED], drafting[:DRAFTED_TWICE])
    return {
        name: [_hand_in(material, person, drafts) for person in people if person in drafters[drafts]]
        for name, drafts in zip(ROUNDS, (2, 1, 0), strict=True)
    }


def _write_course(root: Path) -> None:
    """Copy what grading needs of this course, and give it a deadline."""
    ignored = shutil.ignore_patterns("__pycache__", "engine", "handout")
    for folder in ("exercises", "graders", "reference"):
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=ignored)
    rubric = (REPOSITORY / "grading.yaml").read_text(encoding="utf-8")
    (root / "grading.yaml").write_text(rubric + LATE_POLICY, encoding="utf-8")


def _hand_in(material: Material, person: Person, drafts: int) -> HandIn:
    plan = planned(person)
    if drafts:
        plan = before(plan, person, drafts)
    at = DEADLINE + AFTER.get(person.login, -_early(person)) - datetime.timedelta(hours=31 * drafts)
    number = 300_000_000 + 1_000_000 * (3 - drafts) + int(person.id)
    return HandIn(number, person, at, packed(written(material, person, plan), person, material))


def _early(person: Person) -> datetime.timedelta:
    """Return how long before the deadline: for most, not long."""
    return datetime.timedelta(minutes=5 + int(5000 * person.chance("early").random() ** 3))
