"""Whether a stub and its reference promise the same: the same public names, signatures and docstrings."""

import ast

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
