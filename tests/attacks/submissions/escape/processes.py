"""Make a process by every call that makes one, and let it outlive the check."""

import ctypes
import multiprocessing
import os
import time

SIGCHLD, CLONE_VM, CLONE_VFORK, CLONE_PARENT = 17, 0x100, 0x4000, 0x8000
CLONE, FORK, VFORK, CLONE3 = 56, 57, 58, 435  # on x86-64; on others these are calls that are refused as well


def stay():
    time.sleep(20)
    os._exit(0)


for make in (os.fork, os.forkpty):
    try:
        child = make()
    except OSError:
        continue
    if child in (0, (0, -1)) or (isinstance(child, tuple) and child[0] == 0):
        stay()
    win(child)
arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, SIGCHLD)
for number, first, *more in (
    (CLONE3, ctypes.byref(arguments), 88),
    (CLONE, SIGCHLD, 0, 0, 0, 0),
    (CLONE, SIGCHLD | CLONE_PARENT, 0, 0, 0, 0),
    (CLONE, SIGCHLD | CLONE_VM | CLONE_VFORK, 0, 0, 0, 0),
    (FORK, 0),
    (VFORK, 0),
):
    try:
        child = syscall(number, first, *more)
    except OSError:
        continue
    if child == 0:
        stay()
    win(f"call {number}: {child}")
for method in ("fork", "spawn", "forkserver"):
    expect_refusal(multiprocessing.get_context(method).Process(target=stay).start)
