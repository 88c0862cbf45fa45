"""Which statements of a notebook its wanted definitions need: everything else, plots and training included, stays out.

Of a name that is needed every statement that binds it is kept, in the notebook's order, so that a later definition
wins as it does in Jupyter; and every statement that changes what it stands for. A name that is looked up only when a
statement runs needs only what stands before that statement, or a loop over settings at the end would run for a default.
"""

import ast
import math
from collections.abc import Iterable, Sequence

from graders.engine.run.worker.notebook.names import Import, bound_by_alias, reaches_all
from graders.engine.run.worker.notebook.relations import Statement, relations_of


def needed_statements(statements: Sequence[Statement], wanted: Iterable[str]) -> dict[int, ast.stmt]:
    """Return the statements that these names need, by their places: of an import or a `del` only the names needed."""
    search = _Search(statements)
    for place, statement in enumerate(statements):
        if statement.names.reaches_all:
            search.keep(place)
    for name in wanted:
        search.need(name, math.inf)
    search.finish()
    return {place: _narrowed(statements[place].node, search.limits) for place in sorted(search.kept)}


class _Search:
    """Follows names to statements and statements to names, until nothing is added."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._relations = relations_of(statements)
        self._waiting: list[str] = []
        self.kept: set[int] = set()
        self.limits: dict[str, float] = {}
        """Before which place each name is needed."""

    def need(self, name: str, limit: float) -> None:
        """Need a name as it is bound before this place."""
        if limit > self.limits.get(name, -1):
            self.limits[name] = limit
            self._waiting.append(name)

    def keep(self, place: int) -> None:
        """Keep the statement at this place, unless it cannot run here."""
        statement = self._statements[place]
        if place in self.kept or statement.names.waits or _is_main_block(statement.node):
            return
        self.kept.add(place)
        for name in statement.names.now:
            self.need(name, place)
        for name in statement.names.later:
            self.need(name, math.inf)
        for name in statement.names.hints:
            self._hint(name)

    def finish(self) -> None:
        """Keep everything that is needed."""
        while self._waiting:
            name = self._waiting.pop()
            relations, limit = self._relations, self.limits[name]
            bound = [place for place in relations.binding.get(name, ()) if place < limit]
            # A loop that tries several values for a name trains for each; the value given to it elsewhere will do.
            given = [place for place in bound if name not in self._statements[place].names.passes]
            before = given or bound or [place for place in relations.calling.get(name, ()) if place < limit]
            # Another exercise's cells give only what no other cell does.
            mine = [place for place in before if self._statements[place].mine]
            for place in mine or before:
                self.keep(place)
            for place in relations.changing.get(name, ()):
                if self._statements[place].mine or not mine:
                    self.keep(place)

    def _hint(self, name: str) -> None:
        """Keep what an annotation means by a name if it looks like a type: no loop runs for an annotation."""
        for place in self._relations.binding.get(name, ()):
            node = self._statements[place].node
            if isinstance(node, ast.ClassDef | Import) or (isinstance(node, ast.Assign) and name[:1].isupper()):
                self.limits.setdefault(name, 0)
                self.keep(place)


def _is_main_block(node: ast.stmt) -> bool:
    match node:
        case ast.If(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            return any(isinstance(side, ast.Name) and side.id == "__name__" for side in (left, right))
    return False


def _narrowed(node: ast.stmt, names: Iterable[str]) -> ast.stmt:
    """Return a statement without those of its parts that only concern other names."""
    match node:
        case ast.Import() | ast.ImportFrom() if not reaches_all(node):
            aliases = [alias for alias in node.names if bound_by_alias(alias) in names]
            return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "names": aliases}), node)
        case ast.Delete():
            targets = [target for target in node.targets if not isinstance(target, ast.Name) or target.id in names]
            return ast.copy_location(ast.Delete(targets), node)
    return node
