"""What a release does to a course repository that exists: three versions of each file are compared, none is touched.

The *base* is what the last release wrote, *theirs* what the course has now, *ours* what this release would write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from graders.engine.errors import UsageError

Digests = Mapping[str, str]
"""By path; a file that is not there is not in it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of each path. Files of which only the course knows are in none of these."""

    written: tuple[str, ...] = ()
    """They were not there."""
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """They are released no longer, and the course has left them as they were."""
    kept: tuple[str, ...] = ()
    """The course has changed or deleted them, and this release has nothing new for them."""
    left: tuple[str, ...] = ()
    """They are released no longer, but the course has changed them: they are its own from now on."""
    conflicts: tuple[str, ...] = ()
    """Both have changed them."""


def make_plan(base: Digests, theirs: Digests, ours: Digests) -> Plan:
    """The plan for these versions."""
    found: dict[str, list[str]] = {}
    for path in sorted({*base, *ours}):
        fate = _fate(base.get(path), theirs.get(path), ours.get(path))
        if fate:
            found.setdefault(fate, []).append(path)
    return Plan(**{fate: tuple(paths) for fate, paths in found.items()})


def overwriting(plan: Plan) -> Plan:
    """The plan that takes ours wherever both have changed."""
    return replace(plan, updated=tuple(sorted((*plan.updated, *plan.conflicts))), conflicts=())


def require_no_conflicts(plan: Plan) -> None:
    """Raise UsageError naming every file that both have changed."""
    if plan.conflicts:
        names = "".join(f"\n  {path}" for path in plan.conflicts)
        raise UsageError(
            "these files have changed both in the course and in this release:"
            f"{names}\n--overwrite takes this release's; or make them in the course what this release has, and repeat"
        )


def _fate(base: str | None, theirs: str | None, ours: str | None) -> str:
    """The field of a plan that a path belongs to, or an empty text where nothing is to be done."""
    if theirs == ours:
        return ""
    if ours is None:
        return "removed" if theirs == base else "left"
    if theirs == base:
        return "written" if theirs is None else "updated"
    return "kept" if ours == base else "conflicts"
