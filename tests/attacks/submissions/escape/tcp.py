"""Carry something out by TCP, over either version of IP and by other people's code."""

import socket
import urllib.request

for family in (socket.AF_INET, socket.AF_INET6):
    expect_refusal(socket.socket, family, socket.SOCK_STREAM)
expect_refusal(socket.create_connection, ("127.0.0.1", 80), 0.1)
expect_refusal(socket.create_server, ("127.0.0.1", 0))
expect_refusal(urllib.request.urlopen, "http://127.0.0.1:1", also=(None,))  # its error has no number
