"""Loading a student's file: what it defines works as in any module, and what it raises is told in plain words."""

import inspect
import json
import linecache
import sys
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from graders.engine.run.raised import MAX_FRAMES
from graders.engine.run.worker.student_file import MAX_MESSAGE, StudentFile, describe_exception, load_student_file
from tests.run.conftest import LABEL, Start

Load = Callable[[str | bytes], StudentFile]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """``load(source)``: a file of our own, loaded here; the traces that loading leaves go with the test."""
    monkeypatch.setitem(sys.modules, "ex00_demo", ModuleType("ex00_demo"))
    monkeypatch.setitem(linecache.cache, LABEL, (0, None, [], LABEL))

    def load_one(source: str | bytes) -> StudentFile:
        data = textwrap.dedent(source).encode() if isinstance(source, str) else source
        return load_student_file(data, "ex00_demo", LABEL)

    return load_one


@pytest.fixture
def told(load: Load) -> Callable[[str | bytes], dict[str, Any]]:
    """``told(source)``: how the exception that loading this file raises is described."""

    def describe(source: str | bytes) -> dict[str, Any]:
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - which one it is, the description tells
            load(source)
        described = describe_exception(caught.value, LABEL)
        assert json.loads(json.dumps(described, allow_nan=False)) == described
        return described

    return describe


Told = Callable[[str | bytes], dict[str, Any]]


# A file that loads


def test_a_file_becomes_a_module(load: Load) -> None:
    file = load("import math\nX = math.pi\nNAME, FILE = __name__, __file__")
    assert (pytest.approx(3.14159, 1e-5), "ex00_demo", LABEL) == (file.module.X, file.module.NAME, file.module.FILE)
    assert sys.modules["ex00_demo"] is file.module
    assert file.label == LABEL


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"\xef\xbb\xbfX = '\xc3\xa9'\n",
        b"X = 1\r\nif X:\r\n\tX = 2\r\n",
        b"X = 1\rY = 2\r",
        b"# -*- coding: latin-1 -*-\nX = '\xe9'\n",
        b"X = 1\n\x0c\nY = 2",
    ],
    ids=["empty", "one newline", "BOM", "CRLF and a tab", "CR", "latin-1", "form feed, no newline at the end"],
)
def test_every_way_to_save_a_file_is_welcome(load: Load, source: bytes) -> None:
    assert isinstance(load(source), StudentFile)


def test_the_main_block_does_not_run(load: Load) -> None:
    load("if __name__ == '__main__':\n    raise AssertionError('run')")


def test_the_engines_own_future_imports_are_not_inherited(load: Load) -> None:
    assert load("def f(x: int): ...").module.f.__annotations__ == {"x": int}
    assert load("from __future__ import annotations\ndef f(x: int): ...").module.f.__annotations__ == {"x": "int"}


def test_source_code_can_be_looked_up(load: Load) -> None:
    module = load("""
        class First:
            def method(self):
                return 1

        def second():
            return 2  # ä
    """).module
    assert inspect.getsource(module.second) == "def second():\n    return 2  # ä\n"
    assert "return 1" in inspect.getsource(module.First)
    linecache.checkcache()
    assert inspect.getsource(module.First.method).strip().startswith("def method")


def test_dataclasses_and_type_hints_work(load: Load) -> None:
    module = load("""
        from __future__ import annotations
        import typing
        from dataclasses import dataclass, field

        @dataclass
        class Config:
            sizes: typing.ClassVar[list[int]] = [1]
            width: int = 3
            parts: list[str] = field(default_factory=list)

        def hints(): return typing.get_type_hints(Config)
    """).module
    assert module.Config(4) == module.Config(width=4)
    assert module.hints()["width"] is int


def test_no_neighbouring_file_is_there_to_import(told: Told) -> None:
    described = told("import ex01_other")
    assert described["type"] == "ModuleNotFoundError"
    assert described["line"] == 1


# TODOs


