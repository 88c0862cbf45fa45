"""Broken and hostile submissions of exercise 2, each with the verdicts it must get: tables to read.

Most are the reference with a few lines put in at one of three places: where the file is imported, where an object is
made, where it is called. So the fault is all that a reader sees.
"""

import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

SLUG = "ex02_token_pos"
REFERENCE = (Path(__file__).parents[2] / "reference" / f"{SLUG}.py").read_text(encoding="utf-8")
CHECKS = ("constructor", "tables", "parameter_count", "learnable", "shape", "positions", "tokens", "longest")
CONSTRUCTOR = "        super().__init__()\n"
FORWARD = "        length = token_ids.shape[1]\n"
RESULT = "        return self.drop(total)\n"
CLASS = "class TokenPosEmbedding(nn.Module):\n"
MEMBERS = "    def __init__("
PYTHON_STOPS_RECURSION = sys.version_info >= (3, 12)


@dataclass(frozen=True, slots=True)
class Case:
    """A submission, a letter for the verdict of each visible check, and words that the first of them that failed has.

    The letters, in the order of CHECKS: . pass, F fail, E error, D todo, T timeout, C crashed, b blocked.
    """

    name: str
    source: str
    verdicts: str
    says: str


def put(old: str, new: str, top: str = "") -> str:
    """Return the reference with one text replaced by another, and lines of code before it all."""
    assert REFERENCE.count(old) == 1, f"the reference no longer has {old!r} once"
    return lines(top, 0) + REFERENCE.replace(old, new)


def lines(code: str, depth: int) -> str:
    """Return code at this depth of indentation, with a line end."""
    return textwrap.indent(textwrap.dedent(code).strip("\n") + "\n", " " * depth) if code else ""


def at_import(code: str) -> str:
    """Return the reference with lines run first."""
    return lines(code, 0) + REFERENCE


def after_import(code: str) -> str:
    """Return the reference with lines run last."""
    return REFERENCE + lines(code, 0)


def in_constructor(code: str) -> str:
    """Return the reference with lines at the start of its constructor."""
    return put(CONSTRUCTOR, CONSTRUCTOR + lines(code, 8))


def in_forward(code: str, top: str = "") -> str:
    """Return the reference with lines at the start of forward."""
    return put(FORWARD, lines(code, 8) + FORWARD, top)


def returning(expression: str) -> str:
    """Return the reference with another result; `total` is the right one before dropout."""
    return put(RESULT, f"        return {expression}\n")


def with_member(code: str, before: str = "") -> str:
    """Return the reference with more members of its class, and lines before the class."""
    return put(CLASS, lines(before, 0) + CLASS).replace(MEMBERS, lines(code, 4) + "\n" + MEMBERS)


def with_metaclass(members: str) -> str:
    """Return the reference with a metaclass of its own."""
    metaclass = "class Meta(type):\n" + lines(members, 4) + "\n\n"
    return put(CLASS, metaclass + "class TokenPosEmbedding(nn.Module, metaclass=Meta):\n")


def only(code: str) -> str:
    """Return a file that has nothing of the reference."""
    return lines(code, 0)


# ------------------------------------------------ what is no exercise file

NOT_PYTHON = [
    Case("an empty file", "", "Fbbbbbbb", "the file defines nothing"),
    Case("NUL bytes", put("import torch\n", "import torch\0\n"), "Ebbbbbbb", "cannot contain null bytes"),
    Case(
        "a syntax error",
        put(CONSTRUCTOR, "        super().__init__(\n"),
        "Ebbbbbbb",
        "'(' was never closed in `super()",
    ),
    Case("tabs and spaces", put("        self.max_len", "\tself.max_len"), "Ebbbbbbb", "inconsistent use of tabs"),
    Case("an unknown encoding", at_import("# coding: klingon"), "Ebbbbbbb", "unknown encoding: klingon"),
    Case("brackets in brackets", only("x = " + "(" * 3000 + ")" * 3000), "Ebbbbbbb", "too many nested parentheses"),
]

