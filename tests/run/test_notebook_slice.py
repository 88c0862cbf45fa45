"""Which statements a definition needs, and which of a notebook's statements stay out."""

import ast
from collections.abc import Sequence

import pytest

from graders.engine.run.worker.notebook.names import names_of
from graders.engine.run.worker.notebook.relations import read_statement
from graders.engine.run.worker.notebook.slicing import needed_statements


def kept(text: str, wanted: Sequence[str] = ("A",), others: Sequence[int] = ()) -> list[str]:
    """The statements of a text that these names need; those at the places `others` are another exercise's."""
    nodes = ast.parse(text).body
    statements = [read_statement(node, mine=place not in others) for place, node in enumerate(nodes)]
    return [ast.unparse(node) for node in needed_statements(statements, wanted).values()]


def is_kept(statement: str, definition: str = "class A:\n    f = lambda self: K") -> bool:
    """Whether a statement is needed for what a definition after it is."""
    wanted = ast.unparse(ast.parse(statement))
    return wanted in kept(f"{statement}\n{definition}")


# What binds a name


@pytest.mark.parametrize(
    "statement",
    [
        "K = 1",
        "K: int = 1",
        "K += 1",
        "J = K = 1",
        "(J, (K, *L)) = f()",
        "[*K] = f()",
        "import K",
        "import K.sub",
        "import a.b as K",
        "from a import K",
        "from a import b as K",
        "def K(): pass",
        "async def K(): pass",
        "class K: pass",
        "for K in x: pass",
        "for J in x:\n    K = J",
        "while x:\n    K = 1\n    break",
        "with open(x) as K: pass",
        "with x:\n    K = 1",
        "if x:\n    K = 1\nelse:\n    print(2)",
        "try:\n    K = 1\nexcept ValueError as e:\n    pass",
        "try:\n    x()\nexcept ValueError as K:\n    pass",
        "try:\n    import K\nexcept ImportError:\n    K = None",
        "match x:\n    case {'a': K}:\n        pass",
        "print((K := 1))",
        "[K := x for x in y]",
        "any((K := x) for x in y)",
        "x[(K := 1)]",
        "def f(x=(K := 1)): pass",
        "@(K := f)\ndef g(): pass",
        "globals()['K'] = 1",
        "del K",
        "class B:\n    global K\n    K = 1",
        "if x:\n    class K: pass",
    ],
)
def test_a_statement_that_binds_a_needed_name_is_kept(statement: str) -> None:
    assert is_kept(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "print(K)",
        "J = K",
        "x.K = 1",
        "x['K'] = 1",
        "def f(K): K = 1",
        "def f():\n    K = 1",
        "class B:\n    K = 1\n    def K(self): pass",
        "[K for K in x]",
        "lambda K: K",
        "f(K=1)",
        "K",
        "K()",
        "K == 1",
        "assert K",
        "import x.K",
        "import K as x",
        "from K import x",
        "'K = 1'",
        "if __name__ == '__main__':\n    K = 1",
        "if '__main__' == __name__:\n    K = 1",
        "K = await f()",
        "async for K in x: pass",
        "async with x as K: pass",
        "K = [x async for x in y]",
        "K: int",
    ],
)
def test_a_statement_that_does_not_is_left_out(statement: str) -> None:
    assert not is_kept(statement)


def test_every_statement_that_binds_a_name_is_kept_in_order() -> None:
    text = "K = 1\nclass A:\n    f = lambda self: K\nK = 2\nprint(K)\nK += K"
    assert kept(text) == ["K = 1", "class A:\n    f = lambda self: K", "K = 2", "K += K"]


# What looks a name up


