"""Whether a stub is one still: in `exercises/` authors try out what students will do, and that must not be handed out.

Nobody can tell work from what the course gives away for certain. What is asked here is what every stub keeps to: its
TODOs count from 1 without a gap, and what has no TODO in it stands in the reference word for word.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from graders.engine.errors import CourseError
from graders.engine.load.course import EXERCISES, HANDED_OUT, Course
from graders.engine.load.handed_out import files_of
from graders.engine.load.rubric import ExerciseRubric, Rubric
from graders.engine.load.sheet.sheet import SheetProblem, read_sheet

_COMMENT = re.compile(r"^\s*#\s*TODO (\d+)", re.MULTILINE)
_RAISED = re.compile(r"\s*TODO (\d+)")

_MEANT = f"{HANDED_OUT} has; if that is meant, take the file's line out there first"

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def require_stubs(course: Course, rubric: Rubric, stubs: Mapping[str, str], former: Mapping[str, str]) -> None:
    """Raise CourseError, with a line for each, for stubs (texts by file name) that somebody has worked in.

    They are compared with the references, and with `former` stubs, which may be some, or none.
    """
    problems = [
        f"{EXERCISES}/{name} is no stub: {words}"
        for exercise in rubric.exercises.values()
        for name in files_of(exercise)
        if name in stubs and (words := _work_in(exercise, name, stubs[name], _reference(course, name), former))
    ]
    if problems:
        lines = "\n".join(problems)
        raise CourseError(
            f"{lines}\nPut back what students are to begin with, for example with `git checkout -- {EXERCISES}`, and "
            f"run `grade notebook`, which writes {HANDED_OUT} anew; what you tried belongs elsewhere"
        )


def _reference(course: Course, name: str) -> str | None:
    """Our own version of the file, None where there is none to compare with."""
    try:
        return (course.references / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _work_in(exercise: ExerciseRubric, name: str, text: str, reference: str | None, former: Mapping[str, str]) -> str:
    """What shows that it is no stub, or an empty text."""
    if reference is not None and text.split() == reference.split():
        return "it is the reference"
    if name != exercise.file:
        begun = former.get(name, "").split()
        longer = bool(begun) and text.split()[: len(begun)] == begun and len(text.split()) > len(begun)
        return f"something was written below what {_MEANT}" if longer else ""
    if exercise.kind == "answers":
        return _answered(text)
    return _solved(text, reference, former.get(name))


def _answered(text: str) -> str:
    try:
        answers = read_sheet(text.encode("utf-8")).answers
    except SheetProblem as problem:
        return f"it can't be read as a sheet ({problem})"
    filled = [question for question, answer in answers.items() if answer.text]
    return f"it answers {', '.join(filled)}" if filled else ""


def _solved(text: str, reference: str | None, former: str | None) -> str:
    stub = _parsed(text)
    if stub is None:
        return "Python can't read it"
    raised = {number for node in ast.walk(stub) for number in _raised(node)}
    if not any(_is_blank(node) for node in ast.walk(stub)):
        return "no NotImplementedError is left in it"
    expected = set(range(1, max(raised, default=0) + 1)) | {int(number) for number in _COMMENT.findall(text)}
    gone = sorted(expected - raised)
    if gone:
        return f"TODO {gone[0]} has no NotImplementedError"
    functions = dict(_functions(stub))
    done = {name for name, node in functions.items() if not any(_is_blank(inner) for inner in ast.walk(node))}
    before = dict(_functions(_parsed(former or "")))
    ours = dict(_functions(_parsed(reference or "")))
    for name in (name for name in functions if name in done):
        if name in before and any(_is_blank(inner) for inner in ast.walk(before[name])):
            return f"{name} has no TODO any more, against what {_MEANT}"
        if name in ours and _body(functions[name]) != _body(ours[name]):
            return f"{name} has no TODO, and is not what the reference has"
    return ""


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _functions(tree: ast.Module | ast.ClassDef | None, prefix: str = "") -> Iterator[tuple[str, _Function]]:
    """The functions and the methods of classes, by dotted name."""
    for node in tree.body if tree else []:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, _Function):
            yield f"{prefix}{node.name}", node


def _body(function: _Function) -> list[str]:
    """What it does, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return [ast.dump(node) for node in body]


def _is_blank(node: ast.AST) -> bool:
    """Whether this raises NotImplementedError."""
    if not isinstance(node, ast.Raise):
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _raised(node: ast.AST) -> Iterator[int]:
    """The number of the TODO that this raises, if it does."""
    if isinstance(node, ast.Raise) and _is_blank(node) and isinstance(node.exc, ast.Call) and node.exc.args:
        said = node.exc.args[0]
        found = _RAISED.match(said.value) if isinstance(said, ast.Constant) and isinstance(said.value, str) else None
        if found:
            yield int(found[1])
