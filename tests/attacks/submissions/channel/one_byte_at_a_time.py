"""Send an answer byte by byte, each just before anybody would lose patience."""

import time

line, number = order()
for byte in frame({"id": number, "value": None, "tensors": []}):
    line.sendall(bytes([byte]))
    time.sleep(0.2)
