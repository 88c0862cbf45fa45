"""A notebook inside a worker: of its cells runs what the wanted names need, cell after cell, each at its own risk.

A cell that cannot be read or that raises costs what it would have defined, and is told by its number.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from graders.engine.run.worker.notebook.cells import Cell, names_by_form, python_text, read_cells
from graders.engine.run.worker.notebook.names import Definition
from graders.engine.run.worker.notebook.notes import (
    note_on_lacking,
    note_on_left_out,
    note_on_parsing,
    note_on_raising,
    note_on_waiting,
    notes_on_magics,
)
from graders.engine.run.worker.notebook.relations import Statement
from graders.engine.run.worker.notebook.slicing import needed_statements
from graders.engine.run.worker.student_file import StudentFile, new_module, open_todos


def load_notebook(
    source: bytes, name: str, label: str, cells: Sequence[Sequence[int]], wanted: Sequence[str]
) -> StudentFile:
    """Run what a notebook needs for the names `wanted` as the module `name`, and return it.

    `cells` has number, first line in the source and whether it is the exercise's own for each cell. An exception costs
    its cell; if a wanted name is missing because of it, that exception comes through.
    """
    text = source.decode("utf-8", "replace")
    read = read_cells(text, cells, label)
    run = _Run(new_module(name, label, python_text(text, read)), label)
    steps = _steps(read, wanted)
    for cell in read:
        run.read(cell)
    for step in steps:
        run.take(step)
    for missing in wanted:
        if missing not in run.module.__dict__ and missing in run.causes:
            raise run.causes[missing]
    mine = [cell for cell in read if cell.mine]
    kept = {step.statement.node for step in steps}
    defined = [name for cell in mine for statement in cell.statements for name in sorted(statement.names.defines)]
    return StudentFile(
        run.module,
        label,
        open_todos(_in_use(run.taken, wanted)),
        notes=(
            *run.notes,
            *_waiting(mine, steps, wanted),
            *notes_on_magics(mine),
            *note_on_left_out(mine, kept, set(wanted)),
        ),
        names=tuple(defined),
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """A statement that is needed, its cell, and what of it is to run."""

    cell: Cell
    statement: Statement
    node: ast.stmt


@dataclass
class _Run:
    """A module while its cells run, and what went wrong with them."""

    module: ModuleType
    label: str
    notes: list[str] = field(default_factory=list)
    causes: dict[str, BaseException] = field(default_factory=dict)
    """Why a name is not defined, as far as a cell that failed should have defined it."""
    taken: list[_Step] = field(default_factory=list)
    _ended: dict[int, BaseException] = field(default_factory=dict)

    def read(self, cell: Cell) -> None:
        """Remember what a cell without Python would have defined."""
        if cell.problem is not None:
            for name in names_by_form(cell.text):
                self.causes.setdefault(name, cell.problem)
            if cell.mine:
                self.notes.append(note_on_parsing(cell, cell.problem, self.label))

    def take(self, step: _Step) -> None:
        """Run a statement, unless its cell has ended before it."""
        ended = self._ended.get(step.cell.number)
        if ended is not None:
            self._miss(step, ended)
            return
        for node in _parts(step.node):
            try:
                code = compile(ast.Module([node], []), self.label, "exec", step.cell.flags, dont_inherit=True)
                exec(code, self.module.__dict__)
            except (Exception, SystemExit) as error:
                self._fail(step, error)
            else:
                self.taken.append(step)

    def _fail(self, step: _Step, error: BaseException) -> None:
        cause = error
        # Of a name that an earlier cell should have defined, the reason why it did not says more.
        if type(error) is NameError and type(error.name) is str:
            cause = self.causes.get(error.name, error)
        self._miss(step, cause)
        binds = step.statement.names.binds
        if issubclass(type(error), (ImportError, OSError)):
            # A module, a file or a network that the student had, and that may matter for a plot alone.
            if step.cell.mine or binds:
                self.notes.append(note_on_lacking(step.cell, error, self.label))
        elif cause is error or binds:
            self._ended[step.cell.number] = cause
            self.notes.append(note_on_raising(step.cell, error, self.label))

    def _miss(self, step: _Step, cause: BaseException) -> None:
        for name in step.statement.names.binds:
            self.causes.setdefault(name, cause)


def _parts(node: ast.stmt) -> list[ast.stmt]:
    """Return a statement, or an import of several modules one by one: the first may be missing and not the second."""
    if not isinstance(node, ast.Import):
        return [node]
    return [ast.copy_location(ast.Import([alias]), node) for alias in node.names]


def _steps(cells: Sequence[Cell], wanted: Sequence[str]) -> list[_Step]:
    found = [(cell, statement) for cell in cells for statement in cell.statements]
    kept = needed_statements([statement for _, statement in found], wanted)
    return [_Step(*found[place], node) for place, node in kept.items()]


def _waiting(cells: Sequence[Cell], steps: Sequence[_Step], wanted: Sequence[str]) -> Iterator[str]:
    """Yield a note on every statement with an await that would have bound a name in use."""
    used = {*wanted, *(name for step in steps for name in step.statement.names.now | step.statement.names.later)}
    for cell in cells:
        for statement in cell.statements:
            if statement.names.waits and statement.names.binds & used:
                yield note_on_waiting(cell, statement.node)


def _in_use(steps: Sequence[_Step], wanted: Sequence[str]) -> Iterator[ast.stmt]:
    """Yield the code of those cells that define wanted names, but for definitions that a later one replaces."""
    defining = [step for step in steps if step.statement.names.binds & set(wanted)]
    latest = {name: step for step in defining for name in step.statement.names.defines}
    cells = {step.cell.number for step in defining}
    for step in steps:
        replaced = isinstance(step.node, Definition) and latest.get(step.node.name, step) is not step
        if step.cell.number in cells and not replaced:
            yield step.node
