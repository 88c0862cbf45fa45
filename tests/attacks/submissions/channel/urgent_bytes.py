"""Send and take bytes out of turn, on paths of the kernel that hardly anybody else treads."""

import socket

line, number = order()
for _ in range(3):
    expect_refusal(line.send, b"x", socket.MSG_OOB)
    expect_refusal(line.recv, 1, socket.MSG_OOB | socket.MSG_DONTWAIT)
