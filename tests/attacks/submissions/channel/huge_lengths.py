"""Announce four gigabytes of header and as much of body, and send a part of them."""

line, number = order()
line.sendall(frame(b"{", header_bytes=0xFFFFFFFF, body_bytes=0xFFFFFFFF) + bytes(1 << 20))
