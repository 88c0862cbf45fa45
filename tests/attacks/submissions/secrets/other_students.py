"""Look for what others handed in: their files, their modules, and what earlier workers shared."""

import os
import sys
from multiprocessing import shared_memory

expect_refusal(open, PLANTED["neighbour"])
expect_refusal(os.listdir, os.path.dirname(PLANTED["neighbour"]))
expect_refusal(lambda: show(open(PLANTED["shared"]).read()))
expect_refusal(lambda: show(bytes(shared_memory.SharedMemory(os.path.basename(PLANTED["shared"])).buf)))
for name in ("ex02_token_pos", "exercises", "others", "tests", "conftest"):
    if name in sys.modules:
        win(name)
