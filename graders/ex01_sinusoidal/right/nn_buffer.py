"""The follower of release notes: nn.Buffer, non-persistent, with the rows cast to whatever x is."""

import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    """Fixed encoding. The table can be rebuilt at any time, so it stays out of checkpoints."""

    def __init__(self, d_model: int, max_len: int = 512) -> None:
        super().__init__()
        self.pe = nn.Buffer(self._build(d_model, max_len), persistent=False)

    @staticmethod
    def _build(d_model: int, max_len: int) -> torch.Tensor:
        pos = torch.arange(max_len, dtype=torch.double)
        div = 10000.0 ** (torch.arange(0, d_model, 2, dtype=torch.double) / d_model)
        grid = pos.unsqueeze(-1) / div
        return torch.stack([grid.sin(), grid.cos()], dim=2).flatten(1).float()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length, limit = x.shape[1], self.pe.shape[0]
        if length > limit:
            raise ValueError(f"input of length {length} is longer than max_len={limit}")
        return x + self.pe[:length].to(dtype=x.dtype, device=x.device)
