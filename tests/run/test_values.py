"""Values as plain data: what may travel arrives, what may not is named, and nobody is believed about his own type."""

import json
import math
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest
import torch

from graders.engine.run.values import MAX_DEPTH, MAX_INT, MAX_TEXT, RemoteObject, RemoteTensor, pack, unpack
from graders.engine.run.wire import MAX_TENSORS, WireError

Pair = namedtuple("Pair", "a b")


TENSOR = {"tensor": 0, "requires_grad": False, "device": "cpu", "type": "Tensor"}


class Words(str):
    pass


class Numbers(list):  # type: ignore[type-arg]
    """A list that lies about itself."""

    def __len__(self) -> int:
        return 1 << 40

    def __iter__(self) -> Any:
        raise ValueError("never asked")


class Whole(int):
    pass


def keep(value: object) -> RemoteObject:
    return RemoteObject(type(value).__name__, 7)


def passed(value: object) -> Any:
    """Return a value as it looks after a journey as JSON."""
    tensors: list[torch.Tensor] = []
    described = json.loads(json.dumps(pack(value, tensors, keep), allow_nan=False))
    return unpack(described, tensors)


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 0, -3, MAX_INT - 1, 1 - MAX_INT, 0.5, -0.0, 1e-320, math.inf, -math.inf, "", "Zürich 🎲",
        [], (), {}, [1, [2, (3, None)]], (True, {"a": [1.5, math.inf]}), {"float": "nan", "tensor": 0},
    ],
    ids=repr,
)  # fmt: skip
def test_plain_values_arrive_as_they_were(value: object) -> None:
    got = passed(value)
    assert got == value
    assert type(got) is type(value)


def test_not_a_number_arrives() -> None:
    assert math.isnan(passed([math.nan])[0])


def test_keys_become_texts() -> None:
    assert passed({1: "a", (2, 3): "b"}) == {"1": "a", "(2, 3)": "b"}


def test_long_and_broken_texts_are_mended() -> None:
    assert passed("a" * 10 * MAX_TEXT) == "a" * MAX_TEXT
    assert passed({"\ud800" + "k" * MAX_TEXT: "x\udcff"}) == {"?" + "k" * (MAX_TEXT - 1): "x?"}


@pytest.mark.parametrize(
    "value",
    [
        object(), len, torch.nn, Words("a"), Whole(3), OrderedDict(a=1), {1, 2}, b"bytes", 1j,
        range(3), MAX_INT, -MAX_INT, np.int64(1), np.zeros(2), torch.float32,
        (x for x in ()), list(range(MAX_TENSORS + 1)),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_everything_else_stays_and_is_named(value: object) -> None:
    assert passed(value) == RemoteObject(type(value).__name__, 7)
    assert passed([value]) == [RemoteObject(type(value).__name__, 7)]


def test_what_is_nested_deeply_or_in_itself_is_named_where_it_gets_too_deep() -> None:
    endless: list[Any] = []
    endless.append(endless)
    got, depth = passed(endless), 0
    while isinstance(got, list):
        got, depth = got[0], depth + 1
    assert got == RemoteObject("list", 7)
    assert depth == MAX_DEPTH


# Tensors


class Liar(torch.Tensor):
    """Answers every question of torch with a lie."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError(f"{func} was asked")


class Flatterer(torch.Tensor):
    """Says that it is full of ones."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with torch._C.DisableTorchFunction():
            return torch.ones(9, dtype=torch.float64)


@pytest.mark.parametrize("kind", [Liar, Flatterer])
def test_a_subclass_is_reduced_to_its_numbers(kind: type[torch.Tensor]) -> None:
    got = passed(torch.arange(3.0).as_subclass(kind))
    assert type(got.values) is torch.Tensor
    assert torch.equal(got.values, torch.arange(3.0))
    assert got.type_name == kind.__name__


def test_what_a_tensor_was_is_told_beside_its_numbers() -> None:
    parameter = torch.nn.Parameter(torch.ones(2))
    got = passed(parameter)
    assert isinstance(got, RemoteTensor)
    assert (got.requires_grad, got.device, got.type_name) == (True, "cpu", "Parameter")
    assert not got.values.requires_grad
    assert not passed(parameter.detach()).requires_grad


def test_shared_memory_and_strides_do_not_travel() -> None:
    table = torch.arange(12.0).reshape(3, 4)
    rows, column = passed([table, table[:, 1]])
    rows.values.zero_()
    assert column.values.tolist() == [1, 5, 9]
    assert column.values.is_contiguous()


@pytest.mark.parametrize(
    ("tensor", "named"),
    [
        (torch.eye(2).to_sparse(), "float32 tensor of shape (2, 2) on cpu, sparse_coo"),
        (torch.empty(2, 3, device="meta"), "float32 tensor of shape (2, 3) on meta, strided"),
        (torch.empty(2, dtype=torch.float8_e5m2), "float8_e5m2 tensor of shape (2,) on cpu, strided"),
        (torch.zeros([1] * 17), f"float32 tensor of shape {(1,) * 17} on cpu, strided"),
    ],
    ids=["sparse", "meta", "float8", "17 dimensions"],
)
def test_a_tensor_that_cannot_travel_is_named(tensor: torch.Tensor, named: str) -> None:
    assert passed(tensor) == RemoteObject(named)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(1).expand(1 << 40),
        torch.zeros(1).expand(1 << 20, 1 << 20, 1 << 20),
        torch.zeros(1, dtype=torch.uint8).expand((16 << 20) + 1),
        torch.empty(0, 1 << 40),
    ],
    ids=["terabytes", "exabytes", "a value too many", "nothing, but of an absurd shape"],
)
def test_a_huge_tensor_of_few_bytes_is_named_and_never_written_out(tensor: torch.Tensor) -> None:
    tensors: list[torch.Tensor] = []
    assert "tensor of shape" in pack(tensor, tensors, keep)["object"]
    assert tensors == []


