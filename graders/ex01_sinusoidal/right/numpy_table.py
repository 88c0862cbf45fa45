"""The NumPy person: everything in float64 arrays with an out-of-place where, and one cast at the end."""

import numpy as np
import torch
from torch import nn


def sinusoid_table(n_rows: int, n_cols: int) -> np.ndarray:
    """Return an (n_rows, n_cols) float64 array of interleaved sines and cosines."""
    rows = np.arange(n_rows)[:, np.newaxis]
    cols = np.arange(n_cols)[np.newaxis, :]
    angles = rows / np.power(10_000.0, 2 * (cols // 2) / n_cols)
    return np.where(cols % 2 == 0, np.sin(angles), np.cos(angles))


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 512):
        super().__init__()
        self.d_model, self.max_len = d_model, max_len
        self.register_buffer("pe", torch.from_numpy(sinusoid_table(max_len, d_model).astype(np.float32)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seq = x.shape[-2]
        if seq > len(self.pe):
            raise ValueError(f"sequence length {seq} exceeds max_len {len(self.pe)}")
        return x + self.pe[None, :seq, :]
