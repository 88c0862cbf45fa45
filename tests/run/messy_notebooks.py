"""Notebooks as students leave them, each with a question that must get the same answer as if all its cells had run.

Cells are divided by lines `# %%`. What must not run calls TRAIN, which only who runs all cells has.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Book:
    question: str
    text: str
    wanted: tuple[str, ...] = ("A",)


BOOKS = {
    "plain": Book(
        "A(5)(torch.arange(3)).shape",
        """
import torch
from torch import nn
# %%
class A(nn.Module):
    def __init__(self, d): super().__init__(); self.e = nn.Embedding(9, d)
    def forward(self, x): return self.e(x)
# %%
model = A(4)
TRAIN()
for epoch in range(3): print(epoch)
""",
    ),
    "add_to_class": Book(
        "A(3).double(4)",
        """
import torch
from torch import nn
def add_to_class(Class):
    def wrapper(obj):
        setattr(Class, obj.__name__, obj)
    return wrapper
# %%
class A(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
# %%
a = A(3)
TRAIN()
# %%
@add_to_class(A)
def double(self, x):
    return 2 * x * self.k * FACTOR
# %%
FACTOR = 7
""",
    ),
    "helper earlier": Book(
        "A().f(3)",
        """
def helper(x):
    return x + offset
offset = 5
# %%
class A:
    def f(self, x): return helper(x) * 2
# %%
offset = 6
TRAIN()
""",
    ),
    "constant redefined": Book(
        "A().f(), A.size",
        """
SIZE = 4
# %%
class A:
    size = SIZE
    def f(self, n=SIZE): return n, SIZE
# %%
SIZE = 9
# %%
for SIZE in [1, 2, 3]:
    pass
""",
    ),
    "loop over defaults after the class does not run": Book(
        "A().f()",
        """
d_model = 4
# %%
class A:
    def f(self, n=d_model): return n
# %%
for d_model in [1, 2, 3]:
    TRAIN()
""",
    ),
    "class in if": Book(
        "A().f()",
        """
USE_GPU = False
if not USE_GPU:
    class A:
        def f(self): return 1
else:
    class A:
        def f(self): return 2
""",
    ),
    "dataclass config": Book(
        "A(Config()).n, A(Config(7)).n",
        """
from dataclasses import dataclass, field
import torch.nn as nn
@dataclass
class Config:
    n: int = 3
    sizes: list = field(default_factory=lambda: [1, 2])
# %%
class A(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.n = cfg.n + sum(cfg.sizes)
""",
    ),
    "type aliases": Book(
        "A().f.__annotations__['x'], A().f(1)",
        """
from typing import Optional, Union, List
import torch
Ids = Union[torch.Tensor, List[int]]
MaybeIds = Optional[Ids]
# %%
class A:
    def f(self, x: MaybeIds = None) -> Ids:
        return x
""",
    ),
    "lambda helpers": Book(
        "A().f(2)",
        """
square = lambda x: x * x
plus = lambda x, k=3: square(x) + k + SHIFT
SHIFT = 1
# %%
class A:
    f = staticmethod(lambda x: plus(x))
""",
    ),
    "global counters": Book(
        "[A().f() for _ in range(3)], calls",
        """
calls = 0
# %%
class A:
    def f(self):
        global calls
        calls += 1
        return calls
# %%
# training
A_ = A()
for i in range(0):
    A_.f()
""",
    ),
    "nested functions": Book(
        "A().f(3)",
        """
def outer(x):
    def inner(y):
        return y * SCALE
    return inner(x) + OFFSET
SCALE, OFFSET = 3, 4
# %%
class A:
    def f(self, x):
        def g(z): return outer(z) + EXTRA
        return g(x)
EXTRA = 100
""",
    ),
    "from torch import *": Book(
        "A()(arange(4).float()).tolist()",
        """
from torch import *
from torch.nn import *
# %%
class A(Module):
    def __init__(self):
        super().__init__()
        self.r = ReLU()
    def forward(self, x): return self.r(x - ones(4))
""",
    ),
    "star math": Book(
        "A().f(2)",
        """
from math import *
# %%
pi = 3
# %%
class A:
    def f(self, x): return sin(x) + pi
# %%
TRAIN()
""",
    ),
    "alias of Module": Book(
        "isinstance(A(), torch.nn.Module)",
        """
import torch
Base = torch.nn.Module
Lin = torch.nn.Linear
# %%
class A(Base):
    def __init__(self):
        super().__init__()
        self.l = Lin(3, 4)
# %%
class A(A):
    extra = 1
""",
    ),
    "partial": Book(
        "A().f(4)",
        """
import functools
from functools import partial
import operator as op
add3 = partial(op.add, 3)
mul = functools.partial(lambda a, b: a * b, 2)
# %%
class A:
    def f(self, x): return add3(x), mul(x)
""",
    ),
    "metaclass": Book(
        "A.tag, A().tag, sorted(Meta.registry)",
        """
class Meta(type):
    registry = {}
    def __new__(mcs, name, bases, ns):
        cls = super().__new__(mcs, name, bases, ns)
        Meta.registry[name] = cls
        cls.tag = name.lower()
        return cls
# %%
class Base(metaclass=Meta): pass
# %%
class Other(Base): pass
# %%
class A(Base):
    def all(self): return Meta.registry
""",
    ),
    "monkey patch": Book(
        "A().f(2), A().g(3), A.h",
        """
class A:
    def f(self, x): return x
# %%
def new_f(self, x): return x + K
A.f = new_f
K = 10
# %%
setattr(A, "g", lambda self, y: y * K)
A.h: int = 5
# %%
print(A().f(1))
TRAIN()
""",
    ),
    "%%capture around pip and class": Book(
        "A().f()",
        """
%%capture output
!pip install -q torch
%pip install einops
class A:
    def f(self): return 1
# %%
%%time
VALUE = 3
class B(A): pass
# %%
%%timeit
VALUE = 10
# %%
class A(B):
    def f(self): return VALUE
""",
    ),
    "class then training in one cell": Book(
        "A(3)(torch.ones(2, 3)).shape",
        """
%matplotlib inline
import torch, time
import torch.nn as nn
torch.manual_seed(0)
class A(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.l = nn.Linear(d, d)
    def forward(self, x):
        return self.l(x)
net = A(3)
opt = torch.optim.SGD(net.parameters(), lr=.1)
losses = []
for step in range(3):
    TRAIN()
    opt.zero_grad(); loss = net(torch.ones(2, 3)).sum(); loss.backward(); opt.step()
    losses.append(loss.item())
print(losses)
""",
    ),
    "walrus": Book(
        "A().f(), n",
        """
if (n := 10) > 5:
    LIMIT = n * 2
# %%
squares = [last := k * k for k in range(4)]
class A:
    def f(self, z=(m := 4)): return LIMIT, last, z
""",
    ),
    "tuple unpacking": Book(
        "A().f()",
        """
(a, b), *rest = (1, 2), 3, 4
x = y = z = 7
first, = [9]
# %%
class A:
    def f(self): return a, b, rest, x, y, z, first
""",
    ),
    "chained and augmented": Book(
        "A().f()",
        """
total = count = 1
total += 4
names = ["a"]
names += ["b"]
# %%
count -= 3
class A:
    def f(self): return total, count, names
# %%
names += ["c"]
total *= 2
""",
    ),
    "loop fills a table": Book(
        "A().f(3), A().g()",
        """
import math
TABLE = {}
ROWS = []
for i in range(5):
    TABLE[i] = math.sin(i)
    ROWS.append(i * i)
i = 99
# %%
MATRIX = [[0] * 3 for _ in range(3)]
for r in range(3):
    for c in range(3):
        MATRIX[r][c] = r * c
class A:
    def f(self, k): return TABLE[k], ROWS[k]
    def g(self): return MATRIX
""",
    ),
    "tensor table filled": Book(
        "A()(2).tolist()",
        """
import torch, math
from torch import nn
PE = torch.zeros(10, 4)
pos = torch.arange(10).float().unsqueeze(1)
div = torch.exp(torch.arange(0, 4, 2).float() * (-math.log(100.0) / 4))
PE[:, 0::2] = torch.sin(pos * div)
PE[:, 1::2] = torch.cos(pos * div)
PE.mul_(2)
torch.nn.init.constant_(PE[0], 5.)
with torch.no_grad():
    PE[1] += 1
# %%
import matplotlib.pyplot as plt
plt.pcolormesh(PE)
plt.show()
# %%
class A(nn.Module):
    def forward(self, k): return PE[k]
""",
    ),
    "try import": Book(
        "A().f()",
        """
try:
    import einops_that_is_not_there as einops
except ImportError:
    einops = None
try:
    from math import tau
except ImportError:
    !pip install math
    tau = 6
# %%
class A:
    def f(self): return einops, tau
""",
    ),
    "async": Book(
        "asyncio_run(A().f(2))",
        """
import asyncio
async def fetch(x):
    await asyncio.sleep(0)
    return x + 1
# %%
data = await fetch(3)
# %%
class A:
    async def f(self, x): return await fetch(x)
def asyncio_run(c): return asyncio.run(c)
# %%
async with lock: pass
""",
        ("A", "asyncio_run"),
    ),
    "type checking block": Book(
        "A().f.__annotations__, A().f(1)",
        """
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from torch import Tensor
    from nowhere import Thing
# %%
class A:
    def f(self, x: Tensor, y: Thing = None) -> "list[Tensor]": return x
""",
    ),
    "decorator earlier": Book(
        "A().f(2)",
        """
import functools
LOG = []
def logged(fn):
    @functools.wraps(fn)
    def inner(*a):
        LOG.append(fn.__name__)
        return fn(*a), len(LOG)
    return inner
# %%
class A:
    @logged
    def f(self, x): return x
# %%
@logged
def unrelated(): TRAIN()
""",
    ),
    "string annotations": Book(
        "typing.get_type_hints(A.f), B.__name__, typing.get_type_hints(C)",
        """
import typing
from typing import get_type_hints
class B: pass
Alias = typing.Optional["B"]
from dataclasses import dataclass
# %%
@dataclass
class C:
    b: "B" = None
    a: "Alias" = None
# %%
class A:
    def f(self, b: "B", c: "typing.List[Alias]" = None) -> "B": return b
""",
        ("A", "C"),
    ),
    "drive and downloads": Book(
        "A(3).n",
        """
from google.colab import drive
drive.mount('/content/drive')
!wget https://example.org/data.zip
TRAIN()
# %%
import os
os.chdir('/content/drive/nowhere')
# %%
class A:
    def __init__(self, n): self.n = n
""",
    ),
    "later definition wins": Book(
        "A().f()",
        """
class A:
    def f(self): raise NotImplementedError("TODO 1: x")
# %%
class A:
    def f(self): return 2
# %%
A().f()
""",
    ),
    "indented cell and prompts": Book(
        "A().f()",
        """
    K = 3
    def g(): return K
# %%
>>> L = 4
>>> def h():
...     return L
# %%
class A:
    def f(self): return g() + h()
""",
    ),
    "registry by decorator": Book(
        "sorted(A.make()), A.make()['sin']().x",
        """
REGISTRY = {}
def register(name):
    def deco(cls):
        REGISTRY[name] = cls
        return cls
    return deco
# %%
@register("sin")
class Sin:
    x = 1
@register("rope")
class Rope: pass
# %%
class A:
    @staticmethod
    def make(): return REGISTRY
""",
    ),
    "init_subclass": Book(
        "sorted(A.kinds())",
        """
class Base:
    known = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        cls.known[cls.__name__] = cls
# %%
class One(Base): pass
class Two(Base): pass
# %%
class A:
    @staticmethod
    def kinds(): return Base.known
""",
    ),
    "setup by function with global": Book(
        "A().f()",
        """
def setup(seed):
    global DEVICE, DTYPE
    DEVICE, DTYPE = "cpu", seed
# %%
setup(3)
# %%
class A:
    def f(self): return DEVICE, DTYPE
""",
    ),
    "vocab object": Book(
        "A().f('b')",
        """
class Vocab:
    def __init__(self): self.ids = {}
    def add_word(self, w): self.ids.setdefault(w, len(self.ids))
vocab = Vocab()
for w in "a b c a".split():
    vocab.add_word(w)
vocab.add_word("z")
# %%
class A:
    def f(self, w): return vocab.ids[w], len(vocab.ids)
""",
    ),
    "alias mutated": Book(
        "A().f()",
        """
CONFIG = {"layers": [1]}
layers = CONFIG["layers"]
layers.append(2)
for part in (CONFIG,):
    part["extra"] = 3
# %%
class A:
    def f(self): return CONFIG
""",
    ),
    "class patched in loop": Book(
        "A().one(), A().two()",
        """
class A: pass
for name, value in [("one", 1), ("two", 2)]:
    setattr(A, name, lambda self, value=value: value)
# %%
del name, value
""",
    ),
    "shadowed builtin, then deleted": Book(
        "A().f([1, 2])",
        """
sum = 0
for v in [1]: sum += v
# %%
del sum
# %%
class A:
    def f(self, x): return sum(x)
""",
    ),
    "names of locals are no globals": Book(
        "A().f(3)",
        """
x = TRAIN()
for loss in range(2): TRAIN()
batch = TRAIN()
# %%
class A:
    loss = 3
    total = loss + 1
    def f(self, x, *batch, y=2, **loss):
        out = [i for i in range(x)]
        for step in out: y += step
        with __import__("contextlib").nullcontext() as h: pass
        try: 1/0
        except ZeroDivisionError as e: pass
        import math as m
        def model(z): return z + x
        return model(y), m.pi, out, self.total
i = TRAIN()
step = TRAIN()
model = TRAIN()
out = TRAIN()
""",
    ),
    "functools.singledispatch": Book(
        "A().f(1), A().f('s')",
        """
from functools import singledispatch, lru_cache
@singledispatch
def embed(x): return "any"
@embed.register
def _(x: int): return "int"
@embed.register(str)
def _(x): return "str"
# %%
class A:
    def f(self, x): return embed(x)
""",
    ),
    "lru_cache and property setter": Book(
        "A().f(3)",
        """
from functools import lru_cache
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
# %%
class A:
    _v = 1
    @property
    def v(self): return self._v
    @v.setter
    def v(self, x): self._v = fib(x)
    def f(self, n): self.v = n; return self.v
""",
    ),
    "context managers and matrices": Book(
        "A().f()",
        """
import contextlib, io
buffer = io.StringIO()
with contextlib.redirect_stdout(buffer):
    print("hello")
    GREETING = "hi"
match GREETING:
    case "hi": MODE = 1
    case other: MODE = other
while True:
    COUNT = 5
    break
# %%
class A:
    def f(self): return GREETING, MODE, COUNT
""",
    ),
    "globals dict": Book(
        "A().f()",
        """
globals()["SIZE"] = 4
vars()["WIDTH"] = 5
# %%
class A:
    def f(self): return SIZE, WIDTH
""",
    ),
    "comprehension constants": Book(
        "A().f()",
        """
vocab = {w: i for i, w in enumerate("a b c".split())}
inv = {i: w for w, i in vocab.items()}
gen = list(x * STEP for x in range(3)) if (STEP := 2) else None
# %%
class A:
    table = [vocab[w] for w in vocab]
    def f(self): return self.table, inv, gen
""",
    ),
    "magic between": Book(
        "A().f()",
        r"""
class A:
    K = 3 \
      % 2
    S = '''
%matplotlib inline
!ls
'''
    def f(self):
        x = (7
             % 4)
        return x, self.K, self.S, f"{x!r:>4}", "what?"
%timeit A().f()
A?
?A
A.f??
files = !ls
here = %pwd
!echo "it's"
!python - <<EOF \
   print(1)
""",
    ),
    "%time constant": Book(
        "A().f()",
        """
%time K = sum(range(5))
L = %time 3 + 4
# %%
class A:
    def f(self): return K, L
""",
    ),
    "subclass of own module over three cells": Book(
        "A(2)(torch.ones(1, 2)).tolist()",
        """
import torch; import torch.nn as nn; import torch.nn.functional as F
# %%
class Block(nn.Module):
    def __init__(self, d): super().__init__(); self.w = nn.Parameter(torch.ones(d)); self.act = ACTS["relu"]
    def forward(self, x): return self.act(x * self.w)
# %%
ACTS = {"relu": F.relu}
ACTS["gelu"] = F.gelu
# %%
class A(nn.Module):
    def __init__(self, d, block=Block):
        super().__init__(); self.b = nn.Sequential(*[block(d) for _ in range(N_LAYERS)])
    def forward(self, x): return self.b(x)
N_LAYERS = 2
""",
    ),
    "forward patched by a wrapper": Book(
        "A().f(1)",
        """
class A:
    def f(self, x): return x
# %%
_old = A.f
def wrapped(self, x): return ("w", _old(self, x))
A.f = wrapped
# %%
def trace(cls):
    for k in ["f"]:
        fn = getattr(cls, k)
        setattr(cls, k, lambda self, x, fn=fn: ("t", fn(self, x)))
    return cls
trace(A)
""",
    ),
    "A = decorated(A)": Book(
        "A().f()",
        """
def final(cls):
    cls.f = lambda self: NAME
    return cls
class A: pass
A = final(A)
NAME = "n"
""",
    ),
    "tests in the cell": Book(
        "A().f()",
        """
import unittest
class A:
    def f(self): return 1
class TestA(unittest.TestCase):
    def test(self): self.assertEqual(A().f(), 1, TRAIN())
unittest.TextTestRunner().run(TestA('test'))
""",
    ),
    "input and exit": Book(
        "A().f()",
        """
name = input("Name? ") if __name__ != "__main__" else "x"
TRAIN()
# %%
class A:
    def f(self): return 1
import sys
sys.exit() if __name__ != "__main__" else None
""",
    ),
    "main block": Book(
        "A().f()",
        """
class A:
    def f(self): return 1
if __name__ == "__main__":
    A.f = lambda self: 1
    TRAIN()
""",
    ),
    "future in an earlier cell": Book(
        "A.f.__annotations__",
        """
from __future__ import annotations
# %%
class A:
    def f(self, x: int | None) -> Later: ...
""",
    ),
    "future in the middle of a cell": Book(
        "A.f.__annotations__",
        """
%load_ext autoreload
x = 1
# %%
from __future__ import annotations
class A:
    def f(self, x: Undefined): ...
""",
    ),
    "enum, namedtuple, typed dict": Book(
        "A().f()",
        """
import enum, collections, typing as t
class Kind(enum.Enum):
    SIN = enum.auto()
    ROPE = enum.auto()
Point = collections.namedtuple("Point", "x y")
class Opt(t.TypedDict, total=False):
    a: int
P = t.TypeVar("P", bound="A")
# %%
class A(t.Generic[P]):
    def f(self, o: Opt = {}) -> P: return Kind.SIN.name, Point(1, 2), [k.value for k in Kind]
""",
    ),
    "star args and global lists shuffled": Book(
        "A().f()",
        """
import random
ORDER = [1, 2, 3]
random.Random(0).shuffle(ORDER)
import heapq
H = []
heapq.heappush(H, 3); heapq.heappush(H, 1)
# %%
class A:
    def f(self): return ORDER, H
""",
    ),
    "default argument from a cell below the class of another": Book(
        "B().f()",
        """
class B:
    def f(self, k=None): return (k or DEFAULT).f()
# %%
class A:
    def f(self): return 1
DEFAULT = A()
""",
        ("B",),
    ),
    "exception class and assert message": Book(
        "A().f()",
        """
class TooLong(ValueError):
    def __init__(self, n): super().__init__(f"{n} > {MAX}")
MAX = 3
# %%
class A:
    def f(self):
        try: raise TooLong(9)
        except TooLong as e: return str(e)
""",
    ),
    "del of a model after": Book(
        "A().f()",
        """
class A:
    def f(self): return helper()
def helper(): return 3
# %%
model = A(); x = 1; loss = 2
del model, x, loss
""",
    ),
    "loop variable is a global of the class": Book(
        "A().f()",
        """
D = 8
class A:
    def f(self): return D
# %%
for D in (8, 16, 8):
    print(A().f()); TRAIN()
""",
    ),
    "model name in default of an unneeded helper": Book(
        "A().f()",
        """
class A:
    def f(self): return 1
model = A(); TRAIN()
def evaluate(m=model, steps=TRAIN()): return m
""",
    ),
    "cache filled by calls": Book(
        "A().table(3)",
        """
_CACHE = {}
def table(n):
    if n not in _CACHE: _CACHE[n] = list(range(n))
    return _CACHE[n]
class A:
    def table(self, n): return table(n)
# %%
def train(model, epochs=5):
    table(3); TRAIN()
model = A()
train(model, epochs=50)
history = train(A())
""",
    ),
    "torch calls": Book(
        "A(3)(torch.ones(1, 3)).shape",
        """
try:
    import io, torch
    from torch import nn
except ImportError:
    !pip install torch
    import torch
torch.manual_seed(0)
torch.save({"a": TRAIN()}, io.BytesIO())
class A(nn.Module):
    def __init__(self, d): super().__init__(); self.l = nn.Linear(d, d)
    def forward(self, x): return self.l(x)
torch.save(A(3).state_dict(), TRAIN())
""",
    ),
    "x = torch.randn, then x[0] = 1": Book(
        "A().f(torch.ones(2)).tolist()",
        """
import torch
x = torch.randn(10**3)
x[0] = TRAIN()
y = torch.zeros(3); y.add_(TRAIN())
class A:
    def f(self, x): return torch.relu(x)
""",
    ),
    "inherits from nn.Embedding, uses super of alias": Book(
        "A(5, 2).weight.shape",
        """
from torch import nn as n, Tensor as T
import torch as t
E = n.Embedding
class A(E):
    def __init__(self, k: int, d: int):
        super(A, self).__init__(k, d)
    def forward(self, i: T) -> T: return super().forward(i)
""",
    ),
    "two exercises depend on each other": Book(
        "B(3)(torch.arange(2)).shape",
        """
import torch, torch.nn as nn
class TokenPos(nn.Module):
    def __init__(self, d): super().__init__(); self.e = nn.Embedding(9, d)
    def forward(self, x): return self.e(x)
# %%
class B(TokenPos):
    def __init__(self, d): super().__init__(d); self.n = nn.LayerNorm(d)
    def forward(self, x): return self.n(super().forward(x))
""",
        ("B",),
    ),
    "cell run twice with edits": Book(
        "A().f()",
        """
class A:
    def f(self): return 1
# %%
class A:
    def g(self): return 2
# %%
class A(A):
    def f(self): return super().f() if hasattr(super(), "f") else "none"
""",
    ),
    "methods assigned in the class from functions above": Book(
        "A(2).f(3)",
        """
def _init(self, k): self.k = k
def _f(self, x): return x * self.k
# %%
class A:
    __init__ = _init
    f = _f
# %%
def _f(self, x): return 0
""",
    ),
    "type()": Book(
        "A().f()",
        """
def f(self): return W
A = type("A", (object,), {"f": f})
W = 2
""",
    ),
    "class factory": Book(
        "A().f(), B().f()",
        """
def make(k):
    class Inner:
        K = k
        def f(self): return self.K * M
    return Inner
M = 3
A, B = make(1), make(2)
""",
        ("A", "B"),
    ),
    "lambda as wanted function": Book(
        "A(3)",
        """
K = 2
A = lambda x, k=K: x * k + K
K = 5
""",
    ),
    "function with attributes": Book(
        "A(3), A.calls",
        """
def A(x):
    A.calls += 1
    return x
A.calls = 0
""",
    ),
    "wanted function decorated by no_grad": Book(
        "A(torch.ones(2)).requires_grad",
        """
import torch
@torch.no_grad()
def A(x): return x * W
W = torch.ones(2, requires_grad=True)
@torch.no_grad()
def evaluate(): TRAIN()
# %%
@torch.inference_mode()
def other(): TRAIN()
other() if __name__ != "__main__" else None
""",
    ),
    "conditional device": Book(
        "A().d",
        """
import torch
device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
if device.type == "cuda":
    print("GPU", TRAIN())
class A:
    def __init__(self, d=device): self.d = d
""",
    ),
    "colab flag": Book(
        "A().f()",
        """
import sys
IN_COLAB = "google.colab" in sys.modules
if IN_COLAB:
    from google.colab import drive
    drive.mount("/content/drive")
    ROOT = "/content/drive"
else:
    ROOT = "."
class A:
    def f(self): return ROOT
""",
    ),
    "get_ipython": Book(
        "A().f()",
        """
try:
    get_ipython().run_line_magic("matplotlib", "inline")
except NameError:
    pass
class A:
    def f(self): return 1
""",
    ),
    "nested dict config": Book(
        "A().f()",
        """
cfg = dict(model=dict(d=3), train=dict(lr=1))
cfg["model"]["d"] = 4
cfg["model"].update(heads=2)
cfg.setdefault("extra", []).append(1)
del cfg["train"]
print(cfg)
# %%
class A:
    def f(self): return cfg
""",
    ),
    "argparse namespace": Book(
        "A().f()",
        """
from types import SimpleNamespace as NS
import argparse
args = argparse.Namespace(d=3)
args.d = 5
args.__dict__.update(k=1)
vars(args)["z"] = 2
setattr(args, "y", 3)
opts = NS(a=1)
opts.b = opts.a + 1
# %%
class A:
    def f(self): return args.d, args.k, args.z, args.y, opts.b
""",
    ),
    "module-level loop that registers methods": Book(
        "A().plus(1), A().times(2)",
        """
import operator
class A: pass
for _n, _op in {"plus": operator.add, "times": operator.mul}.items():
    def _m(self, x, _op=_op): return _op(x, 3)
    _m.__name__ = _n
    setattr(A, _n, _m)
del _n, _op
""",
    ),
    "namespace from json text": Book(
        "A().f()",
        """
import json
SETTINGS = json.loads('''{"d": 3}''')
locals().update()
class A:
    def f(self, **k): return SETTINGS | k
""",
    ),
    "semicolons": Book(
        "A().f()",
        """
import math; K = 1; L = K + 1; print(L); M = [L]; M.append(3); M;
class A: f = lambda self: (K, L, M)
""",
    ),
    "starred and nested unpack of a call": Book(
        "A().f()",
        """
def parts(): return 1, (2, 3), [4, 5]
a, (b, c), [d, *e] = parts()
for f_, g in [(1, 2)]: h = f_ + g
class A:
    def f(self): return a, b, c, d, e, f_, g, h
""",
    ),
    "global in class body and method": Book(
        "A().f()",
        """
class A:
    global shared
    shared = 3
    def f(self): return shared
    def set(self, x):
        global other
        other = x
""",
    ),
    "del in the middle": Book(
        "A().f()",
        """
tmp = 3
K = tmp + 1
del tmp
tmp2, tmp3 = 1, 2
del tmp2
class A:
    def f(self): return K, tmp3
""",
    ),
    "exceptions kept": Book(
        "A().f()",
        """
try:
    K = int("x")
except ValueError as e:
    K = -1
    MESSAGE = str(e)
finally:
    DONE = True
class A:
    def f(self): return K, MESSAGE, DONE
""",
    ),
    "typing overloads and protocols": Book(
        "A().f(1)",
        """
from typing import overload, Protocol, NewType, Callable
UserId = NewType("UserId", int)
class HasF(Protocol):
    def f(self): ...
Fn = Callable[[int], "A"]
class A:
    @overload
    def f(self, x: int) -> UserId: ...
    @overload
    def f(self, x: str) -> "Fn": ...
    def f(self, x): return UserId(x)
""",
    ),
    "jaxtyping words": Book(
        "A().f.__annotations__",
        """
from __future__ import annotations
batch = TRAIN()
for seq in range(2): TRAIN()
class A:
    def f(self, x: Float[Tensor, "batch"], y: "seq", z: Int["batch seq"]): ...
""",
    ),
    "doctest and docstrings with magics": Book(
        "A.__doc__",
        """
class A:
    '''Doc.

    >>> A()
%%time
!ls
    ?
    '''
!ls
""",
    ),
    "unicode names": Book(
        "A().f()",
        """
weiß = 3
größe = weiß * 2
café = 1
class A:
    def f(self, ñ=1): return weiß, größe, café, ñ
""",
    ),
    "classes with slots and descriptors": Book(
        "A().v, A.d",
        """
class Desc:
    def __set_name__(self, owner, name): owner.d = name
    def __get__(self, o, t): return "d"
class A:
    __slots__ = ()
    v = Desc()
""",
    ),
    "contextvars and generators": Book(
        "list(A().f())",
        """
def gen():
    for i in range(N): yield i
N = 3
total = sum(x for x in gen() if x > LOW) if (LOW := 0) == 0 else None
class A:
    def f(self): yield from gen(); yield total
""",
    ),
    "class uses itself and a later one": Book(
        "A().make().f()",
        """
class A:
    def make(self): return B(self)
# %%
class B:
    def __init__(self, a): self.a = a
    def f(self): return type(self.a).__name__, isinstance(self.a, A)
""",
    ),
    "match and type params": Book(
        "A().f((1, 2))",
        """
def kind(x):
    match x:
        case (a, b): return a + b + BONUS
        case _: return None
BONUS = 1
class A:
    def f(self, x): return kind(x)
""",
    ),
    "sets of layers through a registry class": Book(
        "sorted(A.names())",
        """
class Registry:
    def __init__(self): self.d = {}
    def register(self, name):
        def deco(fn):
            self.d[name] = fn
            return fn
        return deco
ENC = Registry()
@ENC.register("sin")
def sin_(): return 1
@ENC.register("rope")
class Rope: pass
class A:
    @staticmethod
    def names(): return ENC.d
""",
    ),
    "torch parameters set in place": Book(
        "A()(2).tolist()",
        """
import torch
from torch import nn
emb = nn.Embedding(3, 2)
with torch.no_grad():
    emb.weight.fill_(1.)
    emb.weight[2, 1] = 7
for p in emb.parameters():
    p.requires_grad_(False)
emb.weight.data *= 2
print(emb.weight)
class A(nn.Module):
    def forward(self, i): return emb(torch.tensor(i))
""",
    ),
    "helper mutated through a function": Book(
        "A().f()",
        """
STATE = {"n": 0}
def bump(k): STATE["n"] += k
bump(2)
for _ in range(3): bump(1)
def init(d): d["ready"] = True
init(STATE)
class A:
    def f(self): return STATE
""",
    ),
    "lost cells: stub and half a class": Book(
        "A().f()",
        """
class A:
    def f(self):
        raise NotImplementedError("TODO 1: f")
# %%
    def f(self):
        return 3
A.f = f
""",
    ),
}
