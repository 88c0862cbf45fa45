"""The files of one student: stubs, right answers and mistakes put together as the plan says, in the student's hand."""

import ast
import random

from tests.demo.hands import in_own_hand, under_own_line
from tests.demo.material import Edits, Material
from tests.demo.people import Person
from tests.demo.plans import ENDLESS, SHEET, SLUGS, Part, Plan
from tests.demo.sheets import discussion, sheet

Files = dict[str, str]
"""Text by name, as they would lie in `exercises/`."""

FOR_EVER: Edits = (
    ("        permutation = torch.randperm(x.shape[1])\n    with", "        torch.randperm(x.shape[1])\n    with"),
)
"""The permutation is drawn anew and forgotten, for ever."""


def written(material: Material, person: Person, plan: Plan) -> Files:
    """Return what this person has written."""
    files = {f"{slug}.py": _code(material, person, slug, plan[slug]) for slug in SLUGS if slug != SHEET}
    names = (f"{SHEET}.yaml", "ex07_discussion.md")
    if plan[SHEET].done == "nothing":
        return files | {name: material.stubs[name] for name in names}
    chance = _chance(person, SHEET)
    texts = (sheet(material, plan[SHEET].mistakes, chance), discussion(material, chance))
    return files | dict(zip(names, texts, strict=True))


def _code(material: Material, person: Person, slug: str, part: Part) -> str:
    stub, reference = material.stubs[f"{slug}.py"], material.references[f"{slug}.py"]
    if part.done == "nothing":
        return stub
    login, chance = _name(person), _chance(person, slug)
    if part == Part("all") and chance.random() < 0.6:
        return under_own_line(chance.choice(material.right[slug]), login, chance)
    code = reference
    for mistake in part.mistakes:
        code = _with(code, FOR_EVER if mistake == ENDLESS else material.wrong[slug][mistake])
    if part.done == "half":
        return under_own_line(_but_for_the_last_function(stub, code), login, chance)
    return in_own_hand(code, slug, login, chance)


def _name(person: Person) -> str:
    return "team of two" if person.story == "copied" else person.login


def _chance(person: Person, of: str) -> random.Random:
    """Return this person's random numbers, or those of both who copied."""
    return random.Random(of) if person.story == "copied" else person.chance(of)


def _with(code: str, edits: Edits) -> str:
    """Return the code with a mistake; one that does not go together with those that are there is left out."""
    edited = code
    for old, new in edits:
        if edited.count(old) != 1:
            return code
        edited = edited.replace(old, new)
    return edited


def _but_for_the_last_function(stub: str, code: str) -> str:
    """Return the stub with all functions of the code in it but the last that has a TODO."""
    lines, solved = stub.splitlines(), code.splitlines()
    there = _functions(code)
    to_do = [(name, here) for name, here in _functions(stub).items() if "NotImplementedError" in "".join(lines[here])]
    for name, here in reversed(to_do[:-1]):
        lines[here] = solved[there[name]]
    return "\n".join(lines) + "\n"


def _functions(code: str) -> dict[str, slice]:
    """Return the lines of each function that is no part of another one, in their order."""
    found = {}
    for node in ast.parse(code).body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef):
                found[inner.name] = slice(inner.lineno - 1, inner.end_lineno)
    return found
