"""As many threads of Python's as there can be, with the smallest stacks."""

import threading

threading.stack_size(32 << 10)
gate = threading.Event()
try:
    for _ in range(2000):
        threading.Thread(target=gate.wait, daemon=True).start()
except RuntimeError:
    gate.set()
else:
    win("two thousand threads")
