"""The one who came from plain Python: two loops, math.sin and math.cos, a list of lists."""

import math

import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512):
        super().__init__()
        self.max_len = max_len
        table = []
        for p in range(max_len):
            row = []
            for i in range(d_model // 2):
                angle = p / 10000 ** (2 * i / d_model)
                row.append(math.sin(angle))
                row.append(math.cos(angle))
            table.append(row)
        self.register_buffer("pe", torch.tensor(table))

    def forward(self, x):
        # x is (batch, seq, d_model)
        batch, seq, d_model = x.shape
        if seq > self.max_len:
            raise ValueError("the sequence has %d places, max_len is %d" % (seq, self.max_len))
        return x + self.pe[0:seq]
