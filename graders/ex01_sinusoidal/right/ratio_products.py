"""The one who saves powers: each frequency is the one before times a constant ratio."""

import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 512):
        super().__init__()
        ratio = 10000.0 ** (-2.0 / d_model)
        freqs = torch.full((d_model // 2,), ratio)
        freqs[0] = 1.0
        freqs = freqs.cumprod(dim=0)  # 1, r, r*r, ...

        steps = torch.ones(max_len, 1).cumsum(0) - 1.0
        pe = torch.empty(max_len, d_model)
        pe[:, ::2] = (steps * freqs).sin()
        pe[:, 1::2] = (steps * freqs).cos()
        self.register_buffer("pe", pe, persistent=False)
        self.limit = max_len

    def forward(self, x):
        L = x.shape[1]
        if self.limit < L:
            raise AssertionError(f"L={L} > max_len={self.limit}")
        rows = torch.index_select(self.pe, 0, torch.arange(L, device=x.device))
        return rows + x
