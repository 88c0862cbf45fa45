"""The two tables of system calls against the kernel's own numbers, for the machine that is not here as well."""

import re
from pathlib import Path

import pytest

from graders.engine.run.worker.sandbox.seccomp import NUMBERS
from graders.engine.run.worker.sandbox.syscalls import ALLOWED, SPECIAL
from tests.run.sandbox.numbers import MACHINES, kept_numbers

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
# What aarch64, which is younger, never had: each does what one of its allowed calls does.
OLD_CALLS = {
    *("access", "dup2", "epoll_wait", "getpgrp", "lstat", "open", "pause", "pipe", "poll", "readlink", "select"),
    *("stat", "time"),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_each_number_is_the_kernels(machine: str) -> None:
    published = kept_numbers()[machine]
    assert {name: published.get(name) for name in NUMBERS[machine]} == NUMBERS[machine]


def test_each_call_is_listed_once_and_has_a_number() -> None:
    assert len({*ALLOWED, *SPECIAL}) == len(ALLOWED) + len(SPECIAL)
    assert set(NUMBERS["x86_64"]) == {*ALLOWED, *SPECIAL}
    assert set(NUMBERS["aarch64"]) == {*ALLOWED, *SPECIAL} - OLD_CALLS
    assert not OLD_CALLS & set(kept_numbers()["aarch64"])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_kept_numbers_are_those_of_the_headers_here(machine: str) -> None:
    if not HEADERS[machine].is_file():
        pytest.skip(f"{HEADERS[machine]} is not there: the package linux-libc-dev has it")
    here = numbers_in(HEADERS[machine].read_text(encoding="utf-8"))
    kept = {name: number for name, number in kept_numbers()[machine].items() if name in here}
    assert len(kept) > 280
    assert kept == {name: here[name] for name in kept}


def numbers_in(header: str) -> dict[str, int]:
    """Return what a header defines; some numbers stand under one name for the 32 and the 64 bits of a call."""
    numbers = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+)\s+(\d+)\s", header)}
    shared = {name: int(number) for name, number in re.findall(r"#define __NR3264_(\w+)\s+(\d+)\s", header)}
    named = re.findall(r"#define __NR_(\w+)\s+__NR3264_(\w+)\s", header)
    return numbers | {name: shared[of] for name, of in named if of in shared}
