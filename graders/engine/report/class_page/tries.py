"""How many attempts students needed until an exercise passed for the first time, from the gradebook's attempts."""

from collections.abc import Iterable
from dataclasses import dataclass

from graders.engine.report.class_page.material import Facts

MANY = 6
"""So many attempts and more stand together."""


@dataclass(frozen=True, slots=True)
class Tries:
    """For one exercise: how many passed it at the first attempt, at the second and so on; and how many have not yet."""

    slug: str
    title: str
    passed_at: tuple[int, ...]
    not_yet: int


def tries(class_facts: Iterable[Facts]) -> list[Tries]:
    """The attempts at each exercise, of the students of whom any is known."""
    numbers: dict[str, list[int | None]] = {}
    titles: dict[str, str] = {}
    for facts in class_facts:
        if facts.first_passes:
            titles |= {info.slug: info.exercise for info in facts.layout}
        for first in facts.first_passes:
            numbers.setdefault(first.slug, []).append(first.attempt)
    return [_tries(slug, titles.get(slug, slug), attempts) for slug, attempts in numbers.items()]


def _tries(slug: str, title: str, attempts: list[int | None]) -> Tries:
    held = [min(attempt, MANY) for attempt in attempts if attempt is not None]
    counts = tuple(held.count(number) for number in range(1, MANY + 1))
    return Tries(slug, title, counts, len(attempts) - len(held))
