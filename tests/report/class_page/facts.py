"""Facts of cards as the class's page reads them, written down directly: verdicts by check, and little else."""

from graders.engine.judge.outcome import Verdict
from graders.engine.report.class_page.material import CheckInfo, Facts, FirstPass, Line, Participant, Work, Wrong
from graders.engine.report.words import FAILING
from graders.engine.score.class_entry import ClassEntry
from graders.engine.score.names import file_stem
from graders.engine.score.results import EARNING
from tests.report.class_page.made_class import entry

PASS, FAIL, TODO, WAITING = Verdict.PASS, Verdict.FAIL, Verdict.TODO, Verdict.WAITING


def info(name: str, max_points: int = 1, slug: str = "ex01_fixed", **others: object) -> CheckInfo:
    facts = {"objective": "implement", "visibility": "visible", **others}
    return CheckInfo(
        slug=slug, exercise=f"Title of {slug}", id=name, title=f"it {name}", max_points=max_points, **facts
    )


def facts(
    verdicts: dict[CheckInfo, Verdict],
    *,
    got: str = "",
    hint: str = "",
    works: tuple[Work, ...] = (),
    sheets: tuple[str, ...] = (),
    tries: tuple[FirstPass, ...] = (),
    bonus: tuple[str, ...] = (),
    late: int = 0,
) -> Facts:
    """The facts of a card with these verdicts; whatever fails does so with the same words."""
    points = tuple(one.max_points if verdict in EARNING else 0 for one, verdict in verdicts.items())
    return Facts(
        total=sum(points),
        max_points=sum(one.max_points for one in verdicts),
        bonus=bonus,
        late=late,
        layout=tuple(verdicts),
        verdicts=tuple(verdicts.values()),
        points=points,
        wrong=tuple(Wrong(place, hint, got) for place, one in enumerate(verdicts.values()) if one in FAILING),
        changed=(),
        works=works,
        sheets=sheets,
        objectives=(("implement", "Implement it"), ("limits", "Know its limits")),
        attempts=len(tries),
        first_passes=tries,
    )


def participant(student: str, of: ClassEntry | None = None) -> Participant:
    return Participant(student, student, "", file_stem(student), of or entry(student), None)


def line(student: str, of: Facts | None, its_entry: ClassEntry | None = None) -> Line:
    return Line(participant(student, its_entry), of)
