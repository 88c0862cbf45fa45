"""The commonest ways to be wrong: who failed for the same reason, at which checks, and what typically came of it.

One reason may show in several checks, and is told once; a failure that nothing explains stands for its check alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graders.engine.report.class_page.material import CheckInfo, Line, Participant, Wrong

MOST = 15


@dataclass(frozen=True, slots=True)
class Mistake:
    """A way to be wrong: its checks, what explains it, the answer that came most often, and who is wrong like this."""

    infos: tuple[CheckInfo, ...]
    cause: str
    got: str
    same_got: int
    who: tuple[Participant, ...]


def commonest(lines: Iterable[Line], most: int = MOST) -> list[Mistake]:
    """The mistakes that most students share, the dearer first where as many do."""
    failures: dict[CheckInfo | str, list[tuple[Participant, CheckInfo, Wrong]]] = defaultdict(list)
    for line in lines:
        if line.facts is None:
            continue
        for wrong in line.facts.wrong:
            info = line.facts.layout[wrong.place]
            failures[wrong.cause or info].append((line.participant, info, wrong))
    mistakes = [_mistake(failed) for failed in failures.values()]
    return sorted(mistakes, key=lambda one: (-len(one.who), -sum(info.max_points for info in one.infos)))[:most]


def _mistake(failed: Sequence[tuple[Participant, CheckInfo, Wrong]]) -> Mistake:
    # Everybody once, and the check at which most failed first; people of one name are told apart by their own.
    who = {participant.student: participant for participant, _, _ in failed}
    infos = Counter(info for _, info, _ in failed)
    ((got, same),) = Counter(wrong.got for _, _, wrong in failed).most_common(1)
    return Mistake(tuple(info for info, _ in infos.most_common()), failed[0][2].cause, got, same, tuple(who.values()))
