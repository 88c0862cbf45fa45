"""Put the output in the place of the line and the line in the place of the output, and print frames."""

import os

line, number = order()
kept = os.dup(1)
os.dup2(line.fileno(), 1)
os.dup2(kept, line.fileno())
os.write(1, frame({"id": number, "value": {"dict": [["names", {"list": []}]]}, "tensors": []}))
print(frame({"id": "1", "value": True, "tensors": []}), flush=True)
