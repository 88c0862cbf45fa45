"""What the filter answers to every call, on both architectures, against a list that is written here by hand."""

import errno

import pytest

from graders.engine.run.worker.sandbox import seccomp
from tests.run.sandbox.bpf import INSTRUCTION, LONGEST, Call, run
from tests.run.sandbox.numbers import MACHINES, kept_numbers

# The kernel's include/uapi/linux/seccomp.h and audit.h.
ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS, ENOTTY, EINVAL = (
    0x00050000 | number for number in (errno.EPERM, errno.ENOSYS, errno.ENOTTY, errno.EINVAL)
)
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386, ARM, RISCV = 0x40000003, 0x40000028, 0xC00000F3
PID = 4321

# By what they do to the world outside the process. The engine has them by what they are good for.
LOOKS = """
    access faccessat faccessat2 fadvise64 fstat fstatfs getcwd getdents64 lseek lstat newfstatat pread64
    read readv stat statfs statx
"""
OWN_DESCRIPTORS = """
    close close_range dup dup2 dup3 epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 pipe pipe2 poll ppoll
    pselect6 pwrite64 select write writev
"""
OWN_MEMORY = "brk get_mempolicy madvise membarrier mincore mmap mprotect mremap munmap"
OWN_THREADS = """
    exit exit_group futex futex_waitv get_robust_list getcpu getpriority gettid pause restart_syscall rseq rt_sigaction
    rt_sigprocmask rt_sigreturn sched_getaffinity sched_getparam sched_getscheduler sched_yield set_robust_list
    set_tid_address sigaltstack
"""
QUESTIONS = """
    getegid geteuid getgid getpgrp getpid getppid getrandom getrlimit getrusage gettimeofday getuid
    nanosleep sysinfo time times uname
"""
ALWAYS = set(f"{LOOKS} {OWN_DESCRIPTORS} {OWN_MEMORY} {OWN_THREADS} {QUESTIONS}".split())
CLOCKS = ("clock_gettime", "clock_getres", "clock_nanosleep")
SOME_ARGUMENTS = {"prlimit64", "fcntl", "sendto", "recvfrom", "open", "openat", *CLOCKS}
OTHER_ERRORS = {"clone3": ENOSYS, "memfd_create": ENOSYS, "ioctl": ENOTTY, "readlink": EINVAL, "readlinkat": EINVAL}


