"""Enter or make namespaces, in which a user has rights that they have not here; mount things; change the root."""

import ctypes
import os

FLAGS = (0x00020000, 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x80)
CLONE, PIVOT_ROOT = 56, 155  # on x86-64; on others these are calls that are refused as well
THREAD = 0x10F00

for flag in FLAGS:
    expect_refusal(libc, "unshare", flag)
    expect_refusal(libc, "setns", 0, flag)
    expect_refusal(syscall, CLONE, flag | 17, 0, 0, 0, 0)
    expect_refusal(syscall, CLONE, flag | THREAD, 0, 0, 0, 0)
empty = ctypes.c_char_p(b"/")
expect_refusal(libc, "mount", empty, empty, 0, 4096, 0)
expect_refusal(libc, "umount2", empty, 2)
expect_refusal(syscall, PIVOT_ROOT, empty, empty)
expect_refusal(os.chroot, "/")
expect_refusal(os.chdir, "/")
expect_refusal(os.fchdir, 0)
