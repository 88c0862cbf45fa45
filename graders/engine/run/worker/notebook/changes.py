"""What one statement of a notebook may change of an object that it does not bind, read from the statement's form.

An item or an attribute is set, a method is called for its effect, a decorator is told a name: that is how people write
it. What only happens deep inside a call is not seen.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

METHODS = frozenset(
    {"add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop", "popitem", "register"}
    | {"remove", "reverse", "setdefault", "sort", "update", "__setattr__", "__setitem__"}
)
FUNCTIONS = frozenset(
    {"setattr", "delattr", "__setattr__", "shuffle", "heapify", "heappush", "insort", "update_wrapper"}
)
_OWN = frozenset({"self", "cls", "mcs"})

# Of these nodes only something is read.
_TELLING = (
    ast.Attribute | ast.Subscript | ast.Call | ast.Expr | ast.Assign | ast.AugAssign | ast.For
    | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
)  # fmt: skip

Call = tuple[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Changes:
    """Names whose objects a statement may change, by how it does."""

    sets: frozenset[str]
    """By setting an attribute or an item, by a function that is known for it, or by a decorator that is told of it."""
    methods: frozenset[str]
    """By a method that is known for it."""
    receivers: frozenset[str]
    """By a method of any name whose answer is not used."""
    calls: frozenset[Call]
    """Functions called for their effect, decorators and base classes, each with the names that it is told."""
    aliases: frozenset[tuple[str, str]]
    """A name for a part of an object, and the object's own name."""
    inner: frozenset[str]
    """What functions in the statement change when they are called."""
    counts_subclasses: bool
    changes_arguments: bool


def changes_of(statement: ast.stmt) -> Changes:
    running = [node for node in _running(statement) if isinstance(node, _TELLING)]
    nodes = list(ast.walk(statement))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {name for function in functions for part in function.body for name in _changed(ast.walk(part))}
    parameters = {node.arg for function in functions for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    return Changes(
        sets=frozenset(_set(running)) | frozenset(_told_to_decorators(running)),
        methods=frozenset(_changed_by_methods(running)),
        receivers=frozenset(_receivers(running)),
        calls=frozenset(_calls(running)),
        aliases=frozenset(_aliases(running)),
        inner=frozenset(inner) - parameters,
        counts_subclasses=any(map(_counts_subclasses, nodes)),
        changes_arguments=bool(inner & (parameters - _OWN if isinstance(statement, ast.ClassDef) else parameters)),
    )


def _running(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts that run with the statement: of a function in it only what is around its body."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif not isinstance(node, ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _changed(nodes: Iterable[ast.AST]) -> set[str]:
    nodes = list(nodes)
    return {*_set(nodes), *_changed_by_methods(nodes)}


def _set(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                yield from _root(node)
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name  # a list or a tensor stays the same object
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]) if name in FUNCTIONS:
                yield from _root(first)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]) if _is_in_place(name):
                yield from _root(first)
        if isinstance(node, ast.Call):
            yield from (root for keyword in node.keywords if keyword.arg == "out" for root in _root(keyword.value))


def _changed_by_methods(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=holder, attr=name)) if name in METHODS or _is_in_place(name):
                yield from _root(holder)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                for decorator in node.decorator_list:
                    called = decorator.func if isinstance(decorator, ast.Call) else decorator
                    yield from _root(called) if isinstance(called, ast.Attribute) else ()


def _is_in_place(name: str) -> bool:
    """Whether torch names functions so that change what they are given."""
    return name.endswith("_") and not name.startswith("__")


def _told_to_decorators(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                yield from _told(decorator) if isinstance(decorator, ast.Call) else ()


def _receivers(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder))):
                yield from _root(holder)


def _calls(nodes: Iterable[ast.AST]) -> Iterator[Call]:
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Call() as call):
                yield from _named_call(call)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                for decorator in node.decorator_list:
                    yield from _named_call(decorator)
        if isinstance(node, ast.ClassDef):
            for base in [*node.bases, *(keyword.value for keyword in node.keywords)]:
                yield from ((name, frozenset[str]()) for name in _root(base))


def _named_call(expression: ast.expr) -> Iterator[Call]:
    """Yield the function and what it is told; `add(A)(f)` tells it both names."""
    told: set[str] = set()
    while isinstance(expression, ast.Call):
        told |= set(_told(expression))
        expression = expression.func
    if isinstance(expression, ast.Name):
        yield expression.id, frozenset(told)


def _told(call: ast.Call) -> Iterator[str]:
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        yield from _root(argument)


def _aliases(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            # What a call returns is not taken for a part, or every object would be one of its class.
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute() | ast.Subscript() as value):
                yield from ((name, root) for root in _root(value) if root != name)
            case ast.For(target=target, iter=iterated):
                inside = [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
                items = iterated.elts if isinstance(iterated, ast.Tuple | ast.List) else [iterated]
                yield from ((name, root) for item in items for root in _root(item) for name in inside if root != name)


def _root(expression: ast.AST) -> Iterator[str]:
    """Yield the name that an expression begins with, as `a` in `a.b[c].d()`; `vars(a)` begins with it as well."""
    while True:
        match expression:
            case ast.Name(id=name):
                yield name
                return
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
                expression = inner
            case ast.Call(func=ast.Attribute(value=inner)):
                expression = inner
            case ast.Call(
                func=ast.Name(id="vars" | "super" | "enumerate" | "zip" | "list" | "reversed"), args=[inner, *_]
            ):
                expression = inner
            case _:
                return


def _counts_subclasses(node: ast.AST) -> bool:
    """Whether this is a class that learns of its subclasses, or a class of classes."""
    if not isinstance(node, ast.ClassDef):
        return False
    learns = any(isinstance(part, ast.FunctionDef) and part.name == "__init_subclass__" for part in node.body)
    return learns or any(isinstance(base, ast.Name) and base.id == "type" for base in node.bases)
