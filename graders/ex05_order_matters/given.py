"""What the checks of exercise 5 hand to permutation_gap: layers that do, or do not, know one place from another."""

import torch
from torch import nn


class SelfAttention(nn.Module):
    """Self-attention with one head and no positions: every place looks at all places in the same way."""

    def __init__(self, d_model: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Shapes: ``x`` is ``(batch, seq, d_model)``, and so is the result."""
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[2] ** 0.5
        return self.drop(scores.softmax(dim=2) @ self.value(x))


class PlacedSelfAttention(SelfAttention):
    """The same after a position table has been added to its input."""

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__(d_model)
        self.pos = nn.Embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Shapes: ``x`` is ``(batch, seq, d_model)``, and so is the result."""
        return super().forward(x + self.pos.weight[: x.shape[1]])


class CausalMean(nn.Module):
    """Attention with equal scores under a causal mask: the mean of a place and all places before it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Shapes: ``x`` is ``(batch, seq, d_model)``, and so is the result."""
        count = torch.arange(1, x.shape[1] + 1, device=x.device)
        return x.cumsum(dim=1) / count[:, None]


class FirstPlace(nn.Module):
    """Attention that looks at place 0 alone, from everywhere."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Shapes: ``x`` is ``(batch, seq, d_model)``, and so is the result."""
        return x[:, :1].expand_as(x)
