"""Frames: what is sent arrives as it was, and nothing but a frame is ever read as one."""

import json
import math
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from graders.engine.run import wire
from graders.engine.run.values import pack, unpack
from graders.engine.run.wire import (
    CHUNK,
    DTYPES,
    LEAST_VALUE_BYTES,
    MAGIC,
    MAX_BODY_BYTES,
    MAX_DIMENSIONS,
    MAX_HEADER_BYTES,
    MAX_TENSORS,
    PREFIX,
    Closed,
    DeadlinePassed,
    Message,
    WireError,
    encode,
    receive,
    send,
)

Line = tuple[socket.socket, socket.socket]


@pytest.fixture
def line() -> Iterator[Line]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        yield ours, theirs


def soon(seconds: float = 20) -> float:
    return time.monotonic() + seconds


def frame(header: bytes | dict[str, Any], body: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return PREFIX.pack(MAGIC, len(text), len(body)) + text + body


def received(data: bytes) -> Message:
    """Return what is read of bytes that come at once, after which the other side hangs up."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, closing(theirs):
        writer = threading.Thread(target=lambda: (theirs.sendall(data), theirs.shutdown(socket.SHUT_WR)))
        writer.start()
        try:
            return receive(ours, soon())
        finally:
            ours.close()  # what was not read would keep the writer waiting
            writer.join()


def passed(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor as it looks after a journey over the line."""
    tensors: list[torch.Tensor] = []
    described = pack(tensor, tensors, refuse)
    message = received(encode({"value": described}, tensors))
    return unpack(message.fields["value"], message.tensors).values


def refuse(value: object) -> Any:
    raise AssertionError(f"{value} should have travelled")


# What is sent arrives


def sample(dtype: torch.dtype) -> torch.Tensor:
    numbers = torch.tensor([[0, 1, 2], [3, 100, 127]])
    if dtype.is_complex:
        return torch.complex(numbers.double(), -numbers.double()).to(dtype)
    return numbers.to(dtype)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
@pytest.mark.parametrize(
    "view",
    [
        lambda t: t,
        lambda t: t[1, 2],
        lambda t: t[:0],
        lambda t: t[:, :0],
        lambda t: t[:, ::2],
        lambda t: t.t(),
        lambda t: t[0].expand(4, 3),
        lambda t: t.reshape(1, 1, 2, 3, 1),
        lambda t: t.reshape(3, 1, 2).mT,
        lambda t: t.reshape(3, 1, 2).permute(2, 0, 1),
    ],
    ids=[
        "whole",
        "no dimension",
        "no rows",
        "no columns",
        "gaps",
        "transposed",
        "expanded",
        "many dimensions",
        "transposed batch",
        "permuted",
    ],
)
def test_a_tensor_arrives_as_it_was(dtype: torch.dtype, view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    sent = view(sample(dtype))
    got = passed(sent)
    assert got.dtype is dtype
    assert got.shape == sent.shape
    assert torch.equal(got, sent)


def test_a_transposed_batch_keeps_its_strides() -> None:
    assert passed(torch.arange(6).reshape(2, 3).t()).stride() == (1, 3)
    assert passed(torch.arange(24).reshape(2, 3, 4).mT).stride() == (12, 1, 4)


def test_conjugate_and_negative_views_arrive_as_their_values() -> None:
    numbers = sample(torch.complex64)
    assert torch.equal(passed(numbers.conj()), numbers.conj())
    assert torch.equal(passed(numbers.conj().imag), -numbers.imag)


def test_special_numbers_arrive_bit_by_bit() -> None:
    sent = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 5e-324], dtype=torch.float64)
    assert torch.equal(passed(sent).view(torch.int64), sent.view(torch.int64))


def test_several_tensors_arrive_in_order_and_apart() -> None:
    sent = [torch.arange(3), torch.zeros(0), torch.tensor(True), torch.ones(2, 2, dtype=torch.float16)]
    got = received(encode({"id": "1"}, sent))
    assert got.fields == {"id": "1"}
    assert all(torch.equal(a, b) and a.dtype == b.dtype for a, b in zip(got.tensors, sent, strict=True))
    got.tensors[0].fill_(7)
    assert got.tensors[3].eq(1).all()


def test_a_frame_that_no_socket_takes_at_once_arrives(line: Line) -> None:
    ours, theirs = line
    sent = torch.arange(1 << 20)
    ours.setblocking(False)
    theirs.setblocking(False)
    sender = threading.Thread(target=send, args=(ours, encode({}, [sent]), soon()))
    sender.start()
    got = receive(theirs, soon())
    sender.join()
    assert torch.equal(got.tensors[0], sent)