def test_open_todos_are_found_with_their_lines(load: Load) -> None:
    file = load("""
        class A:
            def __init__(self):
                raise NotImplementedError("TODO 1: make it")

            def forward(self, x):
                if x:
                    raise NotImplementedError(
                        "TODO 12: use it"
                    )
    """)
    assert file.todos == {1: (4, 2), 12: (8, 2)}


@pytest.mark.parametrize(
    "line",
    [
        "pass  # raise NotImplementedError('TODO 1: x')",
        "'raise NotImplementedError(\"TODO 1: x\")'",
        "NotImplementedError('TODO 1: x')",
        "raise NotImplementedError",
        "raise NotImplementedError()",
        "raise NotImplementedError('to do 1: x')",
        "raise NotImplementedError('TODO: x')",
        "raise NotImplementedError('the TODO 1: x')",
        "raise NotImplementedError('TODO one: x')",
        "raise NotImplementedError('TODO 1')",
        "raise NotImplementedError('TODO 1: x', 2)",
        "raise NotImplementedError(b'TODO 1: x')",
        "raise NotImplementedError(f'TODO 1: {1}')",
        "raise ValueError('TODO 1: x')",
        "assert False, 'TODO 1: x'",
    ],
)
def test_what_only_looks_like_a_todo_is_none(load: Load, line: str) -> None:
    assert load(f"def f():\n    {line}\n").todos == {}


# A file that cannot be read


