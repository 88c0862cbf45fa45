"""Make calls of the 32-bit table, whose numbers mean something else, by machine code.

Earns: constructor.
"""

import ctypes
import mmap

from torch import nn

# mov eax, 2 (fork there); int 0x80; ret
CODE = b"\xb8\x02\x00\x00\x00\xcd\x80\xc3"


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(CODE)
        result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
        win(f"int 0x80: {result}")
