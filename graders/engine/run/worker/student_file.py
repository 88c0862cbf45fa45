"""The student's file inside a worker: making a module of its bytes, and putting what it raises into plain words."""

import ast
import builtins
import io
import linecache
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from opcode import opmap
from types import FrameType, ModuleType, TracebackType
from typing import Any

from graders.engine.run.raised import FAMILIES, MAX_FRAMES

TODO = re.compile(r"TODO (\d+):")
MAX_MESSAGE = 1000
RAISE = opmap["RAISE_VARARGS"]

# An exception class of the student's may answer for both names as it likes; these ask the object itself.
_name_of = type.__dict__["__name__"]
_traceback_of = BaseException.__dict__["__traceback__"]


@dataclass(frozen=True, slots=True)
class StudentFile:
    """A loaded file: the module, the name its code was compiled under, and the stub's TODOs still in it."""

    module: ModuleType
    label: str
    todos: dict[int, tuple[int, int]]
    """Number of each open TODO, its line, and the line on which the class or function around it begins."""
    notes: tuple[str, ...] = ()
    """Of a notebook: what was left out of it or failed, for the student."""
    names: tuple[str, ...] = ()
    """Of a notebook: the names that it defines, in what was left out as well."""


def load_student_file(source: bytes, name: str, label: str) -> StudentFile:
    """Run `source` as the module `name` and return it; whatever the code raises comes through.

    The bytes come from the judge, so no file is opened here. `label` is what tracebacks call the file.
    """
    code = compile(source, label, "exec", dont_inherit=True)
    module = new_module(name, label, source.decode("utf-8-sig", "replace"))
    # A tree of thousands of objects, for files alone that have something to find in it.
    todos = open_todos(ast.parse(source, label).body) if b"NotImplementedError" in source else {}
    exec(code, module.__dict__)
    return StudentFile(module, label, todos)


def new_module(name: str, label: str, text: str) -> ModuleType:
    """Return an empty module that Python knows by name, and let it know its text, for whoever looks up source code."""
    # inspect.getsource and tracebacks read lines from this cache; mtime None means "never look at the disk".
    lines = io.StringIO(text, newline=None).readlines()
    linecache.cache[label] = (len(text), None, lines, label)
    module = ModuleType(name)
    module.__file__ = label
    sys.modules[name] = module
    # A copy for the file to change as it likes: what torch and this worker run on stays whole.
    own = ModuleType(builtins.__name__)
    vars(own).update(vars(builtins))
    sys.modules[builtins.__name__] = own
    vars(module)["__builtins__"] = vars(own)
    return module


def open_todos(statements: Iterable[ast.stmt]) -> dict[int, tuple[int, int]]:
    """Return number, line and surroundings of every `raise NotImplementedError("TODO n: ...")` in these statements."""
    found = {}
    for outer, node in ((statement, node) for statement in statements for node in ast.walk(statement)):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError"), args=[ast.Constant(value=str(text))])):
                if number := TODO.match(text):
                    found[int(number[1])] = (node.lineno, outer.lineno)
    return found


def describe_exception(error: BaseException, label: str) -> dict[str, Any]:
    """Return what an exception was: its type, the built-in families it belongs to, message, line and frames.

    Only frames of the student's file are told. Nothing of the exception is trusted to work, its `str` included.
    """
    frames = list(_student_frames(_traceback_of.__get__(error), label))[-MAX_FRAMES:]
    return {
        "type": _name_of.__get__(type(error))[:100],
        # Not isinstance, which asks `__class__`: a property, if the student wishes.
        "families": [family.__name__ for family in FAMILIES if issubclass(type(error), family)],
        "message": _message(error),
        "line": _syntax_line(error, label) or (frames[-1][0] if frames else None),
        "frames": [[number, function[:100]] for number, function in frames],
    }


def raised_in_file(error: BaseException, label: str) -> bool:
    """Return whether a line of the student's file raised it, and not something that this line called."""
    last = _last_traceback(error)
    return last is not None and last.tb_frame.f_code.co_filename == label


def raised_by_statement(error: BaseException, label: str) -> bool:
    """Return whether a `raise` or `assert` of the student's file raised it.

    What is written in C leaves no frame: the line alone can't tell a statement from a function that it calls.
    """
    last = _last_traceback(error)
    if last is None or last.tb_frame.f_code.co_filename != label:
        return False
    return last.tb_frame.f_code.co_code[last.tb_lasti] == RAISE


def _last_traceback(error: BaseException) -> TracebackType | None:
    traceback: TracebackType | None = _traceback_of.__get__(error)
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def _student_frames(traceback: TracebackType | None, label: str) -> Iterator[tuple[int, str]]:
    while traceback is not None:
        frame: FrameType = traceback.tb_frame
        if frame.f_code.co_filename == label:
            yield traceback.tb_lineno, frame.f_code.co_name
        traceback = traceback.tb_next


def _syntax_line(error: BaseException, label: str) -> int | None:
    """Return the line of a syntax error in the student's file, which no frame tells."""
    if not issubclass(type(error), SyntaxError):
        return None
    try:
        match error:
            case SyntaxError(filename=str(filename), lineno=int(line)) if filename == label:
                return line
    except BaseException:
        # An exception class of the student's may raise here as well; then there is nothing to tell.
        return None
    return None


def _syntax_words(error: Any) -> str:
    """Return what is wrong and the line's text: `str` would tell the line's number a second time."""
    return f"{error.msg} in `{error.text.strip()[:200]}`" if error.text else f"{error.msg}"


def _message(error: BaseException) -> str:
    try:
        text = _syntax_words(error) if issubclass(type(error), SyntaxError) else str(error)
        # By str's own method: what str() returned may be of a subclass that answers a slice as it likes.
        return str.__getitem__(text, slice(MAX_MESSAGE))
    except BaseException as second:
        return f"(its message could not be read: str() raised {_name_of.__get__(type(second))[:100]})"