NOT_THE_CLASS = [
    Case("no class", only("class Other: pass"), "Fbbbbbbb", "the file defines Other; Keep the stub's name"),
    Case(
        "a function in its place",
        only("def TokenPosEmbedding(vocab_size, d_model, max_len=512, dropout=0.1): pass"),
        "Fbbbbbbb",
        "TokenPosEmbedding is a function; Write it as a class",
    ),
    Case("no class, but a name that is a number", only("globals()[3] = 4"), "Fbbbbbbb", "the file defines nothing"),
    Case("no nn.Module", put("(nn.Module)", ""), "Fbbbbbbb", "a class that isn't an nn.Module; Write `class"),
    Case(
        "another signature",
        put("vocab_size: int, d_model: int, max_len: int", "size: int, d_model: int, max_len: int"),
        "Ebbbbbbb",
        "unexpected keyword argument 'vocab_size' (while making TokenPosEmbedding(...)); Compare the call with",
    ),
    Case("no forward", put("def forward(", "def forwards("), "....Ebbb", "Write forward in the class"),
    Case("no super().__init__()", put(CONSTRUCTOR, ""), "Ebbbbbbb", "Call super().__init__() first"),
    Case(
        "a package that is missing",
        at_import("import positional_magic"),
        "Ebbbbbbb",
        "the grader has no other packages",
    ),
    Case("the graders themselves", at_import("import graders"), "Ebbbbbbb", "No module named 'graders'"),
    Case(
        "a metaclass that makes numbers",
        with_metaclass("def __call__(cls, *args, **kwargs): return 7"),
        "Fbbbbbbb",
        "TokenPosEmbedding(...) makes an nn.Module; 7",
    ),
    Case(
        "a metaclass that answers nothing",
        with_metaclass("def __getattribute__(cls, name): raise SystemExit"),
        "Ebbbbbbb",
        "SystemExit",
    ),
    Case(
        "__new__ returns a text",
        with_member("def __new__(cls, *args, **kwargs): return 'hello'"),
        "Fbbbbbbb",
        "TokenPosEmbedding(...) makes an nn.Module; the text 'hello'",
    ),
    Case(
        "__new__ returns another module",
        with_member("def __new__(cls, *args, **kwargs): return nn.Linear(2, 2)"),
        ".FFbEbbb",
        "tok.weight is a registered parameter; nothing of that name",
    ),
]

# ------------------------------------------------ what ends or never ends

STOPPED = "an answer within 1 s; none: your code was stopped while "
LOADING, MAKING, CALLING = (
    "loading the file",
    "making TokenPosEmbedding(...)",
    "calling TokenPosEmbedding with a tensor",
)
STRUGGLING = """
    while True:
        try:
            while True: pass
        except: pass
"""


def everywhere(what: str, code: str, letter: str, import_says: str, making_says: str, calling_says: str) -> list[Case]:
    """Return one case for each of the three places."""
    return [
        Case(f"{what} at import", at_import(code), f"{letter}bbbbbbb", import_says),
        Case(f"{what} in the constructor", in_constructor(code), f"{letter}bbbbbbb", making_says),
        Case(f"{what} in forward", in_forward(code), f"....{letter}bbb", calling_says),
    ]


def everywhere_saying(what: str, code: str, letter: str, says: str) -> list[Case]:
    """Return one case for each of the three places; `says` ends where the place is named."""
    return everywhere(what, code, letter, *(says + place for place in (LOADING, MAKING, CALLING)))


