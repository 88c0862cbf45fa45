"""What a release does to a course repository that exists: three versions of each file are compared, none is touched.

The *base* is what the last release wrote, *theirs* what the course has now, *ours* what this release would write.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from graders.engine.deliver.release.contents import upstream_of
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
    needed: tuple[str, ...] = ()
    """The course alone has changed or deleted them, but without them as they are here no hidden check opens."""
    overwritten: tuple[str, ...] = ()
    """The course has changed or deleted them, and gets this release's all the same."""


Settle = Callable[[Plan], Plan]
"""Decides about conflicts, and about what is needed: the plan that comes back has none of either."""


def make_plan(base: Digests, theirs: Digests, ours: Digests) -> Plan:
    """The plan for these versions."""
    found: dict[str, list[str]] = {}
    for path in sorted({*base, *ours}):
        fate = _fate(base.get(path), theirs.get(path), ours.get(path))
        if fate:
            found.setdefault(fate, []).append(path)
    return Plan(**{fate: tuple(paths) for fate, paths in found.items()})


def needing(plan: Plan, paths: Collection[str]) -> Plan:
    """The plan in which the course can't keep its own version of these."""
    kept, needed = ([path for path in plan.kept if (path in paths) is wanted] for wanted in (False, True))
    return replace(plan, kept=tuple(kept), needed=tuple(needed))


def overwriting(plan: Plan) -> Plan:
    """The plan that takes ours wherever both have changed, and where it is needed."""
    return replace(plan, overwritten=tuple(sorted((*plan.conflicts, *plan.needed))), conflicts=(), needed=())


def require_no_conflicts(plan: Plan) -> Plan:
    """The plan itself; raises UsageError naming every file that both have changed, or that is needed."""
    said = []
    if plan.conflicts:
        said.append(f"these files have changed both in the course and in this release:{_named(plan.conflicts)}")
        said.append(
            "--overwrite takes this release's; then `git checkout -p` in the course puts its own lines back, those "
            "that were committed"
        )
    if plan.needed:
        said.append(f"hidden checks do not open beside the course's own version of these:{_named(plan.needed)}")
        said.append("--overwrite takes this release's; a change that is to stay belongs into the staff repository")
    if said:
        raise UsageError("\n".join(said))
    return plan


def _named(paths: Collection[str]) -> str:
    """A line for each, with its path in the staff repository where that is another."""
    places = {path: upstream_of(path) for path in paths}
    return "".join(f"\n  {path}" + (f" (upstream {at})" if at != path else "") for path, at in places.items())


def _fate(base: str | None, theirs: str | None, ours: str | None) -> str:
    """The field of a plan that a path belongs to, or an empty text where nothing is to be done."""
    if theirs == ours:
        return ""
    if ours is None:
        return "removed" if theirs == base else "left"
    if theirs == base:
        return "written" if theirs is None else "updated"
    return "kept" if ours == base else "conflicts"
