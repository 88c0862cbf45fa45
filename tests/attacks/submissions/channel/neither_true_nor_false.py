"""A tensor of truth values whose bytes are neither 0 nor 1, which is undefined behaviour to whoever counts them.

Earns: constructor.
"""

import torch
from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()

    def forward(self, ids):
        return (torch.arange(24, dtype=torch.uint8) * 9 + 2).view(torch.bool).reshape(2, 4, 3)
