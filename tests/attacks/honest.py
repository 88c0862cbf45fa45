"""An honest submission, which is judged after each attack and must get full marks."""

import torch
from torch import nn


class Lookup(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, ids):
        return self.table(ids) + self.bias
