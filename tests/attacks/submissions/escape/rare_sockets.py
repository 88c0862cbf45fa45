"""Every other kind of socket: netlink, raw, packet, virtual machines, the kernel's ciphers, several roads at once."""

import socket

IPPROTO_MPTCP, AF_PACKET, AF_KEY, AF_ALG, AF_VSOCK, AF_XDP = 262, 17, 15, 38, 40, 44
KINDS = (
    (socket.AF_NETLINK, socket.SOCK_RAW, 0),
    (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    (socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP),
    (socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
    (AF_PACKET, socket.SOCK_RAW, 0),
    (AF_KEY, socket.SOCK_RAW, 2),
    (AF_ALG, socket.SOCK_SEQPACKET, 0),
    (AF_VSOCK, socket.SOCK_STREAM, 0),
    (AF_XDP, socket.SOCK_RAW, 0),
)
for family, kind, protocol in KINDS:
    expect_refusal(libc, "socket", family, kind, protocol)
expect_refusal(socket.socketpair)