@pytest.mark.parametrize(
    "definition",
    [
        "class A(K): pass",
        "class A(metaclass=K): pass",
        "class A:\n    x = K",
        "@K\nclass A: pass",
        "@K.x(1)\ndef A(): pass",
        "def A(x=K): pass",
        "def A(*, x=K): pass",
        "def A(x: K): pass",
        "def A() -> K: pass",
        "def A():\n    return K",
        "def A():\n    def f():\n        return lambda: [K for x in y]",
        "def A():\n    global K\n    K += 1",
        "class A:\n    def f(self):\n        class B(K): pass",
        "class A:\n    x: K = 1",
        "A = K",
        "A = lambda: K",
        "A = [K(x) for x in y]",
        "A = {K: 1}",
        "A = f'{K!r:>{1}}'",
        "(A, B) = (1, K)",
        "A = partial(K, 1)",
        "async def A(): await K",
        "def A(): yield K",
        "if K:\n    class A: pass",
        "for x in K:\n    A = x",
        "try:\n    A = 1\nexcept K:\n    pass",
        "def A(x: 'K'): pass",
        "def A(x: 'list[K]') -> 'K | None': pass",
        "class A:\n    x: 'K'",
    ],
)
def test_a_name_that_a_definition_looks_up_is_needed(definition: str) -> None:
    for statement in ("class K: pass", "from a import K"):
        assert is_kept(statement, definition)


@pytest.mark.parametrize(
    "definition",
    [
        "def A(K): return K",
        "def A(*K, **L): return K",
        "def A():\n    K = 1\n    return K",
        "def A():\n    for K in x: pass\n    return K",
        "def A():\n    import K\n    return K",
        "def A():\n    with x as K: return K",
        "def A():\n    try: pass\n    except E as K: return K",
        "def A():\n    return [K for K in x]",
        "def A():\n    def K(): pass\n    return lambda: K",
        "def A(x): return x.K",
        "def A(x): return x(K=1)",
        "class A:\n    K = 1\n    x = K",
        "class A:\n    def K(self): pass\n    x = property(K)",
        "class A:\n    'K'",
    ],
)
def test_a_name_of_its_own_is_not(definition: str) -> None:
    assert not is_kept("for K in x: train()", definition)


def test_needs_of_needs_are_kept() -> None:
    text = "a = 1\nb = 1\ndef f(): return g()\nx = 1\ndef g(): return a\nclass A:\n    f = f\ny = f()"
    assert kept(text) == ["a = 1", "def f():\n    return g()", "def g():\n    return a", "class A:\n    f = f"]


def test_no_loop_runs_for_an_annotation() -> None:
    function = "def A(x: 'batch', y: 'Float[T, \"batch seq\"]', z: 'Ids'): pass"
    text = f"for batch in data: train()\nbatch = load()\nIds = list\n{function}"
    assert kept(text)[0] == "Ids = list"


# Before and after


def test_a_default_needs_only_what_stands_before_it() -> None:
    assert kept("K = 1\ndef A(x=K): pass\nK = train()") == ["K = 1", "def A(x=K):\n    pass"]
    assert kept("def A(x=K): pass\nK = 1") == ["def A(x=K):\n    pass"]


def test_a_functions_body_needs_what_stands_after_it_too() -> None:
    assert len(kept("K = 1\ndef A(): return K\nK = train()")) == 3


def test_a_loop_over_values_gives_way_to_a_value_given_elsewhere() -> None:
    loop = "for K in (1, 2):\n    train(K)"
    assert loop not in kept(f"K = 1\ndef A(): return K\n{loop}")
    assert loop in kept(f"def A(): return K\n{loop}")
    assert "for K in (1, 2):\n    pass" in kept("K = 1\ndef A(): return K\nfor K in (1, 2): pass")


# What changes an object


@pytest.mark.parametrize(
    "statement",
    [
        "K.x = 1",
        "K.x.y = 1",
        "K[0] = 1",
        "K[0].x[1] += 1",
        "K[0].x: int = 1",
        "(K.x, y) = (1, 2)",
        "del K[0]",
        "del K.x",
        "setattr(K, 'x', 1)",
        "delattr(K, 'x')",
        "object.__setattr__(K, 'x', 1)",
        "K.append(1)",
        "K.x.update(y=1)",
        "K.setdefault('x', []).append(1)",
        "x = K.pop()",
        "K.fill_(1)",
        "K.weight.data.normal_()",
        "nn.init.zeros_(K.weight)",
        "torch.add(x, y, out=K)",
        "random.shuffle(K)",
        "heappush(K, 1)",
        "vars(K)['x'] = 1",
        "K.__dict__.update(x=1)",
        "for i in range(3):\n    K[i] = i",
        "for i in range(3):\n    K.append(i)",
        "with no_grad():\n    K[0] = 1",
        "if x:\n    K.x = 1",
        "[K.append(x) for x in y]",
        "for p in K.parameters():\n    p.grad = None",
        "for p in (K, L):\n    p.x = 1",
        "for i, p in enumerate(K):\n    p.x = 1",
        "@add_to_class(K)\ndef f(self): pass",
        "@add_to(cls=K)\nclass B: pass",
        "@K.register\ndef f(x): pass",
        "@K.register('x')\ndef f(x): pass",
        "K.build(words)",
        "for word in words:\n    K.add_word(word)",
    ],
)
def test_a_statement_that_changes_a_needed_object_is_kept(statement: str) -> None:
    assert is_kept(statement, "def A(): return K\nK = []")


