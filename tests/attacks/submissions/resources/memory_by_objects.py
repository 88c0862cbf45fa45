"""Take memory by texts, lists and numbers."""

held = []
try:
    while len(held) < 64:
        held.append([bytes(1 << 15) for _ in range(1 << 10)])
except (MemoryError, RuntimeError, OSError) as error:
    held.clear()
    raise MemoryError from error
win("all of it was given")
