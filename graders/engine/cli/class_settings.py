"""What all cards of a class have in common, and whether a class that lies there already was graded in the same way."""

from pathlib import Path
from typing import TYPE_CHECKING

from graders.engine.errors import UsageError, shown_path
from graders.engine.run.isolation import Mode

if TYPE_CHECKING:
    from graders.engine.batch.crew import Setup
    from graders.engine.score.class_folder import ClassSettings, Shard


def settings_of(source: Path, setup: "Setup", shard: "Shard | None") -> "ClassSettings":
    """Return what all cards of this class have in common."""
    from graders.engine.batch.grader import VERSION, python_version, torch_version
    from graders.engine.cli.class_source import describe
    from graders.engine.score.class_folder import ClassExercise, ClassSettings

    title, deadline = describe(source)
    policy = setup.rubric.late
    chosen = [setup.rubric.exercises[slug] for slug in setup.slugs]
    return ClassSettings(
        version=1,
        title=title,
        seed=setup.seed,
        hidden=setup.hidden,
        mode="external" if setup.mode is Mode.EXTERNAL else "strict",
        course=setup.digest,
        grader=VERSION,
        torch=torch_version(),
        python=python_version(),
        exercises=tuple(
            ClassExercise(slug=each.slug, title=each.title, max_points=each.points, bonus=each.bonus) for each in chosen
        ),
        deadline=deadline if policy is None else policy.deadline,
        shard=shard,
    )


def require_same_class(settings: "ClassSettings", former: "ClassSettings | None", out: Path) -> None:
    """Raise UsageError where a class lies in DIR that was graded in another way: its cards would be lost."""
    if former is None:
        return
    now, then = (
        {
            "exercises": ", ".join(exercise.slug for exercise in each.exercises),
            "hidden checks": "yes" if each.hidden else "no",
            "isolation": each.mode,
            "shard": "none" if each.shard is None else f"{each.shard.number}/{each.shard.of}",
        }
        for each in (settings, former)
    )
    if other := [f"{name}: {then[name]} there, {now[name]} now" for name in now if now[name] != then[name]]:
        raise UsageError(
            f"--out {shown_path(out)} holds a class that was graded in another way ({'; '.join(other)}); give another "
            "folder, or the same options"
        )