@pytest.mark.parametrize(
    "statement",
    [
        "print(K)",
        "x = K.mean()",
        "x[K] = 1",
        "x.append(K)",
        "x = K[0]",
        "def f(): K.x = 1",
        "lambda: K.append(1)",
        "f(K)",
        "sorted(K)",
        "for x in K:\n    train(x)",
        "y = torch.zeros(3)",
        "@f\ndef g(): return K",
        "assert K.build(words)",
    ],
)
def test_a_statement_that_only_uses_it_is_left_out(statement: str) -> None:
    assert not is_kept(statement, "def A(): return K\nK = []")


@pytest.mark.parametrize(
    "statement",
    [
        "torch.manual_seed(0)",
        "torch.save(x, y)",
        "torch.add(1, 2)",
        "x = torch.zeros(3)\nx[0] = 1",
        "@torch.no_grad()\ndef f(): pass",
    ],
)
@pytest.mark.parametrize("imports", ["import torch", "try:\n    import torch\nexcept ImportError:\n    torch = None"])
def test_a_call_to_a_module_is_no_change_of_it(statement: str, imports: str) -> None:
    assert kept(f"{imports}\n{statement}\ndef A(): return torch") == [imports, "def A():\n    return torch"]


def test_a_module_may_be_patched() -> None:
    assert "F.gelu = F.relu" in kept("import torch.nn.functional as F\nF.gelu = F.relu\ndef A(): return F.gelu")


def test_a_part_under_another_name_is_followed() -> None:
    parts = "layers = K['layers']\nfirst = layers\nfirst.append(1)\nother = K.get('x')\nother.append(1)"
    text = f"K = {{}}\n{parts}\ndef A(): return K"
    assert kept(text) == [
        "K = {}",
        "layers = K['layers']",
        "first = layers",
        "first.append(1)",
        "def A():\n    return K",
    ]


def test_a_list_that_grows_is_the_same_list() -> None:
    assert len(kept("K = []\nL = K\nL += [1]\nM = K[:]\nM += [2]\ndef A(): return K")) == 6
    assert len(kept("K = []\nL = K\nK += [1]\ndef A(): return L")) == 4


def test_functions_that_change_what_they_are_told_or_what_they_know() -> None:
    text = """
        K, L = [], []
        def add(name): K.append(name)
        def init(what): what.ready = True
        def train(): L.append(1)
        add(1)
        init(K)
        init(L)
        train()
        @add
        def f(): pass
        def A(): return K
    """
    found = kept("\n".join(line[8:] for line in text.split("\n")))
    assert [line for line in found if not line.startswith("def")] == [
        "K, L = ([], [])",
        "add(1)",
        "init(K)",
        "@add\ndef f():\n    pass",
    ]


def test_what_happens_deep_inside_a_call_is_not_followed() -> None:
    text = "K = {}\ndef table(n): K[n] = n\ndef train(): table(3)\ntrain()\nx = table(4)\ndef A(n): return table(n)"
    assert [line for line in kept(text) if not line.startswith("def")] == ["K = {}"]


def test_a_function_that_binds_by_global_is_called_if_nothing_else_binds_the_name() -> None:
    text = "def setup():\n    global K\n    K = 1\nsetup()\ndef A(): return K"
    assert "setup()" in kept(text)
    assert "setup()" not in kept(f"K = 0\n{text}")


