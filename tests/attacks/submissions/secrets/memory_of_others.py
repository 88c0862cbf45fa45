"""Read the judge's memory at the very address of a secret: with ptrace, with process_vm_readv, through /proc."""

import ctypes
import os

PTRACE_ATTACH, PTRACE_SEIZE, PTRACE_TRACEME = 16, 0x4206, 0


class Span(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("length", ctypes.c_size_t))


buffer = ctypes.create_string_buffer(64)
here = Span(ctypes.addressof(buffer), 64)
there = Span(TOKEN_AT, 64)
for process in (JUDGE, HOST):
    expect_refusal(libc, "process_vm_readv", process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    show(buffer.raw)
    expect_refusal(libc, "process_vm_writev", process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    for request in (PTRACE_ATTACH, PTRACE_SEIZE, PTRACE_TRACEME):
        expect_refusal(libc, "ptrace", request, process, 0, 0)
    expect_refusal(lambda: show(os.pread(os.open(f"/proc/{process}/mem", os.O_RDONLY), 64, TOKEN_AT)))
