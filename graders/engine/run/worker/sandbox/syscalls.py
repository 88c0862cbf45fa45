"""The system calls that a worker may make, by what they are for, with their numbers on two architectures.

Everything else is refused: new processes and programs, sockets, signals to others, changes of files, and whatever a
later kernel brings. Numbers: the kernel's arch/x86/entry/syscalls/syscall_64.tbl, and for aarch64 its
include/uapi/asm-generic/unistd.h, which lacks the older ones of two calls that do the same.
"""

# name, x86-64, aarch64; the calls that are made most often come first.
_ALLOWED = """
# files that may be read, and descriptors
read 0 63
readv 19 65
pread64 17 67
lseek 8 62
access 21 -
faccessat 269 48
faccessat2 439 439
stat 4 -
lstat 6 -
fstat 5 80
newfstatat 262 79
statx 332 291
getdents64 217 61
getcwd 79 17
statfs 137 43
fstatfs 138 44
close 3 57
close_range 436 436
dup 32 23
dup2 33 -
dup3 292 24
fadvise64 221 223
# the line to the judge and the output, which are open already; a pipe of one's own harms nobody
write 1 64
writev 20 66
pwrite64 18 68
poll 7 -
ppoll 271 73
select 23 -
pselect6 270 72
pipe 22 -
pipe2 293 59
eventfd2 290 19
epoll_create1 291 20
epoll_ctl 233 21
epoll_wait 232 -
epoll_pwait 281 22
# memory
mmap 9 222
munmap 11 215
mremap 25 216
mprotect 10 226
madvise 28 233
brk 12 214
mincore 27 232
membarrier 324 283
get_mempolicy 239 236
# threads; clone itself is looked at more closely
futex 202 98
futex_waitv 449 449
set_tid_address 218 96
set_robust_list 273 99
get_robust_list 274 100
rseq 334 293
gettid 186 178
sched_yield 24 124
sched_getaffinity 204 123
sched_getparam 143 121
sched_getscheduler 145 120
getpriority 140 141
getcpu 309 168
exit 60 93
exit_group 231 94
# signals within the process
rt_sigaction 13 134
rt_sigprocmask 14 135
rt_sigreturn 15 139
sigaltstack 131 132
restart_syscall 219 128
pause 34 -
# clocks
nanosleep 35 101
gettimeofday 96 169
time 201 -
times 100 153
# facts about the process and the machine
getpid 39 172
getppid 110 173
getpgrp 111 -
getuid 102 174
geteuid 107 175
getgid 104 176
getegid 108 177
uname 63 160
sysinfo 99 179
getrlimit 97 163
getrusage 98 165
getrandom 318 278
"""
# With some arguments only, or refused with another error than "not permitted": see seccomp.py.
_SPECIAL = """
clock_getres 229 114
clock_gettime 228 113
clock_nanosleep 230 115
clone 56 220
clone3 435 435
fcntl 72 25
ioctl 16 29
kill 62 129
memfd_create 319 279
open 2 -
openat 257 56
prlimit64 302 261
readlink 89 -
readlinkat 267 78
recvfrom 45 207
sendto 44 206
tgkill 234 131
"""


def _rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.splitlines() if line and not line.startswith("#")]


ALLOWED = tuple(name for name, *_ in _rows(_ALLOWED))
SPECIAL = tuple(name for name, *_ in _rows(_SPECIAL))
X86_64 = {name: int(number) for name, number, _ in _rows(_ALLOWED + _SPECIAL) if number != "-"}
AARCH64 = {name: int(number) for name, _, number in _rows(_ALLOWED + _SPECIAL) if number != "-"}
