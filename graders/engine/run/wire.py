"""Framed messages between judge and worker: JSON and raw tensor bytes, and nothing that can run.

A frame is a magic word, the lengths of header and body, the header (JSON) and the body (the tensors' bytes, one
after the other). Lengths are checked before anything is allocated, the header before any of the body is taken, and
memory grows only with what has come. A tensor's type comes from a closed list; one deadline holds for a whole frame.
"""

import json
import math
import select
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

MAGIC = b"PEG1"
PREFIX = struct.Struct("<4sII")
MAX_HEADER_BYTES = 1 << 20
MAX_BODY_BYTES = 64 << 20
MAX_TENSORS = 1024
MAX_DIMENSIONS = 16
LEAST_VALUE_BYTES = 4
"""What a value of a tensor counts at least: whoever compares in float64 needs no more than twice a body for it."""
CHUNK = 1 << 20

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
    "complex64": torch.complex64,
    "complex128": torch.complex128,
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}

# Taken before any student code can replace them.
_frombuffer, _empty = torch.frombuffer, torch.empty
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


class WireError(Exception):
    """The other side sent something that is not a message."""


class Closed(Exception):
    """The other side is gone."""


class DeadlinePassed(Exception):
    """No complete message came in time."""


@dataclass(frozen=True, slots=True)
class Message:
    """One frame: the header's fields and the tensors behind it."""

    fields: dict[str, Any]
    tensors: list[torch.Tensor]


def encode(fields: dict[str, Any], tensors: Sequence[torch.Tensor] = ()) -> bytes:
    """Return one frame. `tensors` are plain, contiguous and on the CPU, as `pack` leaves them."""
    shapes, bodies = [], []
    for tensor in tensors:
        shapes.append([DTYPE_NAMES[tensor.dtype], list(tensor.shape)])
        bodies.append(_raw(tensor))
    header = _ENCODER.encode({**fields, "tensors": shapes}).encode()
    body = b"".join(bodies)
    if len(header) > MAX_HEADER_BYTES or len(body) > MAX_BODY_BYTES or len(shapes) > MAX_TENSORS:
        raise WireError("this is too large to send")
    return PREFIX.pack(MAGIC, len(header), len(body)) + header + body


def _raw(tensor: torch.Tensor) -> bytes:
    # numpy knows no bfloat16; which numbers its bytes would be as others is all the same here.
    return (tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 else tensor).numpy().tobytes()


def may_travel(dtype: torch.dtype, shape: Sequence[int]) -> bool:
    """Return whether a tensor is small enough to send.

    An empty dimension counts as one: beside it, sizes that overflow a 64-bit integer would pass as no bytes at all.
    """
    # The product of a hundred thousand sizes, or of a few with a thousand digits, would take seconds.
    if len(shape) > MAX_DIMENSIONS:
        return False
    count = 1
    for size in shape:
        if size > MAX_BODY_BYTES:
            return False
        count *= size or 1
    return count * max(dtype.itemsize, LEAST_VALUE_BYTES) <= MAX_BODY_BYTES


def _read_header(header: bytearray, body_bytes: int) -> tuple[dict[str, Any], list[tuple[torch.dtype, list[int]]]]:
    """Return a header's fields and its tensors' types and shapes, which fill the body exactly; or raise WireError."""
    try:
        # As text: of bytes, json would guess the encoding.
        fields = json.loads(header.decode("ascii"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise WireError(f"the header is not JSON ({type(error).__name__})") from None
    if not isinstance(fields, dict) or not isinstance(entries := fields.pop("tensors", None), list):
        raise WireError("the header lists no tensors")
    if len(entries) > MAX_TENSORS:
        raise WireError("too many tensors")
    shapes = [_read_entry(entry) for entry in entries]
    if sum(math.prod(shape) * dtype.itemsize for dtype, shape in shapes) != body_bytes:
        raise WireError("the tensors' sizes do not add up to the body")
    return fields, shapes


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _read_entry(entry: object) -> tuple[torch.dtype, list[int]]:
    match entry:
        case [str(name), list(shape)] if name in DTYPES:
            if all(type(size) is int and size >= 0 for size in shape) and may_travel(DTYPES[name], shape):
                return DTYPES[name], shape
    raise WireError("a tensor's entry is malformed")


def _read_body(body: bytearray, shapes: Sequence[tuple[torch.dtype, list[int]]]) -> list[torch.Tensor]:
    tensors, offset = [], 0
    for dtype, shape in shapes:
        count = math.prod(shape)
        size = count * dtype.itemsize
        tensors.append(_read_tensor(body[offset : offset + size], dtype, shape, count))
        offset += size
    return tensors


def _read_tensor(raw: bytearray, dtype: torch.dtype, shape: list[int], count: int) -> torch.Tensor:
    if count == 0:
        return _empty(shape, dtype=dtype)
    # A byte that is neither 0 nor 1 in a bool tensor is undefined behaviour in ATen.
    if dtype is torch.bool and raw.translate(None, b"\0\1"):
        raise WireError("a bool is neither 0 nor 1")
    tensor = _frombuffer(raw, dtype=dtype)
    return tensor if len(shape) == 1 else tensor.view(shape)


def send(sock: socket.socket, frame: bytes, deadline: float) -> None:
    """Send a whole frame before `deadline` (time.monotonic), or raise DeadlinePassed or Closed.

    Here and in `receive`, a socket that blocks is for those who wait for ever: a deadline needs one that does not.
    """
    assert deadline == math.inf or not sock.getblocking(), "a socket that blocks knows no deadline"
    view = memoryview(frame)
    while view:
        try:
            view = view[sock.send(view[:CHUNK]) :]
        except BlockingIOError:
            _wait([], [sock], deadline)
        except OSError:
            raise Closed from None


def receive(sock: socket.socket, deadline: float) -> Message:
    """Return the next message, complete before `deadline`, or raise DeadlinePassed, Closed or WireError."""
    assert deadline == math.inf or not sock.getblocking(), "a socket that blocks knows no deadline"
    magic, header_bytes, body_bytes = PREFIX.unpack(_receive_exactly(sock, PREFIX.size, deadline))
    if magic != MAGIC:
        raise WireError("a frame does not begin with the magic word")
    if header_bytes > MAX_HEADER_BYTES or body_bytes > MAX_BODY_BYTES:
        raise WireError("a frame is too large")
    fields, shapes = _read_header(_receive_exactly(sock, header_bytes, deadline), body_bytes)
    return Message(fields, _read_body(_receive_exactly(sock, body_bytes, deadline), shapes))


def _receive_exactly(sock: socket.socket, count: int, deadline: float) -> bytearray:
    buffer, came = bytearray(min(count, CHUNK)), 0
    while came < count:
        if came == len(buffer):
            # A length is only a claim: what has come is no less than what is allocated on top of it.
            buffer += bytes(min(count - came, came))
        if time.monotonic() > deadline:
            raise DeadlinePassed  # whoever sends byte by byte would never leave us waiting
        try:
            received = sock.recv_into(memoryview(buffer)[came : came + CHUNK])
        except BlockingIOError:
            _wait([sock], [], deadline)
            continue
        except OSError:
            raise Closed from None
        if received == 0:
            raise Closed
        came += received
    return buffer


def _wait(to_read: list[socket.socket], to_write: list[socket.socket], deadline: float) -> None:
    """Wait until one of these is ready; a socket that blocks by itself never comes here."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise DeadlinePassed
    if not any(select.select(to_read, to_write, [], None if left == math.inf else left)):
        raise DeadlinePassed
