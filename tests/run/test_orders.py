"""The orders: each does what it says, on honest modules and on ones that replace what torch would do."""

from typing import Any

import pytest
import torch

from graders.engine.run.raised import Raised
from graders.engine.run.values import RemoteObject, RemoteTensor
from graders.engine.run.worker.orders import ORDERS
from tests.run.conftest import LONG, Start, Worker

TABLES = """
import torch
from torch import nn

class Tables(nn.Module):
    def __init__(self, rows=5, width=3, sparse=False):
        super().__init__()
        self.tok = nn.Embedding(rows, width, sparse=sparse)
        self.scale = nn.Parameter(torch.tensor(2.0, dtype=torch.float64), requires_grad=False)
        self.register_buffer("mask", torch.ones(width, dtype=torch.bool))
        self.plain = torch.zeros(2)
        self.rows = rows

    def forward(self, ids):
        return self.tok(ids)

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, 2.0]))
    def forward(self, x):
        return x * self.weight
"""
IDS = torch.tensor([[0, 2, 2]])


@pytest.fixture(scope="module")
def worker(supply: Any) -> Any:
    """One worker for all orders that leave nothing behind."""
    connection = supply.start(1024)
    worker = Worker(connection)
    worker.load(TABLES)
    yield worker
    connection.close()


def test_the_list_of_orders_is_closed(worker: Worker) -> None:
    assert set(ORDERS) == {
        "load", "open_todos", "describe", "make", "give", "make_given", "call_function", "call", "arguments_now",
        "backward", "backward_function", "inventory", "registration", "read", "assign", "set_mode", "cast",
        "random_numbers", "train", "place", "place_function",
    }  # fmt: skip
    for name in ("exec", "obey", "__class__"):
        answer = worker.order(name)
        assert isinstance(answer, Raised)
        assert answer.type_name == "KeyError"


# The file


def test_load_tells_the_public_names_but_not_modules(start: Start) -> None:
    answer = start().load("import math\nX = 1\n_private = 2\ndef f(): ...")
    assert answer == {"names": ["X", "f"], "notes": []}


def test_open_todos(start: Start) -> None:
    worker = start("""
        def f(): raise NotImplementedError("TODO 2: f")
        class G:
            def g(): raise NotImplementedError("TODO 1: g")
    """)
    assert sorted(worker.order("open_todos")) == [[1, 3], [2, 2]]


def test_describe(worker: Worker) -> None:
    assert worker.order("describe", name="Scaled") == {
        "defined": True,
        "kind": "class",
        "callable": True,
        "is_module_class": True,
        "lines": {"__init__": 18, "forward": 21},
    }
    assert worker.order("describe", name="Missing") == {
        "defined": False,
        "kind": "NoneType",
        "callable": False,
        "is_module_class": False,
        "lines": {},
    }


def test_describe_tells_lines_of_the_students_own_functions_only(start: Start) -> None:
    worker = start("""
        import functools
        from dataclasses import dataclass
        from textwrap import dedent
        import torch

        @dataclass
        class Config:
            width: int = 3
            def own(self): ...

        class Model(torch.nn.Module):
            helper = dedent
            @torch.no_grad()
            def forward(self, x):
                return x
            @property
            def width(self): ...
            @staticmethod
            def static(): ...

        @functools.lru_cache
        def cached(): ...

        def alone(): ...
        Model.extra = lambda self: None
        number = 3
    """)
    assert worker.order("describe", name="Config")["lines"] == {"own": 10}
    assert worker.order("describe", name="Model")["lines"] == {"forward": 14, "extra": 26}
    assert worker.order("describe", name="alone") == {
        "defined": True, "kind": "function", "callable": True, "is_module_class": False, "lines": {"alone": 25}
    }  # fmt: skip
    assert worker.order("describe", name="number")["kind"] == "int"
    assert worker.order("describe", name="dedent")["lines"] == {}


# Objects and calls


def test_make_seeds_the_generator_first(worker: Worker) -> None:
    first, again, other = (worker.make("Tables", 4, width=2, seed=seed) for seed in (1, 1, 2))
    tables = [worker.order("read", module=module, path="tok.weight").values for module in (first, again, other)]
    assert first.type_name == "Tables"
    assert tables[0].shape == (4, 2)
    assert torch.equal(tables[0], tables[1])
    assert not torch.equal(tables[0], tables[2])
    torch.manual_seed(1)
    assert torch.equal(tables[0], torch.nn.Embedding(4, 2).weight)


