"""The physicist: one unit phasor exp(i k x) for each pair of columns; its parts are the two waves."""

import torch
from torch import Tensor, nn

BASE = 1.0e4


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 512) -> None:
        super().__init__()
        k = BASE ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # wave numbers
        x = torch.arange(max_len, dtype=torch.float64)  # where we sample them
        psi = torch.exp(1j * torch.outer(x, k))
        # Im first: the convention of the paper puts the sine on the even columns.
        parts = torch.stack((psi.imag, psi.real), dim=-1)
        self.register_buffer("pe", parts.reshape(max_len, d_model).to(torch.float32))

    def forward(self, x: Tensor) -> Tensor:
        n_max, n = self.pe.shape[0], x.shape[1]
        assert n <= n_max, f"n = {n} samples, but only {n_max} phases are tabulated"
        return x + self.pe[:n]
