"""Hand descriptors over with a message, and take them from other processes."""

import array
import socket

PIDFD_OPEN, PIDFD_GETFD = 434, 438
line, number = order()
rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1]))]
expect_refusal(line.sendmsg, [b"x"], rights)
expect_refusal(line.recvmsg, 1, 1024)
for process in (JUDGE, HOST, 1):
    expect_refusal(syscall, PIDFD_OPEN, process, 0)
    for descriptor in range(3, 20):
        expect_refusal(syscall, PIDFD_GETFD, 0, descriptor, 0)