def test_each_module_has_a_handle_of_its_own(worker: Worker) -> None:
    modules = [worker.make("Scaled"), worker.make("Scaled")]
    assert len({module.handle for module in modules}) == 2
    inner = worker.order("read", module=worker.make("Tables"), path="tok")
    assert (inner.type_name, inner.handle is None) == ("Embedding", False)
    assert worker.call(inner, IDS).values.shape == (1, 3, 3)


def test_a_handle_that_was_never_given_is_an_exception(worker: Worker) -> None:
    assert worker.call(RemoteObject("Scaled", 10_000), torch.ones(2)).type_name == "KeyError"


def test_call_seeds_the_generator_first(start: Start) -> None:
    worker = start("import torch\nclass Noise(torch.nn.Module):\n    def forward(self): return torch.rand(2)")
    noise = worker.make("Noise")
    first, again, other = (worker.call(noise, seed=seed).values for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_call_tells_the_arguments_afterwards_where_asked(start: Start) -> None:
    worker = start("""
        import torch
        class Greedy(torch.nn.Module):
            def forward(self, x, names):
                names.append("more")
                return x.add_(1)
    """)
    answer, arguments = worker.call_and_arguments(worker.make("Greedy"), torch.zeros(2), ["one"])
    assert answer["result"].values.tolist() == [1, 1]
    assert arguments[0].values.tolist() == [1, 1]
    assert arguments[1] == ["one", "more"]


def test_a_transposed_batch_arrives_as_one(start: Start) -> None:
    worker = start("import torch\nclass M(torch.nn.Module):\n    def forward(self, x): return list(x.stride())")
    assert worker.call(worker.make("M"), torch.zeros(2, 5).t()) == [1, 5]


# Gradients


def test_backward_sends_upstream_through_the_call(worker: Worker) -> None:
    scaled = worker.make("Scaled")
    for _ in range(2):  # gradients of an earlier call are not added
        answer = worker.backward(
            scaled, torch.tensor([3.0, 4.0]), upstream=torch.tensor([1.0, 10.0]), of=["weight", "weight"]
        )
        assert answer["result"].values.tolist() == [3, 8]
        assert [gradient.values.tolist() for gradient in answer["gradients"]] == [[3, 40], [3, 40]]
        assert answer["inputs"][0].values.tolist() == [1, 20]


def test_arguments_that_cannot_have_a_gradient_have_none(worker: Worker) -> None:
    tables = worker.make("Tables")
    answer = worker.backward(tables, IDS, upstream=torch.ones(1, 3, 3), of=["tok.weight", "scale", "mask"])
    rows, scale, mask = answer["gradients"]
    assert rows.values[:, 0].tolist() == [1, 0, 2, 0, 0]
    assert (scale, mask, answer["inputs"]) == (None, None, [None])


def test_the_gradient_of_a_sparse_table_is_written_out(worker: Worker) -> None:
    tables = worker.make("Tables", sparse=True)
    answer = worker.backward(tables, IDS, upstream=torch.ones(1, 3, 3), of=["tok.weight"])
    assert answer["gradients"][0].values[:, 0].tolist() == [1, 0, 2, 0, 0]


@pytest.mark.parametrize(
    "result",
    ["(x * self.weight).detach()", "torch.tensor((x * self.weight).tolist())", "None", "(x, x)", "3.5"],
)
def test_a_result_cut_from_the_graph_gives_no_gradients(start: Start, result: str) -> None:
    worker = start(TABLES + f"class Cut(Scaled):\n    def forward(self, x): return {result}")
    answer = worker.backward(worker.make("Cut"), torch.ones(2), upstream=torch.ones(2), of=["weight"])
    assert (answer["gradients"], answer["inputs"]) == ([None], [None])


def test_no_grad_inside_the_module_gives_no_gradients(start: Start) -> None:
    worker = start(
        TABLES + "class Cut(Scaled):\n    @torch.no_grad()\n    def forward(self, x): return super().forward(x)"
    )
    answer = worker.backward(worker.make("Cut"), torch.ones(2), upstream=torch.ones(2), of=["weight"])
    assert answer["gradients"] == [None]


def test_a_path_that_is_not_there_is_an_exception(worker: Worker) -> None:
    answer = worker.backward(worker.make("Scaled"), torch.ones(2), upstream=torch.ones(2), of=["bias"])
    assert (answer.type_name, answer.line) == ("AttributeError", None)


# State


def test_inventory(worker: Worker) -> None:
    assert worker.order("inventory", module=worker.make("Tables")) == {
        "parameters": {
            "scale": {"shape": [], "dtype": "float64", "requires_grad": False},
            "tok.weight": {"shape": [5, 3], "dtype": "float32", "requires_grad": True},
        },
        "buffers": {"mask": {"shape": [3], "dtype": "bool", "requires_grad": False}},
        "training": True,
    }


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tok.weight", "parameter"), ("scale", "parameter"), ("mask", "buffer"), ("plain", "plain"), ("rows", "plain"),
        ("tok", "plain"), ("missing", "missing"), ("tok.bias", "missing"), ("rows.x", "missing"),
    ],
)  # fmt: skip
def test_registration(worker: Worker, path: str, kind: str) -> None:
    assert worker.order("registration", module=worker.make("Tables"), path=path) == kind