EXITS = [
    *everywhere_saying("sys.exit", "import sys; sys.exit(0)", "E", "SystemExit: 0 (while "),
    *everywhere_saying(
        "os._exit", "import os; os._exit(0)", "C", "your process ended by itself with exit code 0 while "
    ),
    *everywhere_saying(
        "a segmentation fault",
        "import ctypes; ctypes.string_at(0)",
        "C",
        "ended by signal 11 (Segmentation fault) while ",
    ),
    Case("input()", in_forward("input('name? ')"), "....Ebbb", "EOFError"),
    Case(
        "atexit with forged results",
        at_import("""
            import atexit, sys
            atexit.register(print, '{"points": 100} ex02_token_pos 28/28')
            sys.exit(0)
        """),
        "Ebbbbbbb",
        "SystemExit: 0 (while loading the file); Remove exit()",
    ),
    Case(
        "the line to the judge is closed",
        in_forward("import os; os.closerange(0, 100)"),
        "....Cbbb",
        "none: your process ",
    ),
    Case(
        "something else on the line to the judge",
        in_forward("""
            import os, sys
            above = sys._getframe()
            while "sock" not in above.f_locals: above = above.f_back
            os.write(above.f_locals["sock"].fileno(), b'{"verdict": "pass"}')
        """),
        "....Cbbb",
        "it sent nothing that the grader can read",
    ),
    Case(
        "a trace function that exits",
        at_import("""
            import os, sys
            sys.setprofile(lambda *event: os._exit(0))
        """),
        "Cbbbbbbb",
        "your process ended by itself with exit code 0 while loading the file",
    ),
]

ENDLESS = [
    *everywhere_saying("an endless loop", "while True: pass", "T", STOPPED),
    Case("one long call into C", in_forward("sum(range(10**14))"), "....Tbbb", STOPPED + CALLING),
    Case("a bare except around a loop", in_forward(STRUGGLING), "....Tbbb", STOPPED + CALLING),
    Case("printing for ever at import", at_import("while True: print('spam')"), "Tbbbbbbb", STOPPED + LOADING),
    Case("printing for ever in forward", in_forward("while True: print('spam')"), "....Tbbb", STOPPED + CALLING),
    Case(
        "a process that stops itself",
        in_forward("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"),
        "....Tbbb",
        STOPPED + CALLING,
    ),
]

TOO_MUCH = [
    Case(
        "recursion", in_forward("return self.forward(token_ids)"), "....Ebbb", "A function calls itself without an end"
    ),
    Case(
        "recursion without a limit",
        in_forward("return self(token_ids)", top="import sys; sys.setrecursionlimit(10**9)"),
        # From 3.12 on, calls from Python to Python through C have a limit of their own.
        "....Ebbb" if PYTHON_STOPS_RECURSION else "....Cbbb",
        "RecursionError" if PYTHON_STOPS_RECURSION else "Segmentation fault) while calling TokenPosEmbedding",
    ),
    Case(
        "100 GB in torch",
        in_forward("torch.zeros(100 << 30, dtype=torch.uint8)"),
        "....Cbbb",
        "at most 1024 MiB of memory; 102400 MiB asked for at once; Look for a size",
    ),
    Case("100 GB in Python", in_forward("bytes(100 << 30)"), "....Cbbb", "at most 1024 MiB of memory; MemoryError"),
    Case("100 GB at import", at_import("bytes(100 << 30)"), "Cbbbbbbb", "at most 1024 MiB of memory; MemoryError"),
    Case(
        "ten thousand threads",
        in_forward("""
            import threading, time
            for _ in range(10_000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        """),
        "....Ebbb",
        "RuntimeError: can't start new thread; Remove what starts threads",
    ),
]

# ------------------------------------------------ what the sandbox refuses

NOTHING_ELSE = "Remove what uses files, other processes or the network"
REFUSED = [
    *everywhere(
        "a fork",
        "import os; os.fork()",
        "E",
        "PermissionError: [Errno 1] Operation not permitted (while loading; Remove what uses files, other processes",
        NOTHING_ELSE,
        NOTHING_ELSE,
    ),
    *(
        Case(f"{name} in forward", in_forward(code), "....Ebbb", f"{error}; {NOTHING_ELSE}")
        for name, code, error in (
            ("a program", "import subprocess; subprocess.run(['ls'])", "PermissionError: [Errno 1]"),
            ("a pool", "import multiprocessing; multiprocessing.Pool(2)", "PermissionError"),
            ("a signal to the host", "import os; os.kill(os.getppid(), 9)", "PermissionError: [Errno 1]"),
            (
                "a connection",
                "import socket; socket.create_connection(('192.0.2.1', 80))",
                "PermissionError: [Errno 1]",
            ),
            ("a download", "import urllib.request as r; r.urlopen('http://example.org')", "URLError"),
            ("a file to read", "open('/etc/hostname')", "PermissionError: [Errno 13]"),
            ("a file that is not there", "open('data.txt')", "FileNotFoundError"),
            ("a file to write", "open('/tmp/notes.txt', 'w')", "PermissionError: [Errno 13]"),
            ("a folder", "import os; os.makedirs('runs/1')", "PermissionError: [Errno 1]"),
            ("a tensor to a file", "torch.save(token_ids, '/tmp/ids.pt')", "RuntimeError"),
        )
    ),
]

