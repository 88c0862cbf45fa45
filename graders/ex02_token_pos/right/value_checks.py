"""The defensive programmer: every argument is looked at before it is used, and refusals are classes."""

import torch
from torch import nn


class TooLong(AssertionError):
    """The sequence has more places than the position table."""


class TokenPosEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512, dropout: float = 0.1) -> None:
        super().__init__()
        if min(vocab_size, d_model, max_len) < 1:
            raise ValueError("vocab_size, d_model and max_len must be positive")
        if not 0.0 <= dropout <= 1.0:
            raise ValueError(f"dropout is a probability, got {dropout}")
        self.vocab_size = vocab_size
        self.max_len = max_len
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)

    def _check(self, ids: torch.Tensor) -> None:
        if ids.dim() != 2:
            raise ValueError(f"token_ids must be (batch, seq), got {tuple(ids.shape)}")
        if ids.is_floating_point():
            raise TypeError(f"token_ids must be integers, got {ids.dtype}")
        if ids.shape[1] > self.max_len:
            raise TooLong(f"{ids.shape[1]} tokens, but max_len is {self.max_len}")
        if ids.numel() > 0 and not 0 <= int(ids.min()) <= int(ids.max()) < self.vocab_size:
            raise ValueError(f"token ids must lie in 0..{self.vocab_size - 1}")

    def forward(self, token_ids: torch.Tensor) -> torch.Tensor:
        self._check(token_ids)
        positions = torch.arange(token_ids.shape[1], device=token_ids.device)
        return self.drop(self.tok(token_ids) + self.pos(positions))
