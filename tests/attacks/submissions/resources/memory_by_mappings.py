"""Take memory by mappings, shared ones too."""

import mmap


def touched(memory):
    for place in range(0, len(memory), 4096):
        memory[place] = 1
    return memory


held = []
try:
    while len(held) < 64:
        held.append(touched(mmap.mmap(-1, 32 << 20)))
except (MemoryError, RuntimeError, OSError) as error:
    held.clear()
    raise MemoryError from error
win("all of it was given")