# What no worker of ours writes is refused


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        [1],
        MAX_INT,
        -MAX_INT,
        10**400,
        math.inf,
        math.nan,
        {"list": 3},
        {"list": {}},
        {"tuple": None},
        {"dict": [["a"]]},
        {"dict": [["a", 1, 2]]},
        {"dict": [[1, 1]]},
        {"dict": [[["a"], 1]]},
        {"dict": ["ab"]},
        {"float": "1.0"},
        {"float": 1.0},
        {"float": "NaN"},
        {"tensor": -1},
        {"tensor": 1},
        {"tensor": True},
        {"tensor": 0.0},
        {"tensor": "0"},
        {"tensor": 0, "device": 3, "type": "Tensor"},
        {"tensor": 0, "device": "cpu"},
        {"object": "Thing"},
        {"object": 3, "handle": None},
        {"object": "Thing", "handle": "0"},
        {"object": "Thing", "handle": False},
        {"object": "Thing", "handle": -1},
        {"object": "Thing", "handle": MAX_INT},
        {"object": "Thing", "handle": 0, "more": 1},
        {"generator": -1},
        {"generator": MAX_INT},
        {"generator": True},
        {"list": [], "tuple": []},
        {"list": [0] * (MAX_TENSORS + 1)},
        {"tuple": [0] * (MAX_TENSORS + 1)},
        {"dict": [[str(key), 0] for key in range(MAX_TENSORS + 1)]},
        {"dict": [["a", 1], ["b", 2], ["a", 3]]},
        {"dict": [["k" * MAX_TEXT + "1", 1], ["k" * MAX_TEXT + "2", 2]]},
        {"list": [TENSOR, TENSOR]},
        {**TENSOR, "requires_grad": None},
        {**TENSOR, "device": "meta"},
        {**TENSOR, "transposed": False},
        {**TENSOR, "transposed": True},
        {**TENSOR, "more": 1},
        {"list": [{"list": [{"nonsense": 1}]}]},
        {"module": "os"},
    ],
    ids=lambda data: repr(data)[:60],
)
def test_an_unknown_tag_is_refused(data: object) -> None:
    with pytest.raises(WireError):
        unpack(data, [torch.zeros(1)])


def test_nesting_that_pack_would_not_write_is_refused() -> None:
    data: Any = None
    for _ in range(5000):
        data = {"list": [data]}
    with pytest.raises(WireError, match="deep"):
        unpack(data, [])


def test_forged_texts_are_mended() -> None:
    forged = json.loads('{"object": "\\ud800' + "x" * 5000 + '", "handle": null}')
    assert unpack(forged, []) == RemoteObject("?" + "x" * (MAX_TEXT - 1))
    assert unpack(json.loads('"\\udc00"'), []) == "?"


@pytest.mark.parametrize(("shape", "seen"), [((2, 3), (3, 2)), ((2, 3, 4), (2, 4, 3))])
def test_transposition_is_undone(shape: tuple[int, ...], seen: tuple[int, ...]) -> None:
    assert unpack({**TENSOR, "transposed": True}, [torch.zeros(shape)]).values.shape == seen


def test_keys_that_look_alike_once_they_are_cut_hide_nothing() -> None:
    """Two parameters whose names differ after two thousand letters must not count as one."""
    name = "k" * MAX_TEXT
    assert passed({name + "1": 1, name + "2": 2}) == RemoteObject("dict", 7)
    assert passed({"1": 1, 1: 2}) == RemoteObject("dict", 7)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Pair(1, 2), (1, 2)),
        (Numbers([1, 2]), [1, 2]),
        (torch.Size([2, 3]), (2, 3)),
        (np.float64(0.5), 0.5),
        (np.float64("nan"), None),
    ],
)
def test_what_is_a_tuple_a_list_or_a_float_travels_as_such(value: object, plain: object) -> None:
    came = passed(value)
    if plain is None:
        assert type(came) is float
        assert math.isnan(came)
    else:
        assert (type(came), came) == (type(plain), plain)
