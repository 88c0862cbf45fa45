"""Open files by newer or rarer system calls: openat2, handles, mount descriptors."""

import ctypes
import os

OPENAT2, OPEN_TREE, FSOPEN, FSPICK = 437, 428, 430, 433
AT_FDCWD = -100

how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 0)
handle = (ctypes.c_uint32 * 34)(128, 0)
mount = ctypes.c_int()
for path in PLANTED.values():
    name = ctypes.c_char_p(path.encode())
    expect_refusal(syscall, OPENAT2, AT_FDCWD, name, how, 24)
    expect_refusal(libc, "name_to_handle_at", AT_FDCWD, name, handle, ctypes.byref(mount), 0)
    expect_refusal(syscall, OPEN_TREE, AT_FDCWD, name, 1)
    expect_refusal(syscall, FSPICK, AT_FDCWD, name, 0)
expect_refusal(libc, "open_by_handle_at", AT_FDCWD, handle, os.O_RDONLY)
expect_refusal(syscall, FSOPEN, ctypes.c_char_p(b"proc"), 0)
