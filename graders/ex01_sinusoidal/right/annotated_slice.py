"""The reader of annotated papers: exp of a log, a leading axis of one, a slice that asks for no gradient."""

import math

import torch
import torch.nn as nn


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512):
        super(SinusoidalPositionalEncoding, self).__init__()
        self.max_len = max_len

        pos = torch.arange(0, max_len).unsqueeze(1)
        inv_freq = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        waves = torch.zeros(max_len, d_model)
        waves[:, 0::2] = torch.sin(pos * inv_freq)
        waves[:, 1::2] = torch.cos(pos * inv_freq)
        self.register_buffer("pe", waves.unsqueeze(0))

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"got {x.size(1)} tokens, can encode at most {self.max_len}")
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        return x
