"""A copy of the course without the checks that train a model: what they cost is the training's and not the grader's."""

import ast
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

TRAINS = "train_classifier"


def without_training(root: Path, folder: Path) -> list[str]:
    """Copy what grading needs into `folder`, the checks left out that train; return these as "exercise: check"."""
    for name in ("exercises", "reference"):
        shutil.copytree(root / name, folder / name)
    for path in root.glob("graders/ex*"):
        shutil.copytree(path, folder / "graders" / path.name)
    rubric = (root / "grading.yaml").read_text(encoding="utf-8")
    left_out = []
    for path in sorted(folder.glob("graders/ex*")):
        files = {file: ast.parse(file.read_text(encoding="utf-8")) for file in path.glob("*.py")}
        names = {name for name in _that_train(files.values()) if name.startswith("check_")}
        for file, tree in files.items():
            _leave_out(file, tree, names)
        for check in sorted(name.removeprefix("check_") for name in names):
            left_out.append(f"{path.name}: {check}")
            # In its own exercise's block, which begins with the folder's name.
            rubric = re.sub(rf"(?ms)(^  {path.name}:.*?)^      {check}: \d+\n", r"\1", rubric, count=1)
    (folder / "grading.yaml").write_text(rubric, encoding="utf-8")
    return left_out


def _that_train(trees: Iterable[ast.Module]) -> set[str]:
    """Return the functions of these files that call what trains, or a function that does."""
    calls = {
        function.name: {name for node in ast.walk(function) if (name := _name(node))}
        for tree in trees
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
    }
    found = {TRAINS}
    while more := {name for name, called in calls.items() if called & found} - found:
        found |= more
    return found


def _name(node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Attribute(attr=name) if name == TRAINS:
            return name
    return ""


def _leave_out(file: Path, tree: ast.Module, names: set[str]) -> None:
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            first = min(decorator.lineno for decorator in [*node.decorator_list, node])  # type: ignore[attr-defined]
            lines[first - 1 : node.end_lineno] = [""] * (node.end_lineno - first + 1)  # type: ignore[operator]
    file.write_text("".join(lines), encoding="utf-8")
