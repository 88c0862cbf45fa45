"""What each of the class does with each exercise: finished or not, in which way, and with which mistakes."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tests.demo.mistakes import COMMON, HARD, OF_THE_COPIED, drawn
from tests.demo.people import FLAWLESS, MISTAKEN, NOTEBOOK, UNFINISHED, Person

BONUS, SHEET = "ex06_beyond_max_len", "ex07_knowledge_check"
ENDLESS = "endless"
"""A mistake that is in no table: a loop that does not end, in exercise 5."""
SLUGS = tuple(COMMON)


@dataclass(frozen=True, slots=True)
class Part:
    """One exercise of one student: how much of it is there, and the mistakes in it."""

    done: str
    """`all` of it, its first `half`, or `nothing` but the stub."""
    mistakes: tuple[str, ...] = ()


Plan = Mapping[str, Part]
UNTOUCHED = Part("nothing")


def planned(person: Person) -> Plan:
    """Return what this person hands in at last."""
    chance = person.chance("plan")
    plan = {slug: Part("all") for slug in SLUGS}
    if person.story == FLAWLESS:
        return plan if chance.random() < 0.5 else plan | {BONUS: UNTOUCHED}
    if person.story == "copied":
        return _of_the_copied(plan)
    for _ in range(_how_many(person)):
        _err(plan, chance)
    if person.story == UNFINISHED:
        _give_up(plan, chance)
    elif person.story == "endless":
        plan["ex05_order_matters"] = Part("all", (ENDLESS,))
    if person.story == MISTAKEN and person.trouble < 0.3 and chance.random() < 0.5:
        # From memory: those who need no help look up least, and the title of a lecture can only be looked up.
        plan[SHEET] = replace(plan[SHEET], mistakes=(*plan[SHEET].mistakes, "this_lecture"))
    if chance.random() > 0.5 - 0.4 * person.trouble:
        plan[BONUS] = UNTOUCHED
    return plan


def before(plan: Plan, person: Person, drafts: int) -> Plan:
    """Return what this person had handed in so many drafts earlier: less of it, and more mistakes in it."""
    chance = person.chance(f"draft {drafts}")
    draft = dict(plan)
    for slug in reversed(SLUGS[len(SLUGS) - 2 * drafts :]):
        draft[slug] = UNTOUCHED
    for _ in range(2 * drafts):
        _err(draft, chance)
    return draft


def _how_many(person: Person) -> int:
    """Return a number of mistakes: from one to four for most, more for those who find it hard."""
    return 1 + int(9 * person.trouble) - (person.story == NOTEBOOK and person.trouble < 0.2)


def _err(plan: dict[str, Part], chance: random.Random) -> None:
    """Put a common mistake into an exercise that there is something of, once."""
    there = {slug: weight for slug, weight in HARD.items() if plan[slug].done == "all"}
    slug = drawn(there, chance)
    mistake = drawn(COMMON[slug], chance)
    if mistake not in plan[slug].mistakes:
        plan[slug] = replace(plan[slug], mistakes=(*plan[slug].mistakes, mistake))


def _give_up(plan: dict[str, Part], chance: random.Random) -> None:
    """Leave stubs from some exercise on, but for the questions, which some of those answer all the same."""
    last = chance.choice((1, 2, 2, 3, 3, 4))
    plan[SLUGS[last]] = Part("half")
    for slug in SLUGS[last + 1 :]:
        if slug != SHEET or chance.random() < 0.4:
            plan[slug] = UNTOUCHED


def _of_the_copied(plan: dict[str, Part]) -> Plan:
    for slug, mistake in zip(SLUGS, OF_THE_COPIED, strict=False):
        plan[slug] = Part("all", (mistake,))
    return plan | {BONUS: UNTOUCHED}
