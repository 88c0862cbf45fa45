"""A small interpreter of the kernel's filter programs, written apart from what assembles them."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 4096
"""Instructions that the kernel takes at most."""
INSTRUCTION = struct.Struct("=HBBI")
# The classes of instructions, and the jumps, by the kernel's include/uapi/linux/bpf_common.h.
LOAD_WORD_AT, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN_VALUE = 0x20, 0x15, 0x35, 0x45, 0x06


@dataclass(frozen=True)
class Call:
    """One system call as the kernel shows it to a filter: struct seccomp_data."""

    architecture: int
    number: int
    arguments: Sequence[int] = ()

    def data(self) -> bytes:
        padded = [*self.arguments, *[0] * (6 - len(self.arguments))]
        return struct.pack(
            "<iIQ6Q", _signed(self.number), self.architecture, 0, *(value % (1 << 64) for value in padded)
        )


def _signed(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number


def run(program: bytes, call: Call) -> int:
    """Return what the program answers; AssertionError for one that the kernel would refuse."""
    assert len(program) % INSTRUCTION.size == 0
    steps = list(INSTRUCTION.iter_unpack(program))
    assert 0 < len(steps) <= LONGEST
    data, register, place = call.data(), 0, 0
    while True:
        assert place < len(steps), "a jump leads out of the program"
        code, if_true, if_false, value = steps[place]
        place += 1
        if code == LOAD_WORD_AT:
            assert value % 4 == 0
            assert value + 4 <= len(data), "a load leads out of what the kernel shows"
            (register,) = struct.unpack_from("<I", data, value)
        elif code == RETURN_VALUE:
            return int(value)
        else:
            holds = {
                JUMP_EQUAL: register == value,
                JUMP_AT_LEAST: register >= value,
                JUMP_ANY_BIT: bool(register & value),
            }[code]
            place += if_true if holds else if_false
