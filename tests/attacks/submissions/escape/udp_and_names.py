"""Carry something out by UDP, or in the names that a resolver is asked for."""

import socket

for family in (socket.AF_INET, socket.AF_INET6):
    expect_refusal(socket.socket, family, socket.SOCK_DGRAM)
expect_refusal(
    socket.getaddrinfo, f"{MARK}.example.org", 80, also=(socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_NONAME)
)
expect_refusal(libc, "sendmmsg", 3, 0, 1, 0)
