"""Talk to services of this machine that do more than we may: containers, the bus, abstract names."""

import socket

line, number = order()
for address in ("/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket", "\0abstract"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        expect_refusal(lambda: socket.socket(socket.AF_UNIX, kind).connect(address))
    expect_refusal(line.connect, address)
    expect_refusal(line.bind, address)
expect_refusal(line.listen)
expect_refusal(line.getpeername)
expect_refusal(line.setsockopt, socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 30)
