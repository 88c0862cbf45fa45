"""Which names one statement of a notebook binds and looks up, as Python's own compiler understands it.

Nothing runs here. Names in annotations stand apart: they may be texts, and most are never looked up.
"""

import ast
import dis
import inspect
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType

Import = ast.Import | ast.ImportFrom
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

# These run where they stand; before Python 3.12 the compiler makes functions of them.
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
_GENERATOR = "<genexpr>"
_LOADS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})
_STORES = frozenset({"STORE_NAME", "STORE_GLOBAL", "DELETE_NAME", "DELETE_GLOBAL"})


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a module that a statement has to do with."""

    binds: frozenset[str]
    imports: frozenset[str]
    """Of those that it binds, the ones that some import in it does."""
    defines: frozenset[str]
    """Of those that it binds, the ones that a function or a class in it has as its name."""
    passes: frozenset[str]
    """Of those that it binds, the ones that only go through the items of a loop with a call in it."""
    now: frozenset[str]
    """Looked up when the statement runs, and not bound by itself before that."""
    later: frozenset[str]
    """Looked up by functions in it whenever these are called."""
    sets: frozenset[str]
    """Bound by functions in it, which say so with `global`."""
    hints: frozenset[str]
    """Named in annotations only."""
    waits: bool
    """Whether there is an await in it outside of functions."""
    reaches_all: bool
    """Whether it imports names that only running it will tell, or changes how the rest is compiled."""


def names_of(statement: ast.stmt, flags: int = 0) -> Names:
    """Return a statement's names; raises what the compiler raises where it cannot be compiled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a statement that is kept is compiled once more
        flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(ast.Module([statement], []), "", "exec", flags, dont_inherit=True)
    found = list(_read(code, at_once=True))
    binds, now, later, sets = (
        frozenset(name for kind, name in found if kind == wanted) for wanted in ("binds", "now", "later", "sets")
    )
    nodes = list(ast.walk(statement))
    imports = [node for node in nodes if isinstance(node, Import)]
    return Names(
        binds=binds | frozenset(_bound_in_globals(nodes)),
        imports=binds & {bound_by_alias(alias) for node in imports for alias in node.names},
        defines=binds & {node.name for node in nodes if isinstance(node, Definition)},
        passes=binds & _only_targets(nodes),
        now=now,
        later=later,
        sets=sets,
        hints=frozenset(_hints(nodes)) - now - later,
        waits=bool(code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)),
        reaches_all=any(map(reaches_all, imports)),
    )


def _only_targets(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that are bound by nothing but a loop over items that calls something for each."""
    bound, targets = Counter[str](), Counter[str]()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] += 1
        elif isinstance(node, ast.For | ast.AsyncFor) and _calls(node.body):
            targets.update(part.id for part in ast.walk(node.target) if isinstance(part, ast.Name))
    return {name for name, count in targets.items() if bound[name] == count}


def _calls(nodes: Iterable[ast.AST]) -> bool:
    return any(isinstance(inner, ast.Call) for node in nodes for inner in ast.walk(node))


def bound_by_alias(alias: ast.alias) -> str:
    """Return the name that one name of an import binds: `a` for `import a.b`."""
    return alias.asname or alias.name.partition(".")[0]


def reaches_all(node: ast.stmt) -> bool:
    """Return whether this imports whatever there is, or is an import that speaks to the compiler."""
    return isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.names[0].name == "*")


def _read(code: CodeType, known: frozenset[str] = frozenset(), *, at_once: bool) -> Iterator[tuple[str, str]]:
    """Yield what becomes of names in some code, which runs with the statement or in a function of it.

    `known` are names that the statement has bound before this code runs.
    """
    within_class = not code.co_flags & inspect.CO_OPTIMIZED and code.co_name != "<module>"
    bound: set[str] = set()
    for instruction in dis.get_instructions(code):
        value = instruction.argval
        if instruction.opname in _STORES:
            bound.add(value)
            if not within_class or instruction.opname.endswith("GLOBAL"):
                yield "binds" if at_once else "sets", value
        elif instruction.opname in _LOADS and value not in known:
            # A comprehension in a class looks past the names of the class.
            if value not in bound or (within_class and instruction.opname == "LOAD_GLOBAL"):
                yield "now" if at_once else "later", value
        elif isinstance(value, CodeType):
            yield from _read_inner(value, known if within_class else known | bound, at_once=at_once)


def _read_inner(code: CodeType, known: frozenset[str], *, at_once: bool) -> Iterator[tuple[str, str]]:
    runs_here = not code.co_flags & inspect.CO_OPTIMIZED or code.co_name in _COMPREHENSIONS
    if at_once and runs_here:
        yield from _read(code, known, at_once=True)
        return
    for kind, name in _read(code, at_once=False):
        # What a generator looks up, it may look up later; but what it binds by := is usually there at once.
        yield "binds" if at_once and kind == "sets" and code.co_name == _GENERATOR else kind, name


def _hints(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names in annotations, and those in texts that stand for one."""
    for node in nodes:
        match node:
            case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
                yield from _names_in_annotation(annotation)
            case (
                ast.FunctionDef(returns=ast.expr() as annotation)
                | ast.AsyncFunctionDef(returns=ast.expr() as annotation)
            ):
                yield from _names_in_annotation(annotation)


def _names_in_annotation(annotation: ast.expr) -> Iterator[str]:
    for node in ast.walk(annotation):
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Constant(value=str(text)):
                try:
                    parsed = ast.parse(text.strip(), mode="eval")
                except (SyntaxError, ValueError, MemoryError, RecursionError):
                    continue  # a text of another kind, such as a shape
                yield from (inner.id for inner in ast.walk(parsed) if isinstance(inner, ast.Name))


def _bound_in_globals(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that are bound by `globals()["name"] = ...`."""
    for node in nodes:
        match node:
            case ast.Subscript(
                value=ast.Call(func=ast.Name(id="globals" | "vars" | "locals"), args=[]),
                slice=ast.Constant(value=str(name)),
                ctx=ast.Store(),
            ):
                yield name
