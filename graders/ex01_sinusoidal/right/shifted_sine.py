"""The trigonometry lover: a cosine is a sine a quarter turn ahead, so one call of sin fills the table."""

import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 512):
        super().__init__()
        column = torch.arange(d_model)
        pair = column.div(2, rounding_mode="floor")
        quarter_turn = (column % 2) * (torch.pi / 2)
        omega = torch.pow(10_000.0, -2.0 * pair / d_model)
        theta = torch.arange(max_len).float()[:, None] * omega[None, :] + quarter_turn
        self.register_buffer("pe", theta.sin().unsqueeze(0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert x.size(1) <= self.pe.size(1), f"{x.size(1)} positions asked, {self.pe.size(1)} available"
        return x.add(self.pe.narrow(1, 0, x.size(1)))
