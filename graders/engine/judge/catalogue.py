"""The checks that pytest collected, in file order, held against the rubric and against each other."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from graders.engine.errors import CourseError
from graders.engine.load.course import Course
from graders.engine.load.rubric import Rubric, Visibility, match_checks
from graders.engine.load.yaml_source import read_yaml

PREFIX = "check_"
MAY_ASK_FOR = ("student", "given", "answers", "reference", "rng")
VISIBILITIES: tuple[Visibility, ...] = ("visible", "hidden")


@dataclass(frozen=True, slots=True)
class Check:
    """One check function and what it says about itself."""

    slug: str
    name: str
    title: str
    objective: str
    visibility: str
    needs: tuple[str, ...]
    asks: tuple[str, ...]
    """The names of its arguments."""
    function: Callable[..., None]
    item: pytest.Item


def catalogue(
    items: Sequence[pytest.Item], slugs: Sequence[str], course: Course, rubric: Rubric, *, hidden: bool
) -> dict[str, list[Check]]:
    """Return the checks of these exercises, visible ones first; raises one CourseError for all that doesn't fit."""
    problems: list[str] = []
    found: dict[str, list[Check]] = {slug: [] for slug in slugs}
    for item in items:
        check = _describe(item)
        problems += _faults(check, found[check.slug], rubric)
        found[check.slug].append(check)
    source = read_yaml(course.rubric)
    for slug, checks in found.items():
        for visibility in VISIBILITIES if hidden else VISIBILITIES[:1]:
            names = [check.item.name for check in checks if check.visibility == visibility]
            file = f"graders/{slug}/{visibility}.py"
            problems += match_checks(source, rubric.exercises[slug], visibility, names, file)
    if problems:
        raise CourseError("\n".join(problems))
    return found


def _describe(item: pytest.Item) -> Check:
    assert isinstance(item, pytest.Function), "pytest was asked for functions alone"
    function = item.function
    needs = tuple(name for mark in reversed(list(item.iter_markers("needs"))) for name in mark.args)
    objectives = [mark.args[0] for mark in item.iter_markers("objective") if mark.args]
    return Check(
        slug=item.path.parent.name,
        name=item.name.removeprefix(PREFIX),
        title=(function.__doc__ or "").strip().partition("\n")[0],
        objective=objectives[0] if objectives else "",
        visibility=item.path.stem,
        needs=needs,
        asks=tuple(inspect.signature(function).parameters),
        function=function,
        item=item,
    )


def _faults(check: Check, earlier: Sequence[Check], rubric: Rubric) -> list[str]:
    """Return what is wrong with a check's own words, given the checks before it."""
    where = f"graders/{check.slug}/{check.visibility}.py: {check.item.name}"
    faults = []
    if not check.title:
        faults.append(f"{where} has no docstring; its first line is what the student reads")
    if check.objective not in rubric.objectives:
        known = ", ".join(rubric.objectives)
        faults.append(f"{where} names the objective {check.objective or 'nothing'!r}; grading.yaml has {known}")
    if strange := [name for name in check.asks if name not in MAY_ASK_FOR]:
        faults.append(f"{where} asks for {', '.join(strange)}; a check may ask for {', '.join(MAY_ASK_FOR)}")
    if "given" in check.asks and "student" not in check.asks:
        faults.append(f"{where} asks for given and not for student, beside whose code it lives; let it ask for both")
    names = [other.name for other in earlier]
    if check.name in names:
        faults.append(f"{where} has the name of an earlier check of this exercise; rename one")
    faults += [
        f"{where} needs {name!r}, which is no earlier check of this exercise ({', '.join(names) or 'it is the first'})"
        for name in check.needs
        if name not in names
    ]
    return faults
