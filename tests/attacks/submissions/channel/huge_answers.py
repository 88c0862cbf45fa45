"""Answers that are small here and large there: 320 MB of zeros, and a number seen as a billion of them.

Earns: constructor, shape.
"""

import itertools

import torch
from torch import nn

ANSWERS = itertools.chain([None], itertools.repeat(80 << 20, 1), itertools.repeat(1 << 40))


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, ids):
        size = next(ANSWERS)
        if size is None:
            return torch.zeros(*ids.shape, 3)
        return torch.zeros(1).expand(size) if size > 1 << 30 else torch.zeros(size)
