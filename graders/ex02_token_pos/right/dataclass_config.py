"""The config enthusiast: settings live in a frozen dataclass, and the limit is read back from it."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class EmbeddingConfig:
    vocab_size: int
    d_model: int
    max_len: int = 512
    dropout: float = 0.1

    def tables(self) -> tuple[nn.Embedding, nn.Embedding]:
        return nn.Embedding(self.vocab_size, self.d_model), nn.Embedding(self.max_len, self.d_model)


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        self.cfg = EmbeddingConfig(vocab_size, d_model, max_len, dropout)
        self.tok, self.pos = self.cfg.tables()
        self.drop = nn.Dropout(self.cfg.dropout)
        nn.init.trunc_normal_(self.pos.weight, std=0.02)

    @property
    def max_len(self) -> int:
        return self.cfg.max_len

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        seq = token_ids.shape[1]
        assert seq <= self.cfg.max_len, f"{seq} places asked for, {self.cfg} allows fewer"
        pieces = torch.broadcast_tensors(self.tok(token_ids), self.pos.weight[None, :seq])
        return self.drop(torch.stack(pieces).sum(dim=0))
