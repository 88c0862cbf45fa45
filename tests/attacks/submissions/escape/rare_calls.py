"""Calls that hardly any program makes and that kernels had faults in, each refused whatever its arguments are."""

import platform

SAME_EVERYWHERE = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "pidfd_open": 434, "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442,
    "landlock_create_ruleset": 444, "landlock_restrict_self": 446, "memfd_secret": 447, "process_mrelease": 448,
    "map_shadow_stack": 453, "futex_requeue": 456, "statmount": 457, "lsm_set_self_attr": 460, "mseal": 462,
}  # fmt: skip
X86_64 = {
    "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "keyctl": 250, "add_key": 248, "request_key": 249,
    "kexec_load": 246, "kexec_file_load": 320, "init_module": 175, "finit_module": 313, "reboot": 169, "swapon": 167,
    "mount": 165, "setns": 308, "unshare": 272, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311,
    "kcmp": 312, "seccomp": 317, "prctl": 157, "arch_prctl": 158, "modify_ldt": 154, "iopl": 172, "ioperm": 173,
    "acct": 163, "quotactl": 179, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159, "sethostname": 170,
    "syslog": 103, "vhangup": 153, "fanotify_init": 300, "inotify_init": 253, "signalfd": 282, "timer_create": 222,
    "timerfd_create": 283, "mbind": 237, "move_pages": 279, "migrate_pages": 256, "remap_file_pages": 216,
    "vmsplice": 278, "splice": 275, "tee": 276, "sendfile": 40, "memfd_create": 319, "mlock": 149, "mlockall": 151,
    "execveat": 322, "flock": 73, "sync": 162, "syncfs": 306, "setpgid": 109, "setsid": 112, "sched_setattr": 314,
    "setitimer": 38, "alarm": 37, "name_to_handle_at": 303, "open_by_handle_at": 304, "lookup_dcookie": 212,
}  # fmt: skip

for number in (*SAME_EVERYWHERE.values(), *(X86_64.values() if platform.machine() == "x86_64" else ())):
    expect_refusal(syscall, number, 0, 0, 0, 0, 0)
