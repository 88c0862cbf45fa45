"""Ask for more than there is, at once, in each of the ways that a slip of the pen might.

Earns: constructor.
"""

import torch
from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        for ask in (
            lambda: bytes(1 << 40),
            lambda: torch.empty(1 << 40),
            lambda: [0] * (1 << 36),
            lambda: "x" * (1 << 40),
        ):
            try:
                win(len(ask()))
            except (MemoryError, RuntimeError):
                continue
        return torch.zeros(1, 1).expand(1 << 20, 1 << 20) + 1