def test_classes_that_their_base_counts_are_kept() -> None:
    base = "class Base:\n    known = []\n    def __init_subclass__(cls): cls.known.append(cls)"
    assert "class B(Base):\n    pass" in kept(f"{base}\nclass B(Base): pass\ndef A(): return Base.known")
    meta = "class Meta(type):\n    pass\nclass Base(metaclass=Meta): pass"
    assert "class B(Base):\n    pass" in kept(f"{meta}\nclass B(Base): pass\ndef A(): return Meta.known")
    assert "class B(Base):\n    pass" not in kept("class Base: pass\nclass B(Base): pass\ndef A(): return Base")


# What counts for all, and what is kept in part


@pytest.mark.parametrize(
    "statement",
    [
        "from torch import *",
        "from __future__ import annotations",
        "try:\n    from a import *\nexcept ImportError:\n    pass",
    ],
)
def test_an_import_that_may_bind_anything_is_kept(statement: str) -> None:
    assert statement in kept(f"{statement}\nclass A: pass")


def test_of_an_import_and_a_del_only_the_needed_names_are_kept() -> None:
    text = "import a, K.x, L as b, c as K\nfrom d import e, K\ndel K, f, a\ndef A(): return K"
    assert kept(text)[:3] == ["import K.x, c as K", "from d import K", "del K"]
    assert kept("from . import K, x\ndef A(): return K")[0] == "from . import K"


# Another exercise's statements


def test_another_exercises_statements_give_what_no_other_one_gives() -> None:
    theirs = "import torch\nK = 1\nK.x = 1\nL = 1\nL.x = 1\nclass A: pass"
    text = f"{theirs}\nclass A:\n    f = lambda self: (torch, K, L)\nK = 2\nL.y = 1"
    found = kept(text, others=[0, 1, 2, 3, 4, 5])
    assert found == [
        "import torch",
        "L = 1",
        "L.x = 1",
        "class A:\n    f = lambda self: (torch, K, L)",
        "K = 2",
        "L.y = 1",
    ]
    assert kept("class A: pass\nx = 1", others=[0]) == ["class A:\n    pass"]


def test_what_stands_before_counts_where_the_own_stands_after() -> None:
    text = "from torch import nn\nclass A(nn.Module): pass\nfrom torch import nn"
    assert kept(text, others=[0]) == ["from torch import nn", "class A(nn.Module):\n    pass"]


# Names as the compiler tells them


def test_names_that_are_bound_before_they_are_looked_up_are_not_needed_from_elsewhere() -> None:
    [node] = ast.parse("for i in range(n):\n    j = i\n    K[j] = m + x\n    m = i").body
    names = names_of(node)
    assert names.binds == {"i", "j", "m"}
    assert names.now == {"range", "n", "K", "m", "x"}
    assert names.passes == set()


@pytest.mark.parametrize(
    "statement",
    [
        "for i in x:\n    K = [i * j for j in x]",
        "for i in x:\n    K = {i: {j for j in i} for j in x}",
        "for i in x:\n    class K:\n        j = i\n        k = [i for _ in x]",
        "if (i := 1):\n    K = [i for j in x]",
    ],
)
def test_what_stands_inside_knows_what_is_bound_around_it(statement: str) -> None:
    assert "i" not in names_of(ast.parse(statement).body[0]).now


@pytest.mark.parametrize(
    "statement",
    [
        "i = [i[j] for j in x]",
        "i = {j: i for j in x}",
        "class K:\n    i = 1\n    j = [i for _ in x]",
        "class i:\n    j = i",
    ],
)
def test_what_is_bound_after_it_is_looked_up_is_needed(statement: str) -> None:
    assert "i" in names_of(ast.parse(statement).body[0]).now


def test_a_statement_that_cannot_be_compiled_raises_where() -> None:
    [node] = ast.parse("\n\nreturn 1").body
    with pytest.raises(SyntaxError, match="outside function") as caught:
        names_of(node)
    assert caught.value.lineno == 3


def test_deep_nesting_is_read() -> None:
    text = "".join("    " * depth + f"def f{depth}():\n" for depth in range(15)) + "    " * 15 + "return K"
    assert kept(f"K = 1\n{text}", ["f0"])[0] == "K = 1"
