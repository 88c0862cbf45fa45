"""The statements of a notebook by the names that they bind and by those whose objects they change."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graders.engine.run.worker.notebook.changes import Call, Changes, changes_of
from graders.engine.run.worker.notebook.names import Names, names_of

Places = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement outside of functions and classes, and what it has to do with names.

    One that is not `mine` stands in another exercise's cell.
    """

    node: ast.stmt
    names: Names
    changes: Changes
    mine: bool


Holders = Mapping[str, Sequence[Statement]]


@dataclass(frozen=True, slots=True)
class Relations:
    """For each name the places of the statements that bind it, bind it by a call, or change what it stands for."""

    binding: Places
    calling: Places
    changing: Places


def read_statement(node: ast.stmt, mine: bool = True, flags: int = 0) -> Statement:
    """Return a statement with its names; raises what the compiler raises where it cannot be compiled."""
    return Statement(node, names_of(node, flags), changes_of(node), mine)


def relations_of(statements: Sequence[Statement]) -> Relations:
    """Return what the statements, in their order, have to do with each name."""
    binding = _places(statements, lambda statement: statement.names.binds)
    holders = {name: [statements[place] for place in places] for name, places in binding.items()}
    wholes = _wholes(statements, holders)
    return Relations(
        binding,
        _places(statements, lambda statement: _bound_by_calls(statement, holders)),
        _places(statements, lambda statement: _changed(statement, holders, wholes)),
    )


def _places(statements: Sequence[Statement], names: Callable[[Statement], Iterable[str]]) -> Places:
    places: dict[str, list[int]] = {}
    for place, statement in enumerate(statements):
        for name in dict.fromkeys(names(statement)):
            places.setdefault(name, []).append(place)
    return places


def _wholes(statements: Sequence[Statement], holders: Holders) -> Mapping[str, set[str]]:
    """Return for each name those whose object it stands for a part of."""
    wholes: dict[str, set[str]] = {}
    for statement in statements:
        for part, whole in statement.changes.aliases:
            if not _is_imported(whole, holders):
                wholes.setdefault(part, set()).add(whole)
    return wholes


def _bound_by_calls(statement: Statement, holders: Holders) -> Iterator[str]:
    for function, _ in statement.changes.calls:
        for held in holders.get(function, ()):
            yield from held.names.sets


def _changed(statement: Statement, holders: Holders, wholes: Mapping[str, set[str]]) -> Iterator[str]:
    changes = statement.changes
    # Modules have methods of these names as well: torch.add changes nothing.
    methods = [name for name in changes.methods if not _is_imported(name, holders)]
    waiting, seen = [*changes.sets, *methods, *_changed_by_calls(statement, holders)], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += wholes.get(name, ())
    yield from seen
    yield from (name for name in changes.receivers if _is_assigned(name, holders))


def _changed_by_calls(statement: Statement, holders: Holders) -> Iterator[str]:
    waiting, seen = list(statement.changes.calls), set[Call]()
    while waiting:
        call = waiting.pop()
        function, told = call
        for held in holders.get(function, ()) if call not in seen else ():
            yield from held.changes.inner & (held.names.later | held.names.sets)
            if held.changes.counts_subclasses:
                yield function
            if held.changes.changes_arguments:
                yield from told
            if isinstance(held.node, ast.ClassDef):
                # What a class does when it gets a subclass, it may have from a class of its own.
                waiting += held.changes.calls
        seen.add(call)


def _is_imported(name: str, holders: Holders) -> bool:
    return any(name in held.names.imports for held in holders.get(name, ()))


def _is_assigned(name: str, holders: Holders) -> bool:
    """Whether a name stands for an object that some expression made, rather than for a function, class or module."""
    return any(name not in held.names.imports | held.names.defines for held in holders.get(name, ()))
