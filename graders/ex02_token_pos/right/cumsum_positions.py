"""The one from a codebase with masks: positions are a running count along the sequence, less one."""

import torch
from torch import nn


def position_ids_like(ids: torch.Tensor) -> torch.Tensor:
    """0, 1, 2, ... along the last axis, in the shape and on the device of ids."""
    return torch.ones_like(ids).cumsum(dim=-1) - 1


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        self.max_len = max_len
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        if token_ids.size(-1) > self.max_len:
            raise AssertionError(f"length {token_ids.size(-1)} is over the limit of {self.max_len}")
        hidden = self.tok(token_ids)
        hidden += self.pos(position_ids_like(token_ids))
        return self.drop(hidden)
