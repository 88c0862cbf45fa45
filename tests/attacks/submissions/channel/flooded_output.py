"""Print 300 MB before answering."""

import os

line = b"spam" * (1 << 18)
for _ in range(300):
    os.write(1, line)
