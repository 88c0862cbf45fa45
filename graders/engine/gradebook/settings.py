"""What a gradebook keeps of the course: how many points there are, and what being late costs."""

from dataclasses import dataclass

from graders.engine.gradebook.failures import as_ours
from graders.engine.gradebook.file import Gradebook, changing
from graders.engine.load.late_policy import LatePolicy
from graders.engine.load.rubric import Rubric


@dataclass(frozen=True, slots=True)
class Settings:
    """The maximum without bonus, or that of the bonus where there is nothing else; and the late policy, if any."""

    max_points: int
    late: LatePolicy | None


def settings_of(rubric: Rubric) -> Settings:
    """Return what a gradebook keeps of this rubric."""
    bonus = sum(exercise.points for exercise in rubric.exercises.values() if exercise.bonus)
    return Settings(rubric.points or bonus, rubric.late)


def settings(book: Gradebook) -> Settings | None:
    """Return what the gradebook keeps; none before anything was taken over from a course."""
    row = book.connection.execute("SELECT max_points, late FROM settings").fetchone()
    if row is None:
        return None
    with as_ours(book.path):
        return Settings(row[0], None if row[1] is None else LatePolicy.model_validate_json(row[1]))


def keep_settings(book: Gradebook, wanted: Settings, who: str) -> bool:
    """Keep these settings from now on, and return whether that changes any."""
    new = {"max_points": wanted.max_points, "late": _text(wanted.late)}
    with changing(book, who) as log:
        former = settings(book)
        if former == wanted:
            return False
        facts = None if former is None else {"max_points": former.max_points, "late": _text(former.late)}
        number = log.add("course", None, facts, new)
        book.connection.execute("INSERT OR REPLACE INTO settings VALUES (1, ?, ?, ?)", (*new.values(), number))
    return True


def _text(policy: LatePolicy | None) -> str | None:
    return None if policy is None else policy.model_dump_json()
