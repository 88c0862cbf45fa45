"""seccomp: the list of system calls that a worker may make, as a program that the kernel runs before each call.

It closes what Landlock never covers: sockets of every kind, signals, limits and priorities of other processes, new
processes and programs. The program is a list of comparisons on one register; source: seccomp(2), bpf(4).
"""

import ctypes
import errno
import os
import struct
from typing import NamedTuple

from graders.engine.run.worker.sandbox.linux import PR_SET_SECCOMP, prctl, set_no_new_privs
from graders.engine.run.worker.sandbox.syscalls import AARCH64, ALLOWED, X86_64

AUDIT_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {"x86_64": X86_64, "aarch64": AARCH64}
MODE_FILTER = 2
X32_CALLS = 0x40000000
"""From this number on, calls on x86-64 mean another table."""

LOAD, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
CALL_NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 24, 32, 40
ALLOW, KILL_PROCESS, FAIL_WITH = 0x7FFF0000, 0x80000000, 0x00050000

CLONE_THREAD = 0x00010000
NEW_NAMESPACES = 0x7E020080
WRITE_ONLY, READ_AND_WRITE, EMPTY_IT = 1, 2, 0x200  # O_WRONLY, O_RDWR and O_TRUNC, on either architecture
CLOCKS = 12
"""The clocks that everyone has. From 2^31 on, a number means the processor time of some process."""
HARMLESS_FCNTL = (0, 1, 2, 3, 4, 5, 1030)
"""Duplicate, flags, look at locks. Not F_SETOWN and F_SETSIG, with which a signal reaches anyone without kill()."""


class Instruction(NamedTuple):
    """One step; the jumps count the instructions to skip. `value` may be OWN_PID until it is assembled."""

    code: int
    value: int
    if_true: int = 0
    if_false: int = 0


OWN_PID = -1
ALLOWED_END = Instruction(RETURN, ALLOW)
REFUSED_END = Instruction(RETURN, FAIL_WITH | errno.EPERM)


def program(machine: str) -> tuple[Instruction, ...]:
    """Return the filter for an architecture; OSError for one that has no table here."""
    numbers = NUMBERS.get(machine)
    if numbers is None:
        raise OSError(f"there is no list of system calls for {machine}, only for {' and '.join(NUMBERS)}")
    steps = [
        Instruction(LOAD, ARCHITECTURE),
        Instruction(IF_EQUAL, AUDIT_ARCHITECTURE[machine], if_true=1),
        Instruction(RETURN, KILL_PROCESS),
        Instruction(LOAD, CALL_NUMBER),
    ]
    if machine == "x86_64":
        steps += [Instruction(IF_AT_LEAST, X32_CALLS, if_false=1), Instruction(RETURN, KILL_PROCESS)]
    # In the order of the table, in which the calls that are made most often come first.
    for number in [numbers[name] for name in ALLOWED if name in numbers]:
        steps += [Instruction(IF_EQUAL, number, if_false=1), ALLOWED_END]
    for name, flags in (("openat", THIRD_ARGUMENT), ("open", SECOND_ARGUMENT)):
        if name in numbers:
            steps += _when(numbers[name], flags, _no_emptying_by_reading())
    steps += _when(numbers["clone"], FIRST_ARGUMENT, _threads_only())
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        steps += _when(numbers[name], FIRST_ARGUMENT, _below(CLOCKS))
    for name in ("kill", "tgkill"):
        steps += _when(numbers[name], FIRST_ARGUMENT, _one_of([OWN_PID]))
    steps += _when(numbers["prlimit64"], FIRST_ARGUMENT, _one_of([0]))
    steps += _when(numbers["fcntl"], SECOND_ARGUMENT, _one_of(HARMLESS_FCNTL))
    # With a flag they reach parts of the kernel that nobody needs here, such as bytes that are sent out of turn.
    for name in ("sendto", "recvfrom"):
        steps += _when(numbers[name], FOURTH_ARGUMENT, _one_of([0]))
    # The C library does without these where it is told that there are none, and fails where they are not permitted.
    for name in ("clone3", "memfd_create"):
        steps += [Instruction(IF_EQUAL, numbers[name], if_false=1), Instruction(RETURN, FAIL_WITH | errno.ENOSYS)]
    steps += [Instruction(IF_EQUAL, numbers["ioctl"], if_false=1), Instruction(RETURN, FAIL_WITH | errno.ENOTTY)]
    # As if nothing were a link: what a link says can be read where Landlock lets nothing be read.
    for name in ("readlink", "readlinkat"):
        if name in numbers:
            steps += [Instruction(IF_EQUAL, numbers[name], if_false=1), Instruction(RETURN, FAIL_WITH | errno.EINVAL)]
    return (*steps, REFUSED_END)


def _when(number: int, argument: int, then: list[Instruction]) -> list[Instruction]:
    """For one call, load an argument (its lower 32 bits, which are all that the kernel reads) and go on with `then`."""
    return [Instruction(IF_EQUAL, number, if_false=len(then) + 1), Instruction(LOAD, argument), *then]


def _one_of(values: list[int] | tuple[int, ...]) -> list[Instruction]:
    tests = [Instruction(IF_EQUAL, value, if_true=len(values) - place) for place, value in enumerate(values)]
    return [*tests, REFUSED_END, ALLOWED_END]


def _below(limit: int) -> list[Instruction]:
    return [Instruction(IF_AT_LEAST, limit, if_false=1), REFUSED_END, ALLOWED_END]


def _no_emptying_by_reading() -> list[Instruction]:
    """Refuse to empty a file where it is not opened for writing, which Landlock knows nothing of before version 3.

    Both bits of writing together mean neither: the file is opened for nothing, and emptied.
    """
    return [
        Instruction(IF_ANY_BIT, EMPTY_IT, if_false=4),
        Instruction(IF_ANY_BIT, WRITE_ONLY, if_false=1),
        Instruction(IF_ANY_BIT, READ_AND_WRITE, if_true=1, if_false=2),
        Instruction(IF_ANY_BIT, READ_AND_WRITE, if_true=1),
        REFUSED_END,
        ALLOWED_END,
    ]


def _threads_only() -> list[Instruction]:
    return [
        Instruction(IF_ANY_BIT, NEW_NAMESPACES, if_true=1),
        Instruction(IF_ANY_BIT, CLONE_THREAD, if_true=1),
        REFUSED_END,
        ALLOWED_END,
    ]


def assemble(steps: tuple[Instruction, ...], pid: int) -> bytes:
    """Return the program as the kernel takes it, for the process with this number."""
    return b"".join(
        struct.pack("=HBBI", step.code, step.if_true, step.if_false, pid if step.value == OWN_PID else step.value)
        for step in steps
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def apply(steps: tuple[Instruction, ...]) -> None:
    """Hold this process, and every thread it will make, to the list for good."""
    set_no_new_privs()
    filter_ = _Program(len(steps), assemble(steps, os.getpid()))
    prctl("PR_SET_SECCOMP", PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(filter_))