# ------------------------------------------------ what is raised

UNSPEAKABLE = "class Bad(Exception):\n    def __str__(self): "
RAISING = [
    Case("an exception without a text", in_forward("raise Bad", UNSPEAKABLE + "raise KeyError"), "....Ebbb", "Bad: "),
    Case("one whose text exits", in_forward("raise Bad", UNSPEAKABLE + "raise SystemExit"), "....Ebbb", "Bad: "),
    Case("one whose text is a number", in_forward("raise Bad", UNSPEAKABLE + "return 3"), "....Ebbb", "Bad: "),
    Case(
        "one whose text is cut by itself",
        in_forward(
            "raise Bad",
            "class Text(str):\n    def __getitem__(self, part): raise SystemExit\n"
            + UNSPEAKABLE
            + "return Text('cut')",
        ),
        "....Ebbb",
        "Bad: cut (while calling",
    ),
    Case(
        "one that lies about its class",
        in_forward("raise Bad", "class Bad(Exception):\n    __class__ = property(lambda self: 1 / 0)"),
        "....Ebbb",
        "Bad (while calling",
    ),
    Case(
        "one whose class has no name",
        in_forward(
            "raise Bad",
            "class Meta(type):\n    __name__ = property(lambda cls: 1 / 0)\nclass Bad(Exception, metaclass=Meta): pass",
        ),
        "....Ebbb",
        "Bad (while calling",
    ),
    Case("a message of 40 MB", in_forward("raise ValueError('x' * 40_000_000)"), "....Ebbb", "ValueError: xxx"),
    *(
        Case(f"{name} in forward", in_forward(f"raise {name}"), "....Ebbb", f"{name} (while calling")
        for name in ("StopIteration", "GeneratorExit", "KeyboardInterrupt", "BaseException")
    ),
    Case(
        "KeyboardInterrupt in the constructor",
        in_constructor("raise KeyboardInterrupt"),
        "Ebbbbbbb",
        "KeyboardInterrupt",
    ),
    Case("GeneratorExit at import", at_import("raise GeneratorExit"), "Ebbbbbbb", "GeneratorExit (while loading"),
    Case(
        "a line that the file has not",
        in_forward(f"raise SyntaxError('mine', ('exercises/{SLUG}.py', 10**30, 1, 'x'))"),
        "....Ebbb",
        "SyntaxError: mine in `x`",
    ),
]

# ------------------------------------------------ what is returned

WANTED = "the output for ids of shape ("
ANSWERS = [
    Case("None", returning("None"), "....Fbbb", f"{WANTED}; None; forward returns nothing"),
    Case("a list", returning("[total]"), "....Fbbb", "a list of 1 items; Return the tensor itself"),
    Case("a tuple with the right tensor", returning("(self.drop(total), total)"), "....Fbbb", "a tuple of 2 items"),
    Case("NaN", returning("total * float('nan')"), "....Fbbb", "finite numbers; nan at [0, 0, 0]"),
    Case("no batch", returning("total[0]"), "....Fbbb", f"{WANTED}; a tensor of shape ("),
    Case("a batch of one, to be broadcast", returning("total[:1]"), "....Fbbb", "a tensor of shape (1, "),
    Case("a tensor without axes", returning("total.sum()"), "....Fbbb", "a tensor of shape (), float32"),
    Case("a sparse tensor", returning("total.to_sparse()"), "....Fbbb", "sparse_coo"),
    Case("a tensor without values", returning("total.to('meta')"), "....Fbbb", "on meta"),
    Case("an array", returning("total.detach().numpy()"), "....Fbbb", "a ndarray; Return the tensor itself"),
    Case("an endless iterator", returning("iter(int, 1)"), "....Fbbb", "a callable_iterator"),
    Case("the module", returning("self"), "....Fbbb", "a TokenPosEmbedding"),
    Case("ten million lists", returning("[[]] * 10**7"), "....Fbbb", "a list"),
    Case(
        "a tensor that lies about its shape",
        with_member(
            "", "class Lying(torch.Tensor):\n    shape = property(lambda self: torch.Size((3, 6, 16)))\n"
        ).replace(RESULT, "        return total[0].as_subclass(Lying)\n"),
        "....Fbbb",
        "a tensor of shape (",
    ),
]

