"""Who is in the made class: sixty people, invented like the university, and what becomes of the work of each.

Names come from many languages and scripts, and one of them is written by somebody who wants to see what breaks.
"""

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROSTER = Path(__file__).with_name("roster.csv")
SEED = 2026

SPECIAL = {
    "weiss": "nothing",
    "petrov": "broken",
    "nguyen": "endless",
    "gashi": "copied",
    "horvat": "copied",
    "ferreira": "late",
    "okafor": "late",
    "mallory": "hostile",
}
"""Who hands in what no class is without. `ferreira` has an extension for being late, `okafor` has none."""

FLAWLESS, MISTAKEN, UNFINISHED, NOTEBOOK = "flawless", "mistaken", "unfinished", "notebook"
ORDINARY = {FLAWLESS: 4, MISTAKEN: 33, UNFINISHED: 9, NOTEBOOK: 6}
"""How many of the others do what."""
HARDER = {FLAWLESS: -1.0, UNFINISHED: 0.5}
"""Who has less trouble than others, and who has more."""


@dataclass(frozen=True, slots=True)
class Person:
    """A line of the roster, what becomes of this one's work, and how hard it is for them: from 0 to 1."""

    login: str
    id: str
    name: str
    email: str
    story: str
    trouble: float

    def chance(self, of: str) -> random.Random:
        """Return random numbers that are this person's own, the same at every call."""
        return random.Random(f"{SEED} {self.login} {of}")


def class_of_sixty() -> tuple[Person, ...]:
    """Return everybody on the roster, in its order."""
    with ROSTER.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    stories = SPECIAL | dict(_ordinary([row["login"] for row in rows if row["login"] not in SPECIAL]))
    ranked = sorted(stories, key=lambda login: _number("trouble", login) + HARDER.get(stories[login], 0.0))
    trouble = dict(zip(ranked, _spread(len(ranked)), strict=True))
    return tuple(
        Person(row["login"], row["id"], row["name"], row["email"], stories[row["login"]], trouble[row["login"]])
        for row in rows
    )


def _ordinary(logins: list[str]) -> Iterator[tuple[str, str]]:
    stories = [story for story, number in ORDINARY.items() for _ in range(number)]
    return zip(sorted(logins, key=lambda login: _number("stories", login)), stories, strict=True)


def _number(of: str, login: str) -> float:
    return random.Random(f"{SEED} {of} {login}").random()


def _spread(number: int) -> list[float]:
    """Return as many numbers from 0 to 1, more of them small: a class in which most do well."""
    return [(place / (number - 1)) ** 1.7 for place in range(number)]