def test_read_and_assign(worker: Worker) -> None:
    tables = worker.make("Tables")
    new = torch.arange(15.0).reshape(5, 3)
    assert worker.order("assign", module=tables, values={"tok.weight": new, "plain": torch.ones(2)}) is None
    got = worker.order("read", module=tables, path="tok.weight")
    assert torch.equal(got.values, new)
    assert (got.requires_grad, got.type_name) == (True, "Parameter")
    assert worker.order("read", module=tables, path="plain").values.tolist() == [1, 1]
    assert worker.order("read", module=tables, path="rows") == 5
    assert worker.order("read", module=tables, path="missing").type_name == "AttributeError"
    assert worker.order("assign", module=tables, values={"tok.weight": torch.ones(4, 7)}).type_name == "RuntimeError"


def test_set_mode(worker: Worker) -> None:
    tables = worker.make("Tables")
    for training in (False, True):
        worker.order("set_mode", module=tables, training=training)
        assert worker.order("inventory", module=tables)["training"] is training


def test_cast_converts_floating_point_tensors(worker: Worker) -> None:
    tables = worker.make("Tables")
    worker.order("cast", module=tables, dtype="float16")
    answer = worker.order("inventory", module=tables)
    assert {facts["dtype"] for facts in answer["parameters"].values()} == {"float16"}
    assert answer["buffers"]["mask"]["dtype"] == "bool"


