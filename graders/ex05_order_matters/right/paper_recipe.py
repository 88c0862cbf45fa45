"""The one who follows the paper: rows scaled by the root of d_model, sinusoids, dropout on the sum, post-norm layers."""

import math

import torch
from torch import nn


def make_reverse_data(
    n: int, length: int, vocab_size: int, generator: torch.Generator | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    def rand(*size: int) -> torch.Tensor:
        return torch.rand(size, generator=generator)

    runs = rand(n // 2, vocab_size).topk(length, dim=-1).indices.sort(dim=-1).values
    reverse = torch.arange(length - 1, -1, -1)
    strings = torch.cat([runs, runs[:, reverse]])
    is_reversed = torch.arange(n) >= n // 2
    order = rand(n).argsort()
    return strings[order], is_reversed[order].long()


def permutation_gap(attention: nn.Module, x: torch.Tensor) -> float:
    seq_len = x.shape[-2]
    perm = torch.arange(seq_len)
    while bool((perm == torch.arange(seq_len)).all()):
        perm = perm[torch.randperm(seq_len)]
    inverse = perm.argsort()
    with torch.no_grad():
        # Undo the permutation at the output: what then differs from the plain output is the gap.
        undone = attention(x[:, perm])[:, inverse]
        return float((undone - attention(x)).abs().max())


class PositionalEncoding(nn.Module):
    pe: torch.Tensor

    def __init__(self, d_model: int, dropout: float, max_len: int) -> None:
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        waves = torch.stack([torch.sin(position * div_term), torch.cos(position * div_term)], dim=-1)
        self.register_buffer("pe", waves.reshape(1, max_len, d_model), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dropout(x + self.pe[:, : x.size(1)])


class OrderClassifier(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int = 32, max_len: int = 64, use_positions: bool = True, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embed = nn.Embedding(vocab_size, d_model)
        self.positions = PositionalEncoding(d_model, dropout, max_len) if use_positions else nn.Dropout(dropout)
        layer = nn.TransformerEncoderLayer(d_model, 4, dim_feedforward=2 * d_model, dropout=dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.classify = nn.Linear(d_model, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        memory = self.encoder(self.positions(self.embed(ids) * self.scale))
        return self.classify(memory.mean(dim=1))
