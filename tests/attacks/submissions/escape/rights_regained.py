"""Take back what a worker gave up: limits, user, groups, capabilities, and what prctl can undo."""

import ctypes
import os
import resource

for limit in (
    resource.RLIMIT_AS,
    resource.RLIMIT_CORE,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_CPU,
):
    expect_refusal(resource.setrlimit, limit, (resource.RLIM_INFINITY,) * 2, also=(ValueError,))
for call in (os.setuid, os.setgid, os.seteuid, os.setegid):
    expect_refusal(call, 0)
expect_refusal(os.setresuid, 0, 0, 0)
expect_refusal(os.setgroups, [0])
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
expect_refusal(libc, "capset", ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)))
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_SECCOMP, PR_SET_NAME = 1, 4, 0x59616D61, 22, 15
for option in (PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_SECCOMP, PR_SET_NAME):
    expect_refusal(libc, "prctl", option, 1, 0, 0, 0)
expect_refusal(libc, "personality", 0x0040000)
for name in ("loginuid", "oom_score_adj", "uid_map", "setgroups", "coredump_filter", "attr/current"):
    expect_refusal(open, f"/proc/self/{name}", "w")