@pytest.mark.parametrize(
    "tensors",
    [[torch.zeros(MAX_BODY_BYTES + 1, dtype=torch.uint8)], [torch.zeros(1)] * (MAX_TENSORS + 1)],
    ids=["bytes", "tensors"],
)
def test_what_the_other_side_would_refuse_is_not_sent(tensors: list[torch.Tensor]) -> None:
    with pytest.raises(WireError, match="too large"):
        encode({}, tensors)


def test_a_text_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(WireError, match="too large"):
        encode({"text": "a" * MAX_HEADER_BYTES})


# What is no frame is refused


@pytest.mark.parametrize(
    "prefix",
    [
        PREFIX.pack(b"PEG2", 2, 0),
        PREFIX.pack(b"\0\0\0\0", 0xFFFFFFFF, 0xFFFFFFFF),
        PREFIX.pack(MAGIC, MAX_HEADER_BYTES + 1, 0),
        PREFIX.pack(MAGIC, 2, MAX_BODY_BYTES + 1),
        PREFIX.pack(MAGIC, 0xFFFFFFFF, 0xFFFFFFFF),
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
)
def test_a_prefix_is_judged_before_anything_is_allocated(prefix: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            received(prefix)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"{}",
        b"[]",
        b"null",
        b"'tensors'",
        b"\xff\xfe\xfd",
        '{"tensors": [], "x": "ü"}'.encode(),
        '{"tensors": []}'.encode("utf-16"),
        '\ufeff{"tensors": []}'.encode(),
        b'{"tensors": []} {}',
        b'{"tensors": null}',
        b'{"tensors": {}}',
        b'{"tensors": [], "x": NaN}',
        b'{"tensors": [], "x": -Infinity}',
        b"[" * 200_000,
        b'{"tensors": [], "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"x":' * 100_000,
        b'{"tensors": [], "x": ' + b"9" * 100_000 + b"}",
    ],
    ids=lambda header: repr(header[:30]),
)
def test_a_header_that_is_not_ours_is_refused(header: bytes) -> None:
    with pytest.raises(WireError):
        received(frame(header))


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "float32",
        ["float32"],
        ["float32", [1], 0],
        ["float32", 1],
        ["float32", "1"],
        ["float32", [-1]],
        ["float32", [-1, -1]],
        ["float32", [1.0]],
        ["float32", [True]],
        ["float32", [None]],
        ["float32", [[1]]],
        ["float32", [1 << 62, 1 << 62]],
        ["float32", [1 << 64]],
        ["float32", [10**4000]],
        ["float32", [0, 1 << 26, 1 << 26, 1 << 26]],
        ["float32", [0, 1 << 63]],
        ["float32", [1] * 17],
        ["uint8", [(MAX_BODY_BYTES // LEAST_VALUE_BYTES) + 1]],
        ["float64", [1.0]],
        ["float64", [-0.0]],
        ["quint8", [1]],
        ["__class__", [1]],
        [["float32"], [1]],
        [None, [1]],
    ],
    ids=lambda entry: str(entry)[:40],
)
def test_a_tensor_that_cannot_be_is_refused(entry: object) -> None:
    with pytest.raises(WireError):
        received(frame({"tensors": [entry]}, b"\0\0\0\0"))


@pytest.mark.parametrize(
    ("entries", "body"),
    [
        ([["float32", [2]]], 4),
        ([["float32", [1]]], 5),
        ([["float32", [1]]], 0),
        ([["float32", [0]]], 1),
        ([], 1),
        ([["uint8", [3]], ["uint8", [3]]], 5),
        ([["uint8", [0]]] * (MAX_TENSORS + 1), 0),
    ],
)
def test_sizes_that_do_not_add_up_are_refused(entries: list[Any], body: int) -> None:
    with pytest.raises(WireError):
        received(frame({"tensors": entries}, bytes(body)))


def test_a_bool_that_is_neither_is_refused() -> None:
    with pytest.raises(WireError, match="bool"):
        received(frame({"tensors": [["bool", [3]]]}, b"\0\1\2"))


def test_as_many_bools_as_may_travel_are_looked_through() -> None:
    count = MAX_BODY_BYTES // LEAST_VALUE_BYTES
    assert received(frame({"tensors": [["bool", [count]]]}, bytes(count))).tensors[0].shape == (count,)
    with pytest.raises(WireError, match="bool"):
        received(frame({"tensors": [["bool", [count]]]}, bytes(count - 1) + b"\2"))


def test_a_shape_is_refused_before_its_sizes_are_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product of all sizes that fit into one header takes seconds."""

    def product(sizes: Any) -> int:
        sizes = list(sizes)
        assert len(sizes) <= MAX_DIMENSIONS
        assert max(sizes, default=0) <= MAX_BODY_BYTES
        return math.prod(sizes)

    monkeypatch.setattr(wire, "math", SimpleNamespace(prod=product, inf=math.inf))
    for shape in ([2] * 300_000, [10**4000] * 200, [1] * (MAX_DIMENSIONS + 1), [MAX_BODY_BYTES + 1, 0]):
        with pytest.raises(WireError, match="entry"):
            received(frame({"tensors": [["uint8", shape]]}))
    assert received(frame({"tensors": [["uint8", [1] * MAX_DIMENSIONS]]}, b"a")).tensors[0].dim() == MAX_DIMENSIONS


def test_a_body_is_not_awaited_before_its_header_is_right(line: Line) -> None:
    line[1].sendall(PREFIX.pack(MAGIC, 15, MAX_BODY_BYTES) + b'{"tensors": []}')
    with pytest.raises(WireError, match="add up"):
        receive(line[0], soon())


@pytest.mark.parametrize("sent", [0, 100, 3 << 20])
def test_memory_grows_with_what_comes_and_not_with_what_is_claimed(sent: int) -> None:
    claim = frame({"tensors": [["float32", [MAX_BODY_BYTES // 4]]]}, bytes(MAX_BODY_BYTES))
    claim = claim[: len(claim) - MAX_BODY_BYTES + sent]
    tracemalloc.start()
    try:
        with pytest.raises(Closed):
            received(claim)
        assert tracemalloc.get_traced_memory()[1] < 3 * (sent + CHUNK)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kept", [0, 1, PREFIX.size, PREFIX.size + 3, -1])
def test_a_frame_cut_short_is_no_message(kept: int) -> None:
    with pytest.raises(Closed):
        received(encode({"id": "1"}, [torch.ones(3)])[:kept])


# One deadline for a whole message


def test_silence_ends_at_the_deadline(line: Line) -> None:
    with pytest.raises(DeadlinePassed):
        receive(line[0], soon(0.05))


def test_a_deadline_in_the_past_is_no_wait(line: Line) -> None:
    line[1].sendall(encode({}))
    with pytest.raises(DeadlinePassed):
        receive(line[0], time.monotonic() - 1)


def test_a_byte_now_and_then_does_not_extend_the_deadline(line: Line) -> None:
    ours, theirs = line
    stopped = threading.Event()
    message = encode({"id": "1" * 400})

    def drip() -> None:
        for byte in message:
            if stopped.wait(0.05):
                return
            theirs.sendall(bytes([byte]))

    writer = threading.Thread(target=drip)
    writer.start()
    began = time.monotonic()
    try:
        with pytest.raises(DeadlinePassed):
            receive(ours, soon(0.3))
    finally:
        stopped.set()
        writer.join()
    assert time.monotonic() - began < 10


def test_a_reader_that_does_not_read_ends_the_sending_at_the_deadline(line: Line) -> None:
    with pytest.raises(DeadlinePassed):
        send(line[0], encode({}, [torch.zeros(1 << 20)]), soon(0.2))


class Hasty:
    """A socket of which the system says now and then that it is ready, and it is not."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.calls = 0
        self.fileno = sock.fileno

    def getblocking(self) -> bool:
        return False

    def ready(self) -> socket.socket:
        self.calls += 1
        if self.calls % 2:
            raise BlockingIOError
        return self.sock

    def send(self, data: memoryview) -> int:
        return self.ready().send(data)

    def recv_into(self, view: memoryview) -> int:
        return self.ready().recv_into(view)


def test_a_socket_that_was_not_ready_after_all_is_asked_again(line: Line) -> None:
    ours, theirs = map(Hasty, line)
    send(ours, encode({"id": "1"}), soon())  # type: ignore[arg-type]
    assert receive(theirs, soon()).fields == {"id": "1"}  # type: ignore[arg-type]
    assert (ours.calls, theirs.calls) == (2, 4)


def test_a_reader_that_is_gone_ends_the_sending(line: Line) -> None:
    line[1].close()
    with pytest.raises(Closed):
        send(line[0], encode({}, [torch.zeros(1 << 20)]), soon())
