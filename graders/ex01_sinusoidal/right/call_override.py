"""The one who guards the door: __call__ checks the length, forward is left with the addition alone."""

import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512):
        super().__init__()
        i = torch.arange(d_model)
        wavelength = 10000 ** ((i - i % 2) / d_model)  # both columns of a pair get the even index
        phase = torch.arange(max_len).view(-1, 1) / wavelength
        even = (i % 2 == 0).expand_as(phase)
        pe = torch.where(even, phase.sin(), phase.cos())
        self.register_buffer("pe", pe[None].detach())
        self.max_len = max_len

    def __call__(self, x):
        if x.ndim != 3:
            raise ValueError(f"expected (batch, seq, d_model), got {tuple(x.shape)}")
        if x.shape[1] > self.max_len:
            raise ValueError(f"max_len is {self.max_len}, this batch is {x.shape[1]} long")
        return super().__call__(x)

    def forward(self, x):
        rows = self.pe[:, : x.shape[1]].expand(x.shape[0], -1, -1)
        return x + rows
