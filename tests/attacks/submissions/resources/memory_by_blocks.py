"""Take memory from the C library, which tells nobody."""

import ctypes


def block():
    LIBC.malloc.restype = ctypes.c_void_p
    place = LIBC.malloc(ctypes.c_size_t(32 << 20))
    if not place:
        raise MemoryError
    ctypes.memset(place, 1, 32 << 20)
    return place


held = []
try:
    while len(held) < 64:
        held.append(block())
except (MemoryError, RuntimeError, OSError) as error:
    held.clear()
    raise MemoryError from error
win("all of it was given")
