"""Make calls of the x32 table, which lies above the other numbers.

Earns: constructor.
"""

from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        win(LIBC.syscall(ctypes.c_long(0x40000000 + 39)))
