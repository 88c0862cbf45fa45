"""Exercise 1: the fixed sinusoidal encoding, a table of waves that is computed once and never trained."""

import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    """Token vectors come out with a fixed wave pattern added, a different one at every place.

    Row p of the buffer ``pe`` belongs to position p, and the first position is 0. Columns 2i and 2i + 1
    share the angle p / 10000^(2i / d_model): the even column holds its sine, the odd column its cosine.
    ``d_model`` is even.

    Shapes: ``pe`` is ``(max_len, d_model)`` or ``(1, max_len, d_model)``, float32, and needs no gradient.
    Source: "Attention Is All You Need" (2017), section 3.5.
    """

    pe: torch.Tensor

    def __init__(self, d_model: int, max_len: int = 512) -> None:
        super().__init__()
        self.max_len = max_len
        position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
        exponent = torch.arange(0, d_model, 2, dtype=torch.float32) / d_model
        frequency = 10000.0**-exponent
        angle = position * frequency
        table = torch.zeros(max_len, d_model)
        table[:, 0::2] = torch.sin(angle)
        table[:, 1::2] = torch.cos(angle)
        self.register_buffer("pe", table)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Every sequence of the batch with row p of the table added at place p.

        Shapes: ``x`` is ``(batch, seq, d_model)``, and so is the result.
        Raises: AssertionError or ValueError, naming both numbers, where ``seq`` is larger than ``max_len``.
        """
        length = x.shape[1]
        assert length <= self.max_len, f"a sequence of {length} does not fit max_len={self.max_len}"
        return x + self.pe[:length]