def answer(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """Return what the filter for a machine answers to a call of the process it is made for."""
    program = seccomp.assemble(seccomp.program(machine), PID)
    return run(program, Call(ARCHITECTURE[machine] if architecture is None else architecture, number, arguments))


@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_is_answered_as_the_list_here_says(machine: str) -> None:
    names = {number: name for name, number in kept_numbers()[machine].items()}
    for number in range(601):
        name = names.get(number, "")
        # All arguments are 0 here: limits of this process, a descriptor's copy, no flags. More about those below.
        expected = ALLOW if name in ALWAYS | SOME_ARGUMENTS else OTHER_ERRORS.get(name, EPERM)
        assert answer(machine, number) == expected, (number, name)


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_refused_is_known_by_name(machine: str) -> None:
    """So that a slip in the list above cannot go unseen."""
    worst = """
        accept accept4 bind bpf chdir chroot clone3 connect execve execveat fchmod fchmodat fchown fchownat finit_module
        fsetxattr ftruncate init_module io_uring_enter io_uring_setup kexec_load keyctl landlock_restrict_self linkat
        listen memfd_create memfd_secret mkdirat mknodat mount move_mount name_to_handle_at open_by_handle_at openat2
        perf_event_open pidfd_getfd pidfd_open pidfd_send_signal pivot_root prctl process_vm_readv process_vm_writev
        ptrace recvmsg renameat2 rt_sigqueueinfo rt_tgsigqueueinfo sched_setaffinity sched_setattr seccomp sendmsg setns
        setpriority setresuid setrlimit setsid setuid shmget socket socketpair symlinkat tkill truncate umount2
        unlinkat unshare userfaultfd utimensat
    """
    numbers = kept_numbers()[machine]
    for name in worst.split():
        assert answer(machine, numbers[name]) in (EPERM, ENOSYS), name
    if machine == "x86_64":
        old = "arch_prctl chmod chown creat fork link mkdir modify_ldt rename unlink vfork"
        for name in old.split():
            assert answer(machine, numbers[name]) == EPERM, name


@pytest.mark.parametrize("machine", MACHINES)
def test_other_architectures_end_the_process(machine: str) -> None:
    others = {I386, ARM, RISCV, 0, *ARCHITECTURE.values()} - {ARCHITECTURE[machine]}
    for architecture in others:
        for number in (0, 1, 4, 11, 59, 63, 64, 0x40000000):
            assert answer(machine, number, architecture=architecture) == KILL


def test_the_second_table_of_x86_64_ends_the_process() -> None:
    for number in (0x40000000, 0x40000001, 0x40000208, 0x7FFFFFFF, 0x80000000, 0xC0000001, 0xFFFFFFFF):
        assert answer("x86_64", number) == KILL
    assert answer("x86_64", 0x3FFFFFFF) == EPERM


def test_numbers_beyond_the_table_are_refused_on_aarch64() -> None:
    for number in (601, 1000, 0x40000000 + 64, 0x7FFFFFFF, 0x80000000 + 64, 0xFFFFFFFF):
        assert answer("aarch64", number) == EPERM


# Calls of which the arguments matter


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", CLOCKS)
def test_clocks_are_those_that_everyone_has(machine: str, name: str) -> None:
    number = kept_numbers()[machine][name]
    assert {answer(machine, number, clock) for clock in range(12)} == {ALLOW}
    # The processor time of another process is asked for by its number, inverted and shifted; of a thread likewise.
    others = [12, 100, *(((~pid << 3) | kind) & 0xFFFFFFFF for pid in (1, PID, 4000) for kind in (2, 6))]
    assert {answer(machine, number, clock) for clock in others} == {EPERM}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ["sendto", "recvfrom"])
def test_bytes_are_sent_and_received_without_flags(machine: str, name: str) -> None:
    number = kept_numbers()[machine][name]
    assert answer(machine, number, 3, 0x7000, 100, 0) == ALLOW
    for flags in (1, 2, 0x40, 0x4000, 0x4000000, 0xFFFFFFFF):  # out of turn, a look ahead, without waiting, ...
        assert answer(machine, number, 3, 0x7000, 100, flags) == EPERM, hex(flags)


# The kernel's include/uapi/asm-generic/fcntl.h; x86-64 and aarch64 have the same.
ONLY_READ, ONLY_WRITE, READ_WRITE, NEITHER, CREATE, TRUNCATE, CLOSE_ON_EXEC = 0, 1, 2, 3, 0o100, 0o1000, 0o2000000


@pytest.mark.parametrize(
    ("machine", "name", "before"),
    [
        ("x86_64", "open", (0x7000,)),
        ("x86_64", "openat", (0xFFFFFF9C, 0x7000)),
        ("aarch64", "openat", (0xFFFFFF9C, 0x7000)),
    ],
)
def test_a_file_is_emptied_only_where_it_could_be_written(machine: str, name: str, before: tuple[int, ...]) -> None:
    """Landlock refuses to open for writing, and before its version 3 nothing but that."""
    number = kept_numbers()[machine][name]
    for mode in (ONLY_READ, ONLY_WRITE, READ_WRITE, NEITHER):
        assert answer(machine, number, *before, mode | CREATE | CLOSE_ON_EXEC) == ALLOW
        expected = ALLOW if mode in (ONLY_WRITE, READ_WRITE) else EPERM
        assert answer(machine, number, *before, mode | TRUNCATE | CREATE | CLOSE_ON_EXEC) == expected, mode
        assert answer(machine, number, *before, mode | TRUNCATE) == expected, mode