@pytest.mark.parametrize(
    ("source", "kind", "line", "words"),
    [
        ("x = 1\ny = (2,\n", "SyntaxError", 2, "'(' was never closed in `y = (2,`"),
        ("x = 1\n\nclass A\n    pass\n", "SyntaxError", 3, "expected ':' in `class A`"),
        ("def f():\nreturn 1\n", "IndentationError", 2, "expected an indented block"),
        ("def f():\n    x = 1\n  return x\n", "IndentationError", 3, "unindent does not match"),
        ("if 1:\n\tx = 1\n        y = 1\n", "TabError", 3, "inconsistent use of tabs and spaces"),
        ("x = 'a\n", "SyntaxError", 1, "unterminated string literal"),
        ("x = 1\nreturn x\n", "SyntaxError", 2, "'return' outside function"),
        ("<<<<<<< HEAD\n", "SyntaxError", 1, "invalid syntax in `<<<<<<< HEAD`"),
        ("x = “a”\n", "SyntaxError", 1, "invalid character"),
        ("print 'a'\n", "SyntaxError", 1, "Missing parentheses"),
        (b"x = 1\ny = '\xff'\n", "SyntaxError", None, "utf-8"),
        (b"# coding: no-such\n", "SyntaxError", None, "unknown encoding"),
        ("(" * 300 + ")" * 300, "SyntaxError", 1, "too many nested parentheses"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_syntax_error_tells_line_and_text(
    told: Told, source: str | bytes, kind: str, line: int | None, words: str
) -> None:
    described = told(source if isinstance(source, bytes) else source.encode())
    assert described["type"] == kind
    assert "SyntaxError" in described["families"]
    assert words in described["message"]
    if line is not None:
        assert described["line"] == line
    assert described["frames"] == []


@pytest.mark.parametrize("source", [b"x = 1\n\0\n", "x = 1\n".encode("utf-16")], ids=["NUL", "UTF-16"])
def test_a_nul_byte_is_refused_in_words(told: Told, source: bytes) -> None:
    """It is a ValueError up to Python 3.11 and a SyntaxError after it."""
    described = told(source)
    assert described["type"] in ("ValueError", "SyntaxError")
    assert "null bytes" in described["message"]


def test_a_syntax_error_elsewhere_has_the_line_that_met_it(told: Told) -> None:
    described = told("x = 1\n\neval('1 +')\n")
    assert described["type"] == "SyntaxError"
    assert described["line"] == 3


# What student code raises


def test_only_frames_of_the_students_file_are_told(told: Told) -> None:
    described = told("""
        import json

        def outer():
            return inner()

        def inner():
            return json.loads("{")

        outer()
    """)
    assert described["type"] == "JSONDecodeError"
    assert described["families"] == ["ValueError"]
    assert described["frames"] == [[10, "<module>"], [5, "outer"], [8, "inner"]]
    assert described["line"] == 8


def test_the_last_frames_of_an_endless_recursion_are_told(told: Told) -> None:
    described = told("def f():\n    f()\nf()")
    assert described["type"] == "RecursionError"
    assert described["frames"] == [[2, "f"]] * MAX_FRAMES


def test_long_messages_are_cut(told: Told) -> None:
    assert told("raise ValueError('a' * 10**6)")["message"] == "a" * MAX_MESSAGE


def test_families_are_told_of_exceptions_that_students_define(told: Told) -> None:
    described = told("class TooLong(AssertionError, ValueError): ...\nraise TooLong('600')")
    assert described["type"] == "TooLong"
    assert described["families"] == ["AssertionError", "ValueError"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def __str__(self): raise KeyError(1)", "(its message could not be read: str() raised KeyError)"),
        ("def __str__(self): return 3", "(its message could not be read: str() raised TypeError)"),
        ("def __str__(self): raise SystemExit", "(its message could not be read: str() raised SystemExit)"),
        ("def __str__(self): return self.__str__()", "(its message could not be read: str() raised RecursionError)"),
        ("def __getattribute__(self, name): raise OSError", "given"),
        ("__traceback__ = property(lambda self: 1 / 0)", "given"),
        ("__class__ = property(lambda self: 1 / 0)", "given"),
        ("__class__ = SystemExit", "given"),
        ("def __str__(self): return Text('cut' * 10**6)", ("cut" * 10**6)[:MAX_MESSAGE]),
    ],
)
def test_an_exception_that_does_not_work_is_described_all_the_same(told: Told, body: str, message: str) -> None:
    described = told(f"""
        class Text(str):
            def __getitem__(self, key): raise LookupError
            def __len__(self): return -1

        class Odd(Exception):
            {body}

        raise Odd("given")
    """)
    assert described == {
        "type": "Odd", "families": [], "message": message, "line": 9, "frames": [[9, "<module>"]]
    }  # fmt: skip


def test_a_class_that_hides_its_name_has_one(told: Told) -> None:
    described = told("""
        class Meta(type):
            @property
            def __name__(cls): raise OSError

        class Odd(SyntaxError, metaclass=Meta):
            filename = lineno = msg = text = property(lambda self: 1 / 0)

        raise Odd
    """)
    assert described["type"] == "Odd"
    assert described["families"] == ["SyntaxError"]
    assert described["line"] == 9
    assert "ZeroDivisionError" in described["message"]


def test_a_syntax_error_that_a_student_forges_is_told_without_trust(told: Told) -> None:
    described = told(f"""
        class Name(str):
            def __eq__(self, other): raise OSError
            __hash__ = None

        error = SyntaxError("x")
        error.filename, error.lineno, error.text, error.msg = Name({LABEL!r}), "7", 7, 3
        raise error
    """)
    assert described["line"] == 8
    assert described["message"]


def test_a_file_is_the_same_in_a_worker(start: Start) -> None:
    worker = start("""
        import inspect
        from dataclasses import dataclass

        @dataclass
        class Config:
            width: int = 3

        def widths(): return [Config().width, Config(5).width]
        def own_source(): return inspect.getsource(own_source)
    """)
    assert worker.make("widths") == [3, 5]
    assert worker.make("own_source").startswith("def own_source")


def test_a_file_that_fails_to_load_is_told_with_its_line(start: Start) -> None:
    answer = start().load("x = 1\nx.missing\n")
    assert (answer.type_name, answer.line, answer.frames) == ("AttributeError", 2, ((2, "<module>"),))
    assert start().load("x = (").line == 1
