"""Use up the stack, in Python and in C.

Earns: constructor.
"""

import sys

from torch import nn

sys.setrecursionlimit(1 << 30)


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        nested = []
        for _ in range(10_000_000):
            nested = [nested]
        return repr(nested)