def test_random_numbers_go_on_or_start_anew(worker: Worker) -> None:
    first, more, again = (worker.order("random_numbers", seed=seed).values for seed in (5, None, 5))
    expected = torch.rand(6, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    assert torch.equal(torch.cat([first, more]), expected)
    assert torch.equal(again, first)


def test_place(start: Start) -> None:
    worker = start(
        TABLES
        + """
class Adds(Tables):
    def forward(self, ids):
        return self.tok(ids) + self.tok(torch.arange(ids.shape[1]))
"""
    )
    fine = worker.order("place", LONG, name="Tables", kwargs={}, inputs=[IDS])
    wrong = worker.order("place", LONG, name="Adds", kwargs={"rows": 6}, inputs=[IDS])
    assert fine["kind"] == "ok"
    assert (wrong["kind"], wrong["line"]) == ("mismatch", 26)


# Modules that are not what they seem


PATCHES = """
import torch
from torch import nn

class Fake(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))
    def forward(self, x): return x * self.weight

def lie(*args, **kwargs): raise AssertionError("a replaced function was asked")
for owner, name in [
    (torch, "manual_seed"), (torch, "rand"), (torch, "no_grad"), (torch, "enable_grad"), (torch, "frombuffer"),
    (torch, "empty"), (nn.Module, "named_parameters"), (nn.Module, "named_buffers"), (nn.Module, "parameters"),
    (torch, "equal"), (torch, "allclose"), (torch, "tensor"),
]:
    setattr(owner, name, lie)
"""


def test_replaced_functions_of_torch_deceive_nobody(start: Start) -> None:
    worker = start(PATCHES)
    fake = worker.make("Fake")
    assert list(worker.order("inventory", module=fake)["parameters"]) == ["weight"]
    assert worker.order("registration", module=fake, path="weight") == "parameter"
    assert worker.order("assign", module=fake, values={"weight": torch.tensor([1.0, 2.0])}) is None
    answer = worker.backward(fake, torch.tensor([3.0, 4.0]), upstream=torch.ones(2), of=["weight"])
    assert answer["result"].values.tolist() == [3, 8]
    assert answer["gradients"][0].values.tolist() == [3, 4]
    expected = torch.rand(3, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    assert torch.equal(worker.order("random_numbers", seed=5).values, expected)


def test_replaced_functions_end_with_their_worker(start: Start) -> None:
    start(PATCHES).connection.close()
    assert start("import torch\ndef f(): return torch.rand(2).shape[0]").make("f") == 2


def test_another_default_dtype_is_the_students_alone(start: Start) -> None:
    worker = start("import torch\ntorch.set_default_dtype(torch.float64)\n" + TABLES)
    assert worker.order("random_numbers", seed=1).values.dtype is torch.float64
    facts = worker.order("inventory", module=worker.make("Scaled"))["parameters"]["weight"]
    assert facts["dtype"] == "float64"
    other = start(TABLES)
    facts = other.order("inventory", module=other.make("Scaled"))["parameters"]["weight"]
    assert facts["dtype"] == "float32"


def test_gradients_that_were_turned_off_at_import_are_on_for_backward(start: Start) -> None:
    worker = start("import torch\ntorch.set_grad_enabled(False)\n" + TABLES)
    scaled = worker.make("Scaled")
    assert not worker.call(scaled, torch.ones(2)).requires_grad
    answer = worker.backward(scaled, torch.ones(2), upstream=torch.ones(2), of=["weight"])
    assert answer["gradients"][0].values.tolist() == [1, 1]


def test_seeds_at_import_change_nothing(start: Start) -> None:
    seeded, not_seeded = start("import torch\ntorch.manual_seed(3)\n" + TABLES), start(TABLES)
    tables = [
        worker.order("read", module=worker.make("Tables", seed=9), path="tok.weight").values
        for worker in (seeded, not_seeded)
    ]
    assert torch.equal(*tables)


def test_overridden_listings_are_not_asked(start: Start) -> None:
    worker = start(
        TABLES
        + """
class Liar(Scaled):
    def named_parameters(self, *args, **kwargs): return iter([("invented", nn.Parameter(torch.ones(9)))])
    def named_buffers(self, *args, **kwargs): return iter([("pe", torch.ones(9))])
    def parameters(self, *args, **kwargs): return iter([])
    def state_dict(self, *args, **kwargs): return {}
    invented = torch.ones(9)
"""
    )
    liar = worker.make("Liar")
    answer = worker.order("inventory", module=liar)
    assert (list(answer["parameters"]), answer["buffers"]) == (["weight"], {})
    assert worker.order("registration", module=liar, path="invented") == "plain"


def test_properties_in_front_of_a_module_dict_count_as_the_parts_behind_them(start: Start) -> None:
    worker = start(
        TABLES
        + """
class Dict(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({"tok": nn.Embedding(4, 2), "pos": nn.Embedding(4, 2)})
        self.rows = nn.ParameterList([torch.ones(3)])
    tok = property(lambda self: self.parts["tok"])
    pos = property(lambda self: self.parts["pos"])
    broken = property(lambda self: self.nothing)
    wrong = property(lambda self: 1 / 0)
    def forward(self, ids): return self.tok(ids) + self.pos(ids)
"""
    )
    module = worker.make("Dict")
    for path in ("tok.weight", "parts.tok.weight", "rows.0"):
        assert worker.order("registration", module=module, path=path) == "parameter"
    assert worker.order("registration", module=module, path="broken") == "missing"
    raised = worker.order("registration", module=module, path="wrong")
    assert (raised.type_name, raised.line) == ("ZeroDivisionError", 32)
    answer = worker.backward(module, torch.tensor([1, 1]), upstream=torch.ones(2, 2), of=["pos.weight"])
    assert answer["gradients"][0].values[:, 0].tolist() == [0, 2, 0, 0]
    worker.order("assign", module=module, values={"tok.weight": torch.zeros(4, 2)})
    assert not worker.order("read", module=module, path="parts.tok.weight").values.any()


def test_results_of_odd_types_are_reduced(start: Start) -> None:
    worker = start(
        TABLES
        + """
class Sub(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return torch.ones(7)
class Text(str): ...
class Odd(nn.Module):
    def forward(self, x):
        return {"sub": x.as_subclass(Sub), "text": Text("a"), "self": self, "many": iter(()), "shape": x.shape,
                "none": None, "meta": x.to("meta"), 3: x.expand(1 << 40, 2)}
"""
    )
    odd = worker.make("Odd")
    result = worker.call(odd, torch.tensor([1.0, 2.0]))
    assert isinstance(result["sub"], RemoteTensor)
    assert result["sub"].values.tolist() == [1, 2]
    assert result["self"].handle is not None
    assert (result["text"], result["shape"], result["none"]) == (RemoteObject("Text"), (2,), None)
    assert "meta" in result["meta"].type_name
    assert "1099511627776" in result["3"].type_name
