"""Look into other processes through /proc: environment, memory, open files, folders, stacks."""

import errno
import os

NAMES = ("environ", "mem", "maps", "smaps", "cmdline", "stack", "syscall", "auxv", "limits", "status", "io", "fdinfo/0")
LINKS = ("cwd", "root", "exe", "fd/1", "fd/3", "ns/net")
for process in ("self", JUDGE, HOST, 1, os.getpid()):
    for name in NAMES:
        expect_refusal(open, f"/proc/{process}/{name}", "rb")
    for folder in ("fd", "map_files", "cwd/"):
        expect_refusal(os.listdir, f"/proc/{process}/{folder}")
    if process not in ("self", os.getpid()):
        for link in LINKS:
            expect_refusal(os.readlink, f"/proc/{process}/{link}", also=(errno.EINVAL,))
for name in ("/proc/kcore", "/proc/kallsyms", "/proc/sysvipc/shm", "/dev/mem", "/proc/net/unix", "/proc/mounts"):
    expect_refusal(open, name, "rb", also=(errno.ENOENT,))