# The kernel's include/uapi/linux/sched.h.
THREAD = 0x00010000
OF_A_THREAD = 0x003D0F00  # what the C library asks for: memory, files, signal handlers and the rest are shared
NAMESPACES = {
    "time": 0x80,
    "mount": 0x20000,
    "cgroup": 0x2000000,
    "uts": 0x4000000,
    "ipc": 0x8000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
SIGCHLD, VFORK, PARENT = 17, 0x4000, 0x8000


@pytest.mark.parametrize("machine", MACHINES)
def test_clone_makes_threads_and_no_processes(machine: str) -> None:
    clone = kept_numbers()[machine]["clone"]
    assert OF_A_THREAD & THREAD
    assert answer(machine, clone, OF_A_THREAD) == ALLOW
    for flags in (0, SIGCHLD, VFORK | SIGCHLD, PARENT | SIGCHLD, OF_A_THREAD & ~THREAD, THREAD << 32, 0xFFFFFFFF):
        assert answer(machine, clone, flags) == EPERM, hex(flags)
    for name, flag in NAMESPACES.items():
        assert answer(machine, clone, flag | SIGCHLD) == EPERM, name
        assert answer(machine, clone, flag | OF_A_THREAD) == EPERM, name


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ["kill", "tgkill"])
def test_signals_reach_the_process_itself_only(machine: str, name: str) -> None:
    number = kept_numbers()[machine][name]
    for signal in (0, 9, 19):
        assert answer(machine, number, PID, signal) == ALLOW
        # A process number is read from the lower 32 bits, by the kernel as by the filter.
        assert answer(machine, number, PID + (7 << 32), signal) == ALLOW
        for other in (0, 1, -1, PID + 1, PID - 1, -PID, 2, 0xFFFFFFFF, 0x7FFFFFFF):
            assert answer(machine, number, other, signal) == EPERM, other


@pytest.mark.parametrize("machine", MACHINES)
def test_limits_are_the_processs_own(machine: str) -> None:
    number = kept_numbers()[machine]["prlimit64"]
    assert answer(machine, number, 0) == ALLOW
    for other in (1, PID, PID - 1, -1, -PID):
        assert answer(machine, number, other) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_descriptors_send_no_signals(machine: str) -> None:
    """The commands of fcntl, by the kernel's include/uapi/asm-generic/fcntl.h and linux/fcntl.h."""
    number = kept_numbers()[machine]["fcntl"]
    duplicate, with_close, get_close, set_close, get_flags, set_flags, look_at_lock = 0, 1030, 1, 2, 3, 4, 5
    allowed = {duplicate, with_close, get_close, set_close, get_flags, set_flags, look_at_lock}
    for command in (*range(64), *range(1024, 1044), 0x80000000, 0xFFFFFFFF):
        expected = ALLOW if command in allowed else EPERM
        assert answer(machine, number, 3, command) == expected, command
        assert answer(machine, number, command, 8) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_the_kernel_would_take_the_program(machine: str) -> None:
    steps = seccomp.program(machine)
    assert len(steps) < LONGEST
    assert len(seccomp.assemble(steps, PID)) == INSTRUCTION.size * len(steps)
    for place, step in enumerate(steps):
        assert place + 1 + max(step.if_true, step.if_false) < len(steps) or step.code == seccomp.RETURN, step
    assert steps[-1].code == seccomp.RETURN


def test_each_worker_gets_a_program_with_its_own_number() -> None:
    steps = seccomp.program("x86_64")
    words = [value for _, _, _, value in INSTRUCTION.iter_unpack(seccomp.assemble(steps, PID))]
    assert words.count(PID) == 2
    assert 0xFFFFFFFF not in words


@pytest.mark.parametrize("machine", ["riscv64", "i686", "armv7l", "arm64", "", "X86_64"])
def test_a_machine_without_a_table_is_told(machine: str) -> None:
    with pytest.raises(OSError, match="only for x86_64 and aarch64"):
        seccomp.program(machine)
