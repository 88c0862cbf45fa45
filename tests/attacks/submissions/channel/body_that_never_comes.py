"""Announce the largest body that may come, and let the judge wait for it."""

import time

line, number = order()
line.sendall(frame({"id": number, "value": None, "tensors": [["uint8", [64 << 20]]]}, body_bytes=64 << 20))
time.sleep(60)
