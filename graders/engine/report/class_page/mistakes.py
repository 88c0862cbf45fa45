"""The commonest ways to be wrong: who failed the same check for the same reason, and what typically came of it."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from graders.engine.report.class_page.material import CheckInfo, Line, Participant

MOST = 15


@dataclass(frozen=True, slots=True)
class Mistake:
    """A way to be wrong: the check, what explains it, the answer that came most often, and who is wrong like this."""

    info: CheckInfo
    cause: str
    got: str
    same_got: int
    who: tuple[Participant, ...]


def commonest(lines: Iterable[Line], most: int = MOST) -> list[Mistake]:
    """The mistakes that most students share, the dearer first where as many do."""
    who: dict[tuple[CheckInfo, str], list[Participant]] = defaultdict(list)
    came: dict[tuple[CheckInfo, str], Counter[str]] = defaultdict(Counter)
    for line in lines:
        if line.facts is None:
            continue
        for wrong in line.facts.wrong:
            key = line.facts.layout[wrong.place], wrong.cause
            who[key].append(line.participant)
            came[key][wrong.got] += 1
    ranked = sorted(who, key=lambda key: (-len(who[key]), -key[0].max_points))[:most]
    return [_mistake(key, came[key], who[key]) for key in ranked]


def _mistake(key: tuple[CheckInfo, str], came: Counter[str], who: list[Participant]) -> Mistake:
    (got, same) = came.most_common(1)[0]
    return Mistake(key[0], key[1], got, same, tuple(who))
