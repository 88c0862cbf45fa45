"""Whether a stub and its reference promise the same: the same public names, signatures and docstrings, or questions."""

import ast
from typing import Any

import yaml

Promise = tuple[str, str]
"""A signature as text, and a docstring."""


def disagreements(stub: str, reference: str, slug: str) -> list[str]:
    """Return a line for every public class, function or method that the two files promise differently."""
    files = {f"reference/{slug}.py": reference, f"exercises/{slug}.py": stub}
    broken = [f"{name} {fault}" for name, source in files.items() if (fault := _fault(source))]
    if broken:
        return broken
    ours, theirs = promises(reference), promises(stub)
    found = [
        f"exercises/{slug}.py lacks {name}, which reference/{slug}.py defines" for name in ours if name not in theirs
    ]
    found += [
        f"exercises/{slug}.py defines {name}, which reference/{slug}.py lacks" for name in theirs if name not in ours
    ]
    for name in (name for name in ours if name in theirs):
        if ours[name][0] != theirs[name][0]:
            found.append(f"{slug}: {name} is {theirs[name][0]} in the stub, but {ours[name][0]} in the reference")
        if ours[name][1] != theirs[name][1]:
            found.append(f"{slug}: the docstrings of {name} differ between stub and reference")
    return found


def _fault(source: str) -> str:
    """Return why a file can't be parsed, or an empty text."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        return f"can't be read by Python: {error.msg} (line {error.lineno})"
    return ""


def promises(source: str) -> dict[str, Promise]:
    """Return what a file's public classes and functions promise, by dotted name."""
    found: dict[str, Promise] = {}
    _collect(ast.parse(source).body, "", found)
    return found


def _collect(body: list[ast.stmt], prefix: str, found: dict[str, Promise]) -> None:
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = f"{prefix}{node.name}"
        if node.name.startswith("_") and node.name != "__init__":
            continue
        if isinstance(node, ast.ClassDef):
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            found[name] = (f"class ({bases})", ast.get_docstring(node) or "")
            _collect(node.body, f"{name}.", found)
        else:
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            waits = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
            found[name] = (f"{waits}({ast.unparse(node.args)}){returns}", ast.get_docstring(node) or "")


def sheet_disagreements(stub: str, reference: str, slug: str) -> list[str]:
    """Return a line for every question of a sheet that stub and reference ask differently, or that only one asks.

    The stub's answers must be empty, and the reference's must not.
    """
    sheets: dict[str, Any] = {}
    for name, text in {f"reference/{slug}.yaml": reference, f"exercises/{slug}.yaml": stub}.items():
        try:
            sheets[name] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            return [f"{name} can't be read as YAML: {' '.join(str(error).split())}"]
        if not isinstance(sheets[name], dict) or not all(isinstance(entry, dict) for entry in sheets[name].values()):
            return [f"{name} must hold questions by name, each with question and answer"]
    (ours_name, ours), (theirs_name, theirs) = sheets.items()
    found = [f"{theirs_name} lacks {key}, which {ours_name} asks" for key in ours if key not in theirs]
    found += [f"{theirs_name} asks {key}, which {ours_name} lacks" for key in theirs if key not in ours]
    for key in (key for key in ours if key in theirs):
        if ours[key] | {"answer": None} != theirs[key] | {"answer": None}:
            found.append(f"{slug}: {key} is asked differently in stub and reference")
        if theirs[key].get("answer") not in (None, ""):
            found.append(f"{theirs_name}: {key} has an answer; a stub leaves it empty")
        if ours[key].get("answer") in (None, ""):
            found.append(f"{ours_name}: {key} has no answer")
    return found