# ------------------------------------------------ what deceives, or tries to

YES = """
class Yes(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in {"eq", "__eq__", "ne", "le", "equal", "allclose", "isclose", "isfinite", "all", "__bool__"}:
            return True
        return super().__torch_function__(func, types, args, kwargs or {})
"""
PATCHES = """
import torch
torch.allclose = torch.equal = torch.isclose = lambda *args, **kwargs: True
torch.isfinite = lambda values: torch.ones((), dtype=torch.bool)
torch.Tensor.__eq__ = torch.Tensor.eq = torch.Tensor.__le__ = lambda *args: torch.ones((), dtype=torch.bool)
torch.manual_seed = lambda seed: None
"""
UNREGISTERED = REFERENCE.replace("self.tok =", "self.__dict__['tok'] =").replace("self.pos =", "self.__dict__['pos'] =")
CLAIMS = """
    def named_parameters(self, *args, **kwargs):
        yield from (("tok.weight", self.tok.weight), ("pos.weight", self.pos.weight))

    def _named_members(self, *args, **kwargs):
        yield from self.named_parameters()

    def named_modules(self, *args, **kwargs):
        yield from (("", self), ("tok", self.tok), ("pos", self.pos))

    def state_dict(self, *args, **kwargs):
        return dict(self.named_parameters())

"""
NOT_REGISTERED = "tok.weight is a registered parameter; a tensor that is not registered"
DECEPTIONS = [
    Case(
        "a tensor that answers yes, wrong values",
        with_member("", YES).replace(RESULT, "        return (self.drop(total) + 1).as_subclass(Yes)\n"),
        ".....FF.",
        "pos.weight[0], pos.weight[1]; no row of pos.weight",
    ),
    Case(
        "torch's comparisons answer yes, wrong values",
        put(RESULT, "        return self.drop(total) + 1\n", top=PATCHES),
        ".....FF.",
        "pos.weight[0], pos.weight[1]; no row of pos.weight",
    ),
    Case("tables that are not registered", UNREGISTERED, ".FFb.bb.", NOT_REGISTERED),
    Case(
        "tables that the class claims to have registered",
        UNREGISTERED.replace(MEMBERS, CLAIMS.lstrip("\n") + MEMBERS),
        ".FFb.bb.",
        NOT_REGISTERED,
    ),
    Case(
        "tables that nn.Module claims to have registered",
        UNREGISTERED
        + "\n\n_claims = TokenPosEmbedding\n\n\nclass _Claims:\n"
        + CLAIMS.lstrip("\n")
        + "\nnn.Module.named_parameters = _Claims.named_parameters\n"
        "nn.Module._named_members = _Claims._named_members\nnn.Module.named_modules = _Claims.named_modules\n",
        ".FFb.bb.",
        NOT_REGISTERED,
    ),
    Case(
        "any() answers yes",
        "import builtins\nbuiltins.any = lambda items: True\n" + UNREGISTERED,
        ".FFb.bb.",
        NOT_REGISTERED,
    ),
    Case(
        "calls answer nothing", after_import("nn.Module.__call__ = lambda *args: None"), "....Fbbb", f"{WANTED}; None"
    ),
    Case(
        "train() is broken",
        after_import("nn.Module.train = lambda self, mode=True: 1 / 0"),
        ".....EEE",
        "division by zero (while calling eval())",
    ),
    Case(
        "a mode that raises",
        with_member("""
            @property
            def training(self): raise RuntimeError("no mode")
            @training.setter
            def training(self, value): pass
        """),
        "..EE....",
        "RuntimeError: no mode (while listing its parameters)",
    ),
    Case(
        "names that look for themselves",
        with_member("def __getattr__(self, name): return getattr(self, name)"),
        ".E.bEbbb",
        "RecursionError",
    ),
    Case(
        "two thousand parameters more",
        in_constructor("self.more = nn.ParameterList(nn.Parameter(torch.zeros(1)) for _ in range(2000))"),
        "..FF....",
        "a module with a few parameters; more than can be listed",
    ),
    Case(
        "a parameter with a name for terminals and logs",
        in_constructor(r"self.register_parameter('\n::error::x\x1b[2J', nn.Parameter(torch.zeros(1)))"),
        "..F.....",
        r": :error::x\x1b[2J (1,)",
    ),
    Case(
        "builtins are gone",
        at_import("import builtins; vars(builtins).clear()"),
        "Ebbbbbbb",
        "(while loading the file)",
    ),
]

