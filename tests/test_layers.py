"""The engine's shape: imports go one way, workers hold no check, and no exercise is known by name."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import graders.engine

ENGINE = Path(graders.engine.__file__).parent
REPOSITORY = ENGINE.parents[1]
MODULES = {
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ENGINE.rglob("*.py"))
}
LONGEST_MODULE = 260

# For each part of the engine, what it may import besides itself, errors.py and clean.py.
MAY_IMPORT = {
    "load": set(),
    "run": set(),
    "judge": {"load", "run"},
    "score": {"load", "judge.outcome"},
    "batch": {"load", "run", "judge", "score"},
    "gradebook": {"load", "score"},
    "report": {"score", "judge.outcome"},
    "deliver": {"load", "score", "report"},
    "author": {"load", "run", "judge", "score", "report"},
    "cli": {"load", "run", "judge", "score", "batch", "gradebook", "report", "deliver", "author"},
    "kernel": {"load"},
    "errors": set(),
    "clean": set(),
}
# What both ends of a worker share. Whatever else the host's process imports belongs to it, and lies in run/worker/.
SHARED_WITH_WORKERS = {"run.layers", "run.raised", "run.values", "run.wire"}


@cache
def imported(module):
    """Return the modules of this project that a module imports, wherever in it, with their parent packages."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import; write the whole name"
            # What is imported from a package may be a module of it or a name in it.
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.partition(".")[0] == "graders" and (name in MODULES or name == "graders")}


def within(module):
    """Return a module's place in the engine: "judge.outcome" for graders.engine.judge.outcome."""
    return module.removeprefix("graders.engine").removeprefix(".")


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module):
    part = within(module).partition(".")[0]
    if not part:
        assert imported(module) == set()
        return
    allowed = {part, "errors", "clean", *MAY_IMPORT[part]}
    strangers = [
        name
        for name in imported(module) - {"graders", "graders.engine"}
        if within(name) not in allowed and within(name).partition(".")[0] not in allowed
    ]
    assert not strangers, f"{module} may not import {', '.join(sorted(strangers))}"


def test_every_part_of_the_engine_has_its_place_in_the_line():
    assert {within(module).partition(".")[0] for module in MODULES} - {""} == set(MAY_IMPORT)


def test_a_worker_can_hold_no_check_and_no_reference():
    """Nor what the judge decides by: whether a worker is shut in well enough is not for the worker to know."""
    reached, waiting = set(), ["graders.engine.run.worker.boot"]
    while waiting:
        module = waiting.pop()
        if module in MODULES and module not in reached:
            reached.add(module)
            waiting += imported(module)
    packages = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    inside = {within(module) for module in MODULES.keys() - packages if within(module).startswith("run.worker.")}
    assert {within(module) for module in reached - packages} == inside | SHARED_WITH_WORKERS


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_small_and_says_what_it_is_for(module):
    text = MODULES[module].read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{module} has no docstring"
    lines = text.count("\n")
    assert lines <= LONGEST_MODULE, f"{module} has {lines} lines; split it by idea (at most {LONGEST_MODULE})"


def names_of_exercises():
    slugs = [path.stem for path in (REPOSITORY / "reference").glob("ex*.*")]
    classes = [
        node.name
        for path in (REPOSITORY / "reference").glob("*.py")
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]
    assert slugs
    assert classes
    return [*slugs, *classes, "10000", "10_000", "sinusoid"]


@pytest.mark.parametrize(
    "path", [path for path in ENGINE.rglob("*") if path.suffix in (".py", ".sh", ".ini", ".yaml", ".txt")]
)
def test_the_engine_knows_no_exercise(path):
    text = path.read_text(encoding="utf-8")
    for name in names_of_exercises():
        assert not re.search(rf"(?<![A-Za-z0-9]){name}(?![a-z0-9])", text), f"{path} names {name}"
