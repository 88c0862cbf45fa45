"""Random notebooks of a few names: what a function needs of one behaves as the whole does."""

import random
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from graders.engine.run.worker.notebook.file import load_notebook

NAME, LABEL = "ex00_demo", "exercises/demo.ipynb"
NOTEBOOKS = 100

# `i` stands for a number, `l` for a list, `f` for a function, `m` for one that changes a list, `n` for a literal.
STATEMENTS = (
    "{i} = {n}",
    "{i} = {i} + {i}",
    "{i} += {n}",
    "{i} = {i} = {n}",
    "{i}, {i} = {i}, {n}",
    "{i} = ({i} := {n}) + 1",
    "{l} = [{n}, {i}]",
    "{l} = {l}",
    "{l} = list({l})",
    "{l}.append({i})",
    "{l}[0] = {n}",
    "{l} += [{n}]",
    "del {l}[0:0]",
    "{l} = [{i} * q for q in {l}][:3]",
    "for k in range(3):\n    {l}.append(k)",
    "for k in range(2):\n    {i} = {i} + k",
    "for p in ({l}, {l}):\n    p.append({n})",
    "if {i} > {n}:\n    {i} = {n}\nelse:\n    {l}.append({n})",
    "try:\n    {i} = {l}[{n}]\nexcept IndexError:\n    {i} = -1",
    "def {f}(x={i}):\n    return x + {i} + len({l})",
    "{f} = lambda x: x * {i} + {l}[0]",
    "{i} = {f}({n})",
    "def {m}():\n    {l}.append({i})",
    "{m}()",
    "def put(where, what): where.append(what)\nput({l}, {i})",
    "class C:\n    k = {i}\n    def g(self): return self.k + {i}",
    "C.k = {i}",
    "{i} = C().g()",
    "{i} = max(({i} + w for w in {l}), default=0)",
    "print({i}, {l})",
)
BEGIN = (
    *(f"i{k} = {k}" for k in range(4)),
    *(f"l{k} = [{k}]" for k in range(3)),
    *(f"def f{k}(x=1): return x + i{k}" for k in range(3)),
    *(f"def m{k}(): l{k}.append({k})" for k in range(2)),
    "class C:\n    k = 5\n    def g(self): return i3",
)


class Names:
    """Fills the letters of a statement with names, each time with another one."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __getitem__(self, letter: str) -> str:
        return (
            str(self.rng.randrange(10))
            if letter == "n"
            else f"{letter}{self.rng.randrange({'i': 4, 'm': 2}.get(letter, 3))}"
        )


def random_cells(rng: random.Random) -> Iterator[str]:
    names: Any = Names(rng)
    statements = [rng.choice(STATEMENTS).format_map(names) for _ in range(rng.randrange(3, 25))]
    wanted = "def A(d={i}):\n    return d, {i}, {l}, {l}, {f}(1), C().g()".format_map(names)
    statements.insert(rng.randrange(len(statements) + 1), wanted)
    waiting = list(BEGIN) + statements
    while waiting:
        count = rng.randrange(1, 6)
        yield "\n".join(waiting[:count])
        waiting = waiting[count:]


@pytest.mark.parametrize("part", range(3))
def test_a_function_behaves_as_if_all_cells_had_run(
    part: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, NAME, ModuleType(NAME))
    monkeypatch.setitem(sys.modules, "builtins", sys.modules["builtins"])
    compared = 0
    for seed in range(part * NOTEBOOKS, (part + 1) * NOTEBOOKS):
        cells = list(random_cells(random.Random(seed)))
        source = "\n".join(cells)
        whole: dict[str, Any] = {}
        try:
            exec(source, whole)
            expected = whole["A"]()
        except (TypeError, IndexError):
            continue  # a notebook that does not run from top to bottom
        lines = [0, *(cell.count("\n") + 1 for cell in cells)]
        places = [[number, sum(lines[:number]) + number, 1] for number in range(1, len(cells) + 1)]
        joined = "".join(f"{cell}\n# next\n" for cell in cells)
        file = load_notebook(joined.encode(), NAME, LABEL, places, ["A"])
        assert file.module.A() == expected, f"seed {seed}:\n{source}"
        compared += 1
    assert compared > NOTEBOOKS / 2