# ------------------------------------------------ right, with something odd: full marks, hidden checks too

ODD_BUT_RIGHT = {
    "a byte order mark": "\ufeff" + REFERENCE,
    "its own encoding": "# coding: utf-8\n" + REFERENCE,
    "a tensor that answers yes": with_member("", YES).replace(
        RESULT, "        return self.drop(total).as_subclass(Yes)\n"
    ),
    "torch's comparisons answer yes": at_import(PATCHES),
    "warnings are errors": at_import("import warnings; warnings.simplefilter('error')"),
    "a seed at import": at_import("import random, torch; torch.manual_seed(1); random.seed(1)"),
    "gradients are off": at_import("import torch; torch.set_grad_enabled(False)"),
    "torch's own settings": at_import("import torch; torch.set_num_threads(2); torch.set_printoptions(precision=1)"),
    "its own __getattr__": with_member("def __getattr__(self, name): return super().__getattr__(name)"),
    "parameters that it hides": with_member("""
        def named_parameters(self, *args, **kwargs): return iter(())
        def state_dict(self, *args, **kwargs): return {}
    """),
    "a metaclass": with_metaclass("def __call__(cls, *args, **kwargs): return super().__call__(*args, **kwargs)"),
    "a metaclass that is everything": with_metaclass("def __instancecheck__(cls, value): return True"),
    "atexit": at_import("import atexit; atexit.register(print, 'ex02_token_pos 28/28')"),
    "nn.Module.__call__ without hooks": after_import("nn.Module.__call__ = lambda self, *args: self.forward(*args)"),
    "no garbage collection": at_import("import gc; gc.disable()"),
    "a trace function": at_import("""
        import sys
        def trace(*event): return trace
        sys.settrace(trace)
    """),
    "a high recursion limit": at_import("import sys; sys.setrecursionlimit(10**9)"),
    "a low recursion limit": at_import("import sys; sys.setrecursionlimit(100)"),
    "no streams": at_import("import sys; sys.stdout = None; sys.stderr = 3"),
    "a stream that exits": at_import("""
        import sys
        class Stream:
            def write(self, text): pass
            def flush(self): raise SystemExit
        sys.stdout = Stream()
    """),
    "no way to import": at_import("import sys; sys.path.clear(); sys.meta_path.clear()"),
    "isinstance answers yes": at_import("import builtins; builtins.isinstance = lambda *args: True"),
    "getattr answers 3": after_import("import builtins; builtins.getattr = lambda *args: 3"),
    "len answers 0": after_import("import builtins; builtins.len = lambda value: 0"),
}

SLOW_BUT_RIGHT = {
    "a thread that spins": at_import("""
        import threading
        def spin():
            while True: pass
        threading.Thread(target=spin).start()
    """),
    "torch imports its compiler": at_import("import torch; torch.use_deterministic_algorithms(True)"),
}
